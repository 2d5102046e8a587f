/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as classifications. */

#include "gstclanalytics.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#define PREFIX "gst-opencl/"

/* --- open events --------------------------------------------------------- */

typedef struct {
  GQuark class;
  gboolean is_open;
  gboolean is_new; /* began since the frame before */
} OpenEvent;

GArray *
gst_cl_open_events_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (OpenEvent));
}

void
gst_cl_open_events_add (GArray *events, const GstStructure *message)
{
  g_autoptr (GString) class = g_string_new (PREFIX "events/");
  OpenEvent event = { .is_new = TRUE };
  guint64 duration = 0;
  guint zone;

  g_string_append (class, gst_structure_get_string (message, "event"));
  if (gst_structure_get_uint (message, "zone", &zone))
    g_string_append_printf (class, "/zone/%u", zone);
  event.class = g_quark_from_string (class->str);
  if (g_str_equal (gst_structure_get_string (message, "state"), "start")) {
    /* an event without a duration has no end */
    gst_structure_get_uint64 (message, "duration", &duration);
    event.is_open = duration > 0;
    g_array_append_val (events, event);
    return;
  }

  for (guint i = 0; i < events->len; i++) {
    OpenEvent *open = &g_array_index (events, OpenEvent, i);

    if (open->class == event.class)
      open->is_open = FALSE;
  }
}

GArray *
gst_cl_open_events_next (GArray *events)
{
  GArray *classes = NULL;
  guint i = 0;

  while (i < events->len) {
    OpenEvent *event = &g_array_index (events, OpenEvent, i);

    if (event->is_open || event->is_new) {
      if (!classes)
        classes = g_array_new (FALSE, FALSE, sizeof (GQuark));
      g_array_append_val (classes, event->class);
    }
    event->is_new = FALSE;
    if (event->is_open)
      i++;
    else
      g_array_remove_index (events, i);
  }

  return classes;
}

/* --- metas --------------------------------------------------------------- */

gboolean
gst_cl_analytics_check (GError **error)
{
#ifdef HAVE_ANALYTICS
  return TRUE;
#else
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      "analytics-meta=true: the plugin is built without GStreamer's analytics "
      "library, which GStreamer has from 1.24 on.");

  return FALSE;
#endif
}

#ifdef HAVE_ANALYTICS
static void
add_classes (GstBuffer *buffer, const GArray *classes)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  g_autofree gfloat *levels = g_new (gfloat, classes->len);
  GstAnalyticsClsMtd mtd;

  if (!meta)
    meta = gst_buffer_add_analytics_relation_meta (buffer);
  for (guint i = 0; i < classes->len; i++)
    levels[i] = 1.0f;
  gst_analytics_relation_meta_add_cls_mtd (meta, classes->len, levels,
      (GQuark *) (gpointer) classes->data, &mtd);
}
#endif

void
gst_cl_analytics_add (GstBuffer *buffer, const GstClAnalyticsFrame *frame)
{
#ifdef HAVE_ANALYTICS
  if (frame->classes)
    add_classes (buffer, frame->classes);
#endif
}
