/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work-groups of one launch that wait for each other. */

#include "devicesync.h"

#define DEFAULT_SPIN_LIMIT (1 << 20)

guint
gst_cl_device_sync_spin_limit (void)
{
  const gchar *text = g_getenv ("GST_OPENCL_SPIN_LIMIT");
  guint64 limit;

  if (text &&
      g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &limit, NULL))
    return (guint) limit;

  return DEFAULT_SPIN_LIMIT;
}
