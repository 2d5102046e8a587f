/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* What tests of CUDA memory by stand-ins have in common. */

/* A GstCudaContext of the GPU that is the OpenCL device, too; there between the
 * next two. */
extern GstObject *cuda;

void cuda_setup (void);

/* Fails if anybody has kept anything of CUDA. */
void cuda_teardown (void);

/* Returns TRUE if elements run as on a device that shares no memory with the
 * host. */
gboolean runs_as_discrete (void);

G_END_DECLS
