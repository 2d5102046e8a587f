/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors in lines of frames. */

#include "frameerror.h"

gboolean
frame_refuse (GError **error, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, text);

  return FALSE;
}

gboolean
frame_refuse_wrong (GError **error, const gchar *field)
{
  return frame_refuse (error, "the field '%s' is wrong", field);
}

gboolean
frame_refuse_missing (GError **error, const gchar *field)
{
  return frame_refuse (error, "the field '%s' is missing", field);
}
