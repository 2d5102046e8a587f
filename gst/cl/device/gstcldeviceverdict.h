/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcldevice.h"

G_BEGIN_DECLS

/* Devices that do not compile, though they say that they have a compiler, or
 * that have no right implementation of an op: known for the process once it has
 * been found out. Any thread. */
typedef enum {
  GST_CL_DEVICE_VERDICT_UNKNOWN,
  GST_CL_DEVICE_VERDICT_ABLE,
  /* device=auto passes the device over where there is another one */
  GST_CL_DEVICE_VERDICT_UNABLE,
} GstClDeviceVerdict;

GstClDeviceVerdict gst_cl_device_verdict_get (const GstClDevice *device);

/* Returns what was known before. */
GstClDeviceVerdict gst_cl_device_verdict_set (const GstClDevice *device,
    GstClDeviceVerdict verdict);

/* Sets GST_CL_DEVICE_VERDICT_UNABLE; a line at WARNING, once for each device,
 * says so with @reason. */
void gst_cl_device_verdict_set_unable (const GstClDevice *device,
    const gchar *reason);

G_END_DECLS
