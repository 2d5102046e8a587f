/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

/* Fixture of the tests of CUDA memory with mocks. */

/* A GstCudaContext of the GPU that is also the OpenCL device; valid during each
 * test of CUDA_SUITE. */
extern GstObject *cuda;

/* Returns FALSE on a GPU, which cannot share the mocks' memory: host memory. */
gboolean cuda_can_run (void);

/* Each test fails if any CUDA object is leaked. */
void cuda_setup (void);
void cuda_teardown (void);

#define CUDA_SUITE                                                             \
  .can_run = cuda_can_run, .setup = cuda_setup, .teardown = cuda_teardown

G_END_DECLS
