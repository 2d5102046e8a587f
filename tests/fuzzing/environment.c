/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment of fuzz targets. */

#include "environment.h"

#include <stdlib.h>

#include "elements/framesum/gstclframesum.h"
#include "elements/integral/gstclintegral.h"
#include "elements/localmean/gstcllocalmean.h"
#include "elements/scope/gstclscope.h"
#include "elements/transfer/gstcldownload.h"
#include "elements/transfer/gstclupload.h"

/* Formats the message, so that the address sanitizer checks its arguments. */
static void
format_message (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  gst_debug_message_get (message);
}

/* Ends the process by abort(): a compiler in the process may have a handler for
 * the signal of GLib. */
static void
print_message (const gchar *domain, GLogLevelFlags level, const gchar *message,
    gpointer user_data)
{
  if (!(level &
          (G_LOG_FLAG_FATAL | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)))
    return;

  g_printerr ("%s: %s\n", domain, message);
  abort ();
}

void
fuzz_environment_init (void)
{
  g_setenv ("GST_OPENCL_TUNE", "0", FALSE);
  g_setenv ("GST_OPENCL_QUICK_START", "0", FALSE);
  g_setenv ("GST_OPENCL_PREPARE", "0", FALSE);
  g_setenv ("GST_OPENCL_CACHE_DIR", "", FALSE);
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init (NULL, NULL);
  g_log_set_default_handler (print_message, NULL);

  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (format_message, NULL, NULL);
  gst_debug_set_threshold_for_name ("cl*", GST_LEVEL_TRACE);

  GST_ELEMENT_REGISTER (cldownload, NULL);
  GST_ELEMENT_REGISTER (clframesum, NULL);
  GST_ELEMENT_REGISTER (clintegral, NULL);
  GST_ELEMENT_REGISTER (cllocalmean, NULL);
  GST_ELEMENT_REGISTER (clscope, NULL);
  GST_ELEMENT_REGISTER (clupload, NULL);
}

GstClContext *
fuzz_environment_context (gboolean is_discrete)
{
  static GstClContext *contexts[2];
  GstClContext **context = &contexts[is_discrete ? 1 : 0];
  g_autoptr (GstClDevice) device = NULL;

  if (*context && gst_cl_context_is_lost (*context))
    gst_clear_object (context);
  if (*context)
    return *context;

  device = gst_cl_device_choose ("auto", NULL);
  if (device)
    device->is_host_unified &= !is_discrete; /* no other thread has seen it */
  *context = device ? gst_cl_context_new (device, FALSE, NULL) : NULL;

  return *context;
}
