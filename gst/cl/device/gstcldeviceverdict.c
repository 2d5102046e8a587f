/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the compilers of devices. */

#include "gstcldeviceverdict.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_device_verdict_debug, "clprobe",
    "OpenCL devices that compile");
#define GST_CAT_DEFAULT gst_cl_device_verdict_debug ()

static GMutex lock;
static GHashTable *verdicts; /* cl_device_id -> GstClDeviceVerdict; lock */

GstClDeviceVerdict
gst_cl_device_verdict_set (const GstClDevice *device,
    GstClDeviceVerdict verdict)
{
  GstClDeviceVerdict before;

  g_mutex_lock (&lock);
  if (!verdicts)
    verdicts = g_hash_table_new (NULL, NULL);
  before = GPOINTER_TO_INT (g_hash_table_lookup (verdicts, device->id));
  g_hash_table_insert (verdicts, device->id, GINT_TO_POINTER (verdict));
  g_mutex_unlock (&lock);

  return before;
}

GstClDeviceVerdict
gst_cl_device_verdict_get (const GstClDevice *device)
{
  GstClDeviceVerdict verdict = GST_CL_DEVICE_VERDICT_UNKNOWN;

  g_mutex_lock (&lock);
  if (verdicts)
    verdict = GPOINTER_TO_INT (g_hash_table_lookup (verdicts, device->id));
  g_mutex_unlock (&lock);

  return verdict;
}

void
gst_cl_device_verdict_set_unable (const GstClDevice *device,
    const gchar *reason)
{
  gst_cl_device_verdict_debug ();

  if (gst_cl_device_verdict_set (device, GST_CL_DEVICE_VERDICT_UNABLE) !=
      GST_CL_DEVICE_VERDICT_UNABLE)
    GST_WARNING ("device=auto passes over %u.%u \"%s\" (%s) from now on: %s",
        device->platform_index, device->device_index, device->name,
        device->platform_name, reason);
}
