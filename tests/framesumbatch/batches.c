/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Batches of streams. */

#include "batches.h"

#include "elements/common.h"
#include "elements/frames.h"

#include <gst/analytics/gstanalyticsbatchmeta.h>

#define FRAME_NS (GST_SECOND / 25)

static void
keep_sticky (BatchedStream *self, GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      gst_event_replace (&self->sticky[STICKY_START], event);
      gst_event_replace (&self->sticky[STICKY_EOS], NULL);
      break;
    case GST_EVENT_CAPS:
      gst_event_replace (&self->sticky[STICKY_CAPS], event);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_replace (&self->sticky[STICKY_SEGMENT], event);
      break;
    case GST_EVENT_EOS:
      gst_event_replace (&self->sticky[STICKY_EOS], event);
      break;
    default:
      break;
  }
}

static void
begin (BatchedStream *self, GstEvent *event)
{
  keep_sticky (self, event);
  g_ptr_array_add (self->history, event);
}

void
batched_stream_init_other (BatchedStream *self, const gchar *id,
    const gchar *caps)
{
  g_autoptr (GstCaps) parsed = caps ? gst_caps_from_string (caps) : NULL;
  GstSegment segment;

  *self = (BatchedStream){ .n_frames = 0 };
  self->next = g_ptr_array_new ();
  self->history = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_mini_object_unref);
  begin (self, gst_event_new_stream_start (id));
  if (parsed)
    begin (self, gst_event_new_caps (parsed));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  begin (self, gst_event_new_segment (&segment));
}

static gchar *
set_info (BatchedStream *self, GstVideoFormat format, gint width, gint height)
{
  g_autoptr (GstCaps) caps = NULL;

  gst_video_info_set_format (&self->info, format, width, height);
  self->info.fps_n = 25;
  self->info.fps_d = 1;
  caps = gst_video_info_to_caps (&self->info);

  return gst_caps_to_string (caps);
}

void
batched_stream_init (BatchedStream *self, const gchar *id,
    GstVideoFormat format, gint width, gint height)
{
  g_autofree gchar *caps = set_info (self, format, width, height);
  const GstVideoInfo info = self->info;

  batched_stream_init_other (self, id, caps);
  self->info = info;
}

void
batched_stream_clear (BatchedStream *self)
{
  for (guint i = 0; i < N_STICKY; i++)
    gst_clear_event (&self->sticky[i]);
  g_ptr_array_unref (self->next);
  g_ptr_array_unref (self->history);
}

void
batched_stream_add (BatchedStream *self, gpointer object)
{
  g_ptr_array_add (self->next, object);
  g_ptr_array_add (self->history, gst_mini_object_ref (object));
}

static GstBuffer *
make_frame (BatchedStream *self)
{
  GstBuffer *frame = frame_new (&self->info,
      self->n_frames * 1000 + self->info.width);

  GST_BUFFER_PTS (frame) = self->n_frames++ * FRAME_NS;
  GST_BUFFER_DURATION (frame) = FRAME_NS;

  return frame;
}

void
batched_stream_add_frames (BatchedStream *self, guint n)
{
  for (guint i = 0; i < n; i++)
    batched_stream_add (self, make_frame (self));
}

void
batched_stream_add_list (BatchedStream *self, guint n)
{
  GstBufferList *list = gst_buffer_list_new ();

  for (guint i = 0; i < n; i++)
    gst_buffer_list_add (list, make_frame (self));
  batched_stream_add (self, list);
}

void
batched_stream_add_format (BatchedStream *self, GstVideoFormat format,
    gint width, gint height)
{
  g_autofree gchar *text = set_info (self, format, width, height);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  batched_stream_add (self, gst_event_new_caps (caps));
}

static void
fill (GstAnalyticsBatchStream *part, BatchedStream *stream)
{
  part->sticky_events = g_new0 (GstEvent *, N_STICKY);
  for (guint i = 0; i < N_STICKY; i++) {
    if (stream->sticky[i])
      part->sticky_events[part->n_sticky_events++] = gst_event_ref (
          stream->sticky[i]);
  }
  part->n_objects = stream->next->len;
  part->objects = g_new0 (GstMiniObject *, part->n_objects);
  for (gsize i = 0; i < part->n_objects; i++) {
    part->objects[i] = g_ptr_array_index (stream->next, i);
    if (GST_IS_EVENT (part->objects[i]))
      keep_sticky (stream, GST_EVENT_CAST (part->objects[i]));
  }
  g_ptr_array_set_size (stream->next, 0);
}

GstBuffer *
batch_new (BatchedStream *streams, guint n_streams)
{
  GstBuffer *batch = gst_buffer_new ();
  GstAnalyticsBatchMeta *meta = gst_buffer_add_analytics_batch_meta (batch);

  meta->streams = g_new0 (GstAnalyticsBatchStream, n_streams);
  meta->n_streams = n_streams;
  for (guint i = 0; i < n_streams; i++) {
    meta->streams[i].index = i;
    fill (&meta->streams[i], &streams[i]);
  }

  return batch;
}

GstCaps *
batch_caps (BatchedStream *streams, guint n_streams)
{
  GstCaps *caps = gst_caps_new_empty_simple ("multistream/x-analytics-batch");
  GValue array = G_VALUE_INIT;

  gst_caps_set_features (caps, 0,
      gst_caps_features_new (GST_CAPS_FEATURE_META_GST_ANALYTICS_BATCH_META,
          NULL));
  gst_value_array_init (&array, n_streams);
  for (guint i = 0; i < n_streams; i++) {
    GstCaps *stream = NULL;
    GValue value = G_VALUE_INIT;

    if (streams[i].sticky[STICKY_CAPS])
      gst_event_parse_caps (streams[i].sticky[STICKY_CAPS], &stream);
    g_value_init (&value, GST_TYPE_CAPS);
    gst_value_set_caps (&value, stream);
    gst_value_array_append_and_take_value (&array, &value);
  }
  gst_structure_take_value (gst_caps_get_structure (caps, 0), "streams",
      &array);

  return caps;
}

void
batch_set_caps (GstHarness *h, BatchedStream *streams, guint n_streams)
{
  gst_harness_set_src_caps (h, batch_caps (streams, n_streams));
}

GstMiniObject *
batch_object (GstBuffer *batch, guint stream, guint i)
{
  return gst_buffer_get_analytics_batch_meta (batch)
      ->streams[stream]
      .objects[i];
}

guint
batch_count (GstBuffer *batch, guint stream)
{
  return gst_buffer_get_analytics_batch_meta (batch)->streams[stream].n_objects;
}

guint
batch_count_results (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = pop_element_message (bus, "clframesum")); n++)
    gst_message_unref (message);

  return n;
}
