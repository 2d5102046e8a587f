/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* Returns the build option of a version of OpenCL C in which @device has
 * atomics of memory_scope_device that acquire and release: "-cl-std=CL3.0" or
 * "-cl-std=CL2.0". NULL with CL_INVALID_DEVICE in @error, which names the
 * missing feature. transfer none */
const gchar *atomics_option (const GstClDevice *device, GError **error);

G_END_DECLS
