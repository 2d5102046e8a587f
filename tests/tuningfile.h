/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/cache/gstclcache.h"

G_BEGIN_DECLS

/* Returns the path of the file @kind ("tuning" or "verdicts") of @device in the
 * folder GST_OPENCL_CACHE_DIR. transfer full */
static inline gchar *
tuning_file_path (const gchar *kind, const GstClDevice *device)
{
  g_autofree gchar *key = gst_cl_cache_device_key (device);
  g_autofree gchar *name = g_strdup_printf ("%s-%.16s.ini", kind, key);

  return g_build_filename (g_getenv ("GST_OPENCL_CACHE_DIR"), name, NULL);
}

G_END_DECLS
