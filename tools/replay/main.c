/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clqc-replay: from the lines of frames that clframesum has written to its
 * events and pooled results. */

#define _POSIX_C_SOURCE 200809L /* getline() */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "frameline.h"
#include "settings.h"
#include "output/gstclline.h"
#include "output/gstclrecord.h"
#include "statistics/series/gstcleventsettings.h"

#define WRITE_FAILED 1
#define INPUT_WRONG  2

typedef struct {
  const Settings *settings;
  GstClSeries *series;
  FrameLine *line;
  GString *text;       /* of a result */
  gboolean has_result; /* one was written */

  gboolean has_frame;       /* there was one */
  guint64 number;           /* of the last one */
  GstClSeriesFrame checked; /* whose limit is right; depth 0: none */
} Replay;

static void
write_result (GstClSeriesResult kind, GstStructure *structure,
    gpointer user_data)
{
  Replay *self = user_data;
  const gchar *type = gst_cl_record_kind_name (
      kind == GST_CL_SERIES_EVENT ? GST_CL_RECORD_EVENT : GST_CL_RECORD_POOLED);

  g_string_truncate (self->text, 0);
  gst_cl_json_append_line (self->text, type, !self->has_result, structure,
      FALSE);
  self->has_result = TRUE;
  fwrite (self->text->str, 1, self->text->len, stdout);
  gst_structure_free (structure);
}

/* A frame 0 that is not the first follows a flushing seek. */
static gboolean
take_number (Replay *self, guint64 number, GError **error)
{
  if (self->has_frame && number == 0) {
    gst_cl_series_reset (self->series);
  } else if (self->has_frame && number <= self->number) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "the field 'frame' is %" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT,
        number, self->number);
    return FALSE;
  }
  self->has_frame = TRUE;
  self->number = number;

  return TRUE;
}

/* A limit for another noise cannot be made up for: it has decided which frame
 * the next ones were compared with. */
static gboolean
check_limit (Replay *self, const GstClSeriesInput *input, GError **error)
{
  const GstClSeriesFrame *frame = &input->frame;
  const gdouble noise = self->settings->events.freeze_noise;

  if (!self->settings->checks_noise || !input->has_brightness ||
      frame->reference_count == 0 ||
      (frame->reference_limit == self->checked.reference_limit &&
          frame->reference_count == self->checked.reference_count &&
          frame->depth == self->checked.depth))
    return TRUE;

  if (frame->reference_limit !=
      gst_cl_freeze_limit (noise, frame->reference_count, frame->depth)) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "the field 'reference-limit' is %" G_GUINT64_FORMAT
        ": the frames were not measured with this freeze-noise",
        frame->reference_limit);
    return FALSE;
  }
  self->checked = *frame;

  return TRUE;
}

static gboolean
take_line (Replay *self, const gchar *line, GError **error)
{
  const FrameLineResult result = frame_line_read (self->line, line, error);
  const GstClSeriesInput *input = frame_line_input (self->line);

  if (result == FRAME_LINE_WRONG)
    return FALSE;
  if (result == FRAME_LINE_OTHER)
    return TRUE;

  if (!take_number (self, input->frame.time.frame, error))
    return FALSE;
  if (result == FRAME_LINE_UNMEASURED)
    return TRUE;
  if (!check_limit (self, input, error))
    return FALSE;
  gst_cl_series_add (self->series, input);

  return TRUE;
}

/* Returns the exit status. */
static gint
take_lines (Replay *self)
{
  g_autoptr (GError) error = NULL;
  gchar *line = NULL;
  gsize n_bytes = 0;
  guint64 n = 0;

  while (!error && getline (&line, &n_bytes, stdin) >= 0) {
    n++;
    take_line (self, line, &error);
  }
  free (line);
  if (error) {
    fprintf (stderr, "clqc-replay: line %" G_GUINT64_FORMAT ": %s\n", n,
        error->message);
    return INPUT_WRONG;
  }
  if (ferror (stdin)) {
    fprintf (stderr, "clqc-replay: after line %" G_GUINT64_FORMAT ": %s\n", n,
        g_strerror (errno));
    return INPUT_WRONG;
  }
  gst_cl_series_finish (self->series, self->settings->is_complete);

  return EXIT_SUCCESS;
}

static gint
replay (const Settings *settings)
{
  g_autoptr (FrameLine)
      line = frame_line_new (gst_cl_events_needs (settings->types),
          gst_cl_events_needs (settings->zone_types));
  g_autoptr (GString) text = g_string_new (NULL);
  Replay self = { .settings = settings, .line = line, .text = text };
  g_autoptr (GstClSeries) series = gst_cl_series_new (write_result, &self);

  self.series = series;
  gst_cl_series_configure (series, settings->types, settings->zone_types,
      &settings->events);

  return take_lines (&self);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Settings settings;
  gint status;

  /* types of values alone: no plugin is looked for */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init (NULL, NULL);
  if (!settings_parse (&settings, &argc, &argv, &error)) {
    fprintf (stderr, "clqc-replay: %s\n", error->message);
    return INPUT_WRONG;
  }
  if (settings.shows_version) {
    printf ("clqc-replay " PACKAGE_VERSION ", schema %d\n", GST_CL_JSON_SCHEMA);
    return EXIT_SUCCESS;
  }

  status = replay (&settings);
  if (fflush (stdout) != 0 || ferror (stdout)) {
    fprintf (stderr, "clqc-replay: cannot write: %s\n", g_strerror (errno));
    return WRITE_FAILED;
  }

  return status;
}
