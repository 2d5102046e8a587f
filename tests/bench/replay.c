/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source of prepared frames. */

#include "replay.h"

#include <gst/video/video.h>

#define N_BUFFERS 8 /* with different contents; then repeated */

typedef struct {
  guint n_frames, n_pushed;
  gboolean offered;
  GstVideoInfo info;
  GstBufferPool *pool;
  GstBuffer *buffers[N_BUFFERS];
} Replay;

/* Returns the pool that downstream offers for these caps, or NULL. */
static GstBufferPool *
take_offered_pool (GstElement *source, GstCaps *caps)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  GstStructure *config;
  guint size;

  if (gst_pad_peer_query (pad, query) &&
      gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, NULL, NULL);
  if (pool) {
    config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_set_params (config, caps, size, N_BUFFERS, 0);
    gst_buffer_pool_set_config (pool, config);
    gst_buffer_pool_set_active (pool, TRUE);
  }
  gst_query_unref (query);

  return pool;
}

static void
fill (GstBuffer *buffer, guint seed)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) ((i * 2654435761u + seed * 40503u) >> 13);
  gst_buffer_unmap (buffer, &map);
}

static void
make_buffers (Replay *self, GstElement *source)
{
  GstCaps *caps;

  g_object_get (source, "caps", &caps, NULL);
  gst_video_info_from_caps (&self->info, caps);
  if (self->offered)
    self->pool = take_offered_pool (source, caps);
  gst_caps_unref (caps);

  for (guint i = 0; i < N_BUFFERS; i++) {
    if (!self->pool || gst_buffer_pool_acquire_buffer (self->pool,
                           &self->buffers[i], NULL) != GST_FLOW_OK)
      self->buffers[i] = gst_buffer_new_allocate (NULL, self->info.size, NULL);
    fill (self->buffers[i], i);
  }
}

static void
need_data (GstElement *source, guint n_bytes, gpointer user_data)
{
  Replay *self = user_data;
  GstFlowReturn flow;
  GstBuffer *buffer;

  if (!self->buffers[0])
    make_buffers (self, source);
  if (self->n_pushed == self->n_frames) {
    g_signal_emit_by_name (source, "end-of-stream", &flow);
    return;
  }

  /* the same memory with new metadata, as from sources with few buffers */
  buffer = gst_buffer_copy (self->buffers[self->n_pushed % N_BUFFERS]);
  GST_BUFFER_PTS (buffer) = self->n_pushed * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = GST_MSECOND;
  self->n_pushed++;
  g_signal_emit_by_name (source, "push-buffer", buffer, &flow);
  gst_buffer_unref (buffer);
}

static void
free_replay (gpointer data, GClosure *closure)
{
  Replay *self = data;

  for (guint i = 0; i < N_BUFFERS; i++)
    gst_clear_buffer (&self->buffers[i]);
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
  g_free (self);
}

static void
attach (GstElement *source, guint n_frames, gboolean offered)
{
  Replay *self = g_new0 (Replay, 1);

  self->n_frames = n_frames;
  self->offered = offered;
  gst_util_set_object_arg (G_OBJECT (source), "format", "time");
  g_signal_connect_data (source, "need-data", G_CALLBACK (need_data), self,
      free_replay, 0);
}

void
replay_attach (GstElement *pipeline, guint n_frames, gboolean offered)
{
  GstIterator *sources = gst_bin_iterate_sources (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;

  while (gst_iterator_next (sources, &item) == GST_ITERATOR_OK) {
    GstElement *source = g_value_get_object (&item);

    if (g_str_has_prefix (GST_OBJECT_NAME (source), "replay"))
      attach (source, n_frames, offered);
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (sources);
}
