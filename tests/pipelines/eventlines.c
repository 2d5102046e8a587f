/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the events of a raw planar clip, one event a line. Computes the
 * statistics sample by sample:
 *
 *   eventlines FILE DEPTH RANGE FPS-N FPS-D SETTINGS WIDTHxHEIGHT ...
 *
 * RANGE: full or limited. SETTINGS: property=value,... or an empty argument.
 * WIDTHxHEIGHT: the size of each plane, luma first. Samples of more than 8 bits
 * are little-endian words of 16 bits. A line is: event state seconds value */

#include <stdlib.h>
#include <string.h>

#include "statistics/series/gstclevents.h"
#include "statistics/series/gstcleventsettings.h"

#define MAX_PLANES GST_CL_SERIES_MAX_COMPONENTS

typedef struct {
  guint depth, n_planes;
  guint width[MAX_PLANES], height[MAX_PLANES];
  gsize frame_samples;
} Layout;

/* --- statistics ----------------------------------------------------------- */

static guint64
difference (const guint16 *a, const guint16 *b, gsize n)
{
  guint64 sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += ABS ((gint) a[i] - (gint) b[i]);

  return sum;
}

static void
measure_sharpness (const Layout *layout, const guint16 *luma,
    GstClSeriesFrame *series_frame)
{
  const gint width = layout->width[0], height = layout->height[0];

  for (gint y = 0; y < height; y++) {
    for (gint x = 0; x < width; x++) {
      const guint16 *sample = luma + (gsize) y * width + x;
      const gint dx = x + 1 < width ? sample[1] - sample[0] : 0;
      const gint dy = y + 1 < height ? sample[width] - sample[0] : 0;

      series_frame->gradient_sum += (guint64) ((gint64) dx * dx +
                                               (gint64) dy * dy);
      series_frame->moments[0].sum += *sample;
      series_frame->moments[0].sum_squares += (guint64) *sample * *sample;
    }
  }
  series_frame->gradient_count = (guint64) (width - 1) * height +
                                 (guint64) width * (height - 1);
}

/* @histograms: MAX_PLANES times 1 << depth counts. */
static void
measure (const Layout *layout, const guint16 *frame, const guint16 *previous,
    const guint16 *reference, guint32 *histograms, gdouble noise,
    GstClSeriesFrame *series_frame)
{
  const gsize n_luma = (gsize) layout->width[0] * layout->height[0];
  const guint16 *plane = frame;

  for (guint c = 0; c < layout->n_planes; c++) {
    const gsize n = (gsize) layout->width[c] * layout->height[c];
    guint32 *histogram = histograms + ((gsize) c << layout->depth);

    memset (histogram, 0, sizeof *histogram << layout->depth);
    for (gsize i = 0; i < n; i++)
      histogram[plane[i]]++;
    series_frame->histograms[c] = histogram;
    series_frame->moments[c].count = n;
    plane += n;
  }

  series_frame->previous_count = previous ? n_luma : 0;
  series_frame->previous_sad = previous ? difference (frame, previous, n_luma)
                                        : 0;
  series_frame->reference_count = reference ? layout->frame_samples : 0;
  series_frame->reference_sad = reference ? difference (frame, reference,
                                                layout->frame_samples)
                                          : 0;
  series_frame->reference_limit = gst_cl_freeze_limit (noise,
      layout->frame_samples, layout->depth);
  measure_sharpness (layout, frame, series_frame);
}

/* --- clip ----------------------------------------------------------------- */

static void
print_event (const GstClEvent *event, gpointer user_data)
{
  const GstClFrameTime *time = event->is_end ? &event->end : &event->start;

  g_print ("%s %s %.9f %.6f\n", event->name, event->is_end ? "end" : "start",
      time->timestamp / (gdouble) GST_SECOND, event->values[0].value);
}

/* Converts the bytes at @data to a frame of words. */
static void
read_frame (const Layout *layout, const guint8 *data, guint16 *frame)
{
  for (gsize i = 0; i < layout->frame_samples; i++)
    frame[i] = layout->depth > 8 ? data[2 * i] | data[2 * i + 1] << 8 : data[i];
}

static void
play (const Layout *layout, const guint8 *data, gsize size, gboolean is_full,
    gint fps_n, gint fps_d, const GstClEventSettings *settings)
{
  const gsize frame_bytes = layout->frame_samples << (layout->depth > 8);
  g_autofree guint16 *samples = g_new0 (guint16,
      (size / frame_bytes) * layout->frame_samples);
  g_autofree guint32 *histograms = g_new (guint32,
      (gsize) MAX_PLANES << layout->depth);
  g_autoptr (GstClEvents) events = gst_cl_events_new (print_event, NULL);
  const guint16 *previous = NULL, *reference = NULL;

  gst_cl_events_configure (events, ~0u, settings);
  for (guint64 i = 0; i < size / frame_bytes; i++) {
    guint16 *frame = samples + i * layout->frame_samples;
    GstClSeriesFrame series_frame = {
      .time = {
        .timestamp = gst_util_uint64_scale (i, GST_SECOND * fps_d, fps_n),
        .stream_time = GST_CLOCK_TIME_NONE,
        .running_time = GST_CLOCK_TIME_NONE,
        .duration = gst_util_uint64_scale (1, GST_SECOND * fps_d, fps_n),
        .frame = i,
      },
      .depth = layout->depth,
      .is_full_range = is_full,
      .n_components = layout->n_planes,
    };

    read_frame (layout, data + i * frame_bytes, frame);
    measure (layout, frame, previous, reference, histograms,
        settings->freeze_noise, &series_frame);
    gst_cl_events_receive (events, &series_frame.time, GST_CLOCK_TIME_NONE);
    gst_cl_events_measure (events, &series_frame);
    previous = frame;
    if (gst_cl_freeze_replaces (series_frame.reference_sad,
            series_frame.reference_count, series_frame.reference_limit))
      reference = frame;
  }
  gst_cl_events_finish (events);
}

/* --- command line --------------------------------------------------------- */

static void
read_settings (const gchar *text, GstClEventSettings *settings)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  gst_cl_event_settings_init (settings);
  for (guint i = 0; words[i]; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);
    gboolean found = FALSE;

    for (guint row = 0; row < GST_CL_EVENT_N_PROPERTIES; row++) {
      GParamSpec *pspec = g_param_spec_ref_sink (
          gst_cl_property_spec (gst_cl_event_property (row)));

      if (g_str_equal (pspec->name, pair[0])) {
        g_auto (GValue) value = G_VALUE_INIT;

        g_value_init (&value, pspec->value_type);
        found = gst_value_deserialize (&value, pair[1]);
        gst_cl_property_set (gst_cl_event_property (row), settings, &value);
      }
      g_param_spec_unref (pspec);
    }
    if (!found)
      g_error ("unknown setting '%s'", words[i]);
  }
}

int
main (int argc, char **argv)
{
  Layout layout = { 0 };
  GstClEventSettings settings;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *data = NULL;
  gsize size;

  gst_init (NULL, NULL);
  if (argc < 8 || argc > 7 + MAX_PLANES)
    g_error ("usage: see the head of eventlines.c");
  if (!g_file_get_contents (argv[1], &data, &size, &error))
    g_error ("%s", error->message);

  layout.depth = atoi (argv[2]);
  layout.n_planes = argc - 7;
  for (guint c = 0; c < layout.n_planes; c++) {
    gchar *end;

    layout.width[c] = strtoul (argv[7 + c], &end, 10);
    layout.height[c] = strtoul (end + 1, NULL, 10);
    layout.frame_samples += (gsize) layout.width[c] * layout.height[c];
  }
  read_settings (argv[6], &settings);
  play (&layout, (const guint8 *) data, size, g_str_equal (argv[3], "full"),
      atoi (argv[4]), atoi (argv[5]), &settings);

  return 0;
}
