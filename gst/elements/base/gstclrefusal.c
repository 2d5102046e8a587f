/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input that an element does not take. */

#include "gstclrefusal.h"

#include "cl/video/gstclformat.h"

/* --- caps on their way ---------------------------------------------------- */

static gboolean has_sent (GstPad *source, GstCaps *caps);

/* A GCompareFunc of gst_iterator_find_custom(): 0 for a sink pad that passes
 * caps on as they are, and to which @caps have been sent. */
static gint
compare_with_sent (gconstpointer value, gconstpointer caps)
{
  GstPad *sink = g_value_get_object (value);
  g_autoptr (GstPad)
      source = GST_PAD_IS_PROXY_CAPS (sink) ? gst_pad_get_peer (sink) : NULL;

  return source && has_sent (source, (GstCaps *) caps) ? 0 : 1;
}

/* Returns TRUE if @source, or a pad before it whose caps it passes on, has sent
 * the event @caps: a pad keeps the event before it pushes it. */
static gboolean
has_sent (GstPad *source, GstCaps *caps)
{
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (source);
  GstIterator *sinks;
  GValue found = G_VALUE_INIT;
  gboolean is_sent;

  if (sent && gst_caps_is_equal (sent, caps))
    return TRUE;

  sinks = gst_pad_iterate_internal_links (source);
  is_sent = sinks &&
            gst_iterator_find_custom (sinks, compare_with_sent, &found, caps);
  g_clear_pointer (&sinks, gst_iterator_free);
  if (is_sent)
    g_value_unset (&found);

  return is_sent;
}

/* --- the error ------------------------------------------------------------ */

/* Returns the format of raw video in @caps that is none of ours; else
 * GST_VIDEO_FORMAT_UNKNOWN. */
static GstVideoFormat
find_other_format (const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *name = gst_structure_get_string (structure, "format");
  GstVideoFormat format = GST_VIDEO_FORMAT_UNKNOWN;

  if (gst_structure_has_name (structure, "video/x-raw") && name)
    format = gst_video_format_from_string (name);

  return gst_cl_format_find (format) ? GST_VIDEO_FORMAT_UNKNOWN : format;
}

static GError *
make_error (const GstCaps *caps)
{
  const GstVideoFormat format = find_other_format (caps);
  GstVideoFormat nearest = GST_VIDEO_FORMAT_UNKNOWN;
  gboolean keeps_all;

  if (format > GST_VIDEO_FORMAT_ENCODED)
    nearest = gst_cl_format_find_nearest (format, &keeps_all);
  if (nearest == GST_VIDEO_FORMAT_UNKNOWN) {
    g_autofree gchar *text = gst_caps_to_string (caps);

    return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "The element does not take %s.", text);
  }

  return g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      keeps_all ? "The element does not take video of the format %s. %s keeps "
                  "every bit: put \"videoconvert dither=none ! "
                  "video/x-raw,format=%s\" before the element."
                : "The element does not take video of the format %s, and none "
                  "that it takes keeps every bit. %s comes nearest: put "
                  "\"videoconvert ! video/x-raw,format=%s\" before the "
                  "element.",
      gst_video_format_to_string (format), gst_video_format_to_string (nearest),
      gst_video_format_to_string (nearest));
}

GError *
gst_cl_refusal_of_input (GstPad *sink, GstQuery *query)
{
  g_autoptr (GstPad) source = gst_pad_get_peer (sink);
  gboolean is_accepted;
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  gst_query_parse_accept_caps_result (query, &is_accepted);
  if (is_accepted || !source || !has_sent (source, caps))
    return NULL;

  return make_error (caps);
}
