/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

/* What tests of CUDA memory by mocks have in common. */

/* A GstCudaContext of the GPU that is the OpenCL device, too; there during each
 * test of cuda_tcase_new(). */
extern GstObject *cuda;

/* Adds a test case, each test of which fails if anybody has kept anything of
 * CUDA. NULL: elements do not run on a CPU, and what stands in makes memory of
 * the host, which others do not share. */
TCase *cuda_tcase_new (Suite *suite);

/* Returns TRUE if elements run as on a device that shares no memory with the
 * host. */
gboolean runs_as_discrete (void);

G_END_DECLS
