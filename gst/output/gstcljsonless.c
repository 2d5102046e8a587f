/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stands in for gstcljson.c where there is no json-glib. */

#include "gstcljson.h"

gboolean
gst_cl_json_is_built (GError **error)
{
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_DISABLED,
      "This build of the plugin writes no JSON: it was made without json-glib. "
      "Rows need none: let location end in .csv.");

  return FALSE;
}

void
gst_cl_json_append_line (GString *text, const gchar *type,
    const GstStructure *structure)
{
  g_return_if_reached ();
}
