/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

/* Fixture of the tests of CUDA memory with mocks. */

/* A GstCudaContext of the GPU that is also the OpenCL device; valid during each
 * test of cuda_tcase_new(). */
extern GstObject *cuda;

/* Adds a test case; each of its tests fails if any CUDA object is leaked. NULL:
 * elements run on a CPU, and the mocks' memory is host memory, which cannot be
 * shared. */
TCase *cuda_tcase_new (Suite *suite);

/* Returns TRUE if elements run in discrete mode. */
gboolean runs_as_discrete (void);

G_END_DECLS
