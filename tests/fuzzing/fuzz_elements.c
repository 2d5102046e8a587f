/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: one element of the plugin, or two linked ones, between pads
 * whose actions are decisions of the input: caps, buffers, events, queries,
 * states, properties. */

#include "buffers.h"
#include "environment.h"
#include "properties.h"
#include "streamcaps.h"

#include <stdlib.h>

#include "cl/context/gstclcontext.h"
#include "cl/memory/gstclmemory.h"
#include "cl/video/gstclintegralinfo.h"

/* Limits of an input, so that each run is short. */
#define MAX_STEPS    24
#define MAX_SETTINGS 8

static const gchar *const chains[][2] = { { "clupload" }, { "cldownload" },
  { "clintegral" }, { "cllocalmean" }, { "clframesum" },
  { "clupload", "cldownload" }, { "clupload", "cllocalmean" },
  { "clintegral", "cllocalmean" }, { "clintegral", "cldownload" },
  { "cllocalmean", "clframesum" }, { "clframesum", "clintegral" },
  { "clframesum", "cldownload" }, { "clscope" }, { "clscope", "cldownload" } };

/* Caps that downstream accepts. */
static const gchar *const downstream_caps[] = { "ANY",
  "video/x-raw; " GST_CL_INTEGRAL_MEDIA_TYPE,
  "video/x-raw(" GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY
  "); " GST_CL_INTEGRAL_MEDIA_TYPE "(" GST_CAPS_FEATURE_MEMORY_OPENCL_MEMORY
  ")",
  "video/x-raw, width = [ 1, 16 ]", "audio/x-raw" };

typedef struct {
  FuzzBytes bytes;
  FuzzShape shape;

  GstElement *bin;
  GstElement *elements[2]; /* the second may be NULL; owned by the bin */
  GstBus *bus;

  GstPad *src, *sink; /* upstream of the elements, and downstream */
  GstCaps *allowed;   /* downstream */
  gboolean reads_video_meta;
  GstFlowReturn flow; /* what downstream returns */
  guint keeps;        /* buffers that downstream keeps for some time */
  GQueue kept;

  guint n_buffers;
} Stream;

/* --- downstream ---------------------------------------------------------- */

/* Reads the whole buffer. */
static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    const volatile guint8 *data = map.data;

    for (gsize i = 0; i < map.size; i++)
      (void) data[i];
    gst_buffer_unmap (buffer, &map);
  }

  g_queue_push_tail (&stream->kept, buffer);
  while (g_queue_get_length (&stream->kept) > stream->keeps)
    gst_buffer_unref (g_queue_pop_head (&stream->kept));

  return stream->flow;
}

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  Stream *stream = gst_pad_get_element_private (pad);
  GstCaps *filter, *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &filter);
      caps = filter ? gst_caps_intersect_full (filter, stream->allowed,
                          GST_CAPS_INTERSECT_FIRST)
                    : gst_caps_ref (stream->allowed);
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ALLOCATION:
      if (stream->reads_video_meta)
        gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

static gboolean
drop_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);

  return TRUE;
}

/* --- setting up ---------------------------------------------------------- */

static void
make_elements (Stream *self)
{
  const gchar *const
      *names = chains[fuzz_bytes_below (&self->bytes, G_N_ELEMENTS (chains))];
  GstContext *context = gst_context_new (GST_CL_CONTEXT_TYPE, FALSE);

  self->bin = gst_object_ref_sink (gst_bin_new (NULL));
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->bin, self->bus);
  gst_structure_set (gst_context_writable_structure (context), "context",
      GST_TYPE_CL_CONTEXT, self->shape.context, NULL);
  gst_element_set_context (self->bin, context);
  gst_context_unref (context);

  for (guint i = 0; i < 2 && names[i]; i++) {
    self->elements[i] = gst_element_factory_make (names[i], NULL);
    gst_bin_add (GST_BIN (self->bin), self->elements[i]);
  }
  if (self->elements[1])
    gst_element_link (self->elements[0], self->elements[1]);
}

static GstPad *
link_pad (Stream *self, const gchar *name, GstPadDirection direction,
    GstElement *element, const gchar *peer_name)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new (name, direction));
  GstPad *peer = gst_element_get_static_pad (element, peer_name);

  gst_pad_set_element_private (pad, self);
  if (direction == GST_PAD_SRC)
    gst_pad_link_full (pad, peer, GST_PAD_LINK_CHECK_NOTHING);
  else
    gst_pad_link_full (peer, pad, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref (peer);

  return pad;
}

static void
make_pads (Stream *self)
{
  GstElement *last = self->elements[1] ? self->elements[1] : self->elements[0];
  const guint8 mode = fuzz_bytes_u8 (&self->bytes);

  self->src = link_pad (self, "src", GST_PAD_SRC, self->elements[0], "sink");
  gst_pad_set_event_function (self->src, drop_event);
  self->sink = link_pad (self, "sink", GST_PAD_SINK, last, "src");
  gst_pad_set_chain_function (self->sink, chain);
  gst_pad_set_query_function (self->sink, answer_query);
  gst_pad_set_event_function (self->sink, drop_event);

  self->reads_video_meta = mode & 1;
  self->keeps = mode / 2 % 4;
  self->allowed = gst_caps_from_string (
      downstream_caps[mode < 128 ? 0 : mode % G_N_ELEMENTS (downstream_caps)]);
}

static GstElement *
pick_element (Stream *self)
{
  const guint i = self->elements[1] ? fuzz_bytes_below (&self->bytes, 2) : 0;

  return self->elements[i];
}

static void
set_properties (Stream *self)
{
  const guint8 variants = fuzz_bytes_u8 (&self->bytes);

  fuzz_properties_set_variant (self->elements[0], variants);
  if (self->elements[1])
    fuzz_properties_set_variant (self->elements[1], variants / FUZZ_N_VARIANTS);
  for (guint n = fuzz_bytes_below (&self->bytes, MAX_SETTINGS); n > 0; n--)
    fuzz_properties_set_one (pick_element (self), &self->bytes);
}

/* --- steps --------------------------------------------------------------- */

static void
push_event (Stream *self, GstEvent *event)
{
  gst_pad_push_event (self->src, event);
}

static void
push_caps (Stream *self)
{
  GstCaps *caps = fuzz_stream_caps_new (&self->bytes, &self->shape);

  push_event (self, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static void
push_segment (Stream *self)
{
  const guint8 mode = fuzz_bytes_u8 (&self->bytes);
  GstSegment segment;

  gst_segment_init (&segment, mode & 64 ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
  if (mode & 1)
    segment.start = fuzz_bytes_u32 (&self->bytes) * GST_MSECOND;
  if (mode & 2)
    segment.stop = segment.start + fuzz_bytes_u32 (&self->bytes) * GST_MSECOND;
  if ((mode & 6) == 6)
    segment.rate = -1; /* needs a stop */
  if (mode & 8)
    segment.applied_rate = 2;
  if (mode & 16)
    segment.base = fuzz_bytes_u64 (&self->bytes) / 2;
  segment.time = segment.start;
  push_event (self, gst_event_new_segment (&segment));
}

/* The first events of a source. */
static void
start_stream (Stream *self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  push_event (self, gst_event_new_stream_start ("fuzz"));
  push_caps (self);
  push_event (self, gst_event_new_segment (&segment));
}

static void
push_buffer (Stream *self)
{
  GstBuffer *buffer = fuzz_buffer_new (&self->bytes, &self->shape,
      self->n_buffers++);
  const gboolean is_kept = fuzz_bytes_chance (&self->bytes, 32);

  if (is_kept)
    gst_buffer_ref (buffer);
  gst_pad_push (self->src, buffer);
  if (is_kept)
    gst_buffer_unref (buffer);
}

static void
flush (Stream *self)
{
  push_event (self, gst_event_new_flush_start ());
  push_event (self,
      gst_event_new_flush_stop (fuzz_bytes_u8 (&self->bytes) & 1));
  push_segment (self);
}

static void
push_rare_event (Stream *self)
{
  GstClockTime start;

  switch (fuzz_bytes_below (&self->bytes, 6)) {
    case 0:
      push_event (self, gst_event_new_eos ());
      break;
    case 1:
      start = fuzz_bytes_u32 (&self->bytes) * GST_MSECOND;
      push_event (self,
          gst_event_new_gap (start, fuzz_bytes_u32 (&self->bytes)));
      break;
    case 2:
      push_event (self, gst_event_new_stream_start ("again"));
      break;
    case 3:
      push_event (self, gst_event_new_tag (gst_tag_list_new_empty ()));
      break;
    case 4:
      push_event (self, gst_event_new_segment_done (GST_FORMAT_TIME,
                            (gint64) fuzz_bytes_u64 (&self->bytes)));
      break;
    default:
      push_event (self, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                            gst_structure_new_empty ("fuzz")));
      break;
  }
}

static void
push_upstream_event (Stream *self)
{
  const guint32 number = fuzz_bytes_u32 (&self->bytes);

  switch (number % 4) {
    case 0:
      gst_pad_push_event (self->sink, gst_event_new_reconfigure ());
      break;
    case 1:
      gst_pad_push_event (self->sink, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW,
                                          number / 1000.0, number, number));
      break;
    case 2:
      gst_pad_push_event (self->sink, gst_event_new_latency (number));
      break;
    default:
      gst_pad_push_event (self->sink,
          gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, number, GST_SEEK_TYPE_NONE, -1));
      break;
  }
}

static void
ask (Stream *self)
{
  GstCaps *caps = NULL;
  GstQuery *query;

  switch (fuzz_bytes_below (&self->bytes, 5)) {
    case 0:
      query = gst_query_new_drain ();
      break;
    case 1:
      caps = fuzz_stream_caps_new (&self->bytes, &self->shape);
      query = gst_query_new_allocation (caps, fuzz_bytes_u8 (&self->bytes) & 1);
      break;
    case 2:
      caps = fuzz_stream_caps_new (&self->bytes, &self->shape);
      query = gst_query_new_caps (caps);
      break;
    case 3:
      caps = fuzz_stream_caps_new (&self->bytes, &self->shape);
      query = gst_query_new_accept_caps (caps);
      break;
    default:
      query = gst_query_new_latency ();
      break;
  }
  gst_pad_peer_query (self->src, query);
  gst_query_unref (query);
  g_clear_pointer (&caps, gst_caps_unref);
}

static void
set_state (Stream *self, GstState state)
{
  gst_element_set_state (self->bin, state);
  gst_pad_set_active (self->src, state >= GST_STATE_PAUSED);
}

static void
change_state (Stream *self)
{
  static const GstState states[] = { GST_STATE_PAUSED, GST_STATE_READY,
    GST_STATE_NULL };
  const guint i = fuzz_bytes_below (&self->bytes, G_N_ELEMENTS (states));

  set_state (self, states[i]);
  set_state (self, GST_STATE_PLAYING);
  if (states[i] != GST_STATE_PAUSED)
    start_stream (self);
}

static void
change_property (Stream *self)
{
  if (fuzz_bytes_chance (&self->bytes, 64))
    fuzz_properties_set_variant (pick_element (self),
        fuzz_bytes_u8 (&self->bytes));
  else
    fuzz_properties_set_one (pick_element (self), &self->bytes);
}

static void
do_step (Stream *self)
{
  const guint8 step = fuzz_bytes_u8 (&self->bytes);

  /* half of all are buffers */
  if (step < 128) {
    push_buffer (self);
    return;
  }

  switch (step % 10) {
    case 0:
      push_caps (self);
      break;
    case 1:
      push_segment (self);
      break;
    case 2:
      flush (self);
      break;
    case 3:
      push_rare_event (self);
      break;
    case 4:
      push_upstream_event (self);
      break;
    case 5:
      ask (self);
      break;
    case 6:
      change_state (self);
      break;
    case 7:
      fuzz_properties_get_all (pick_element (self));
      break;
    case 8:
      self->flow = step & 64 ? GST_FLOW_OK : GST_FLOW_FLUSHING;
      break;
    default:
      change_property (self);
      break;
  }
}

/* --- running ------------------------------------------------------------- */

static void
take_down (Stream *self)
{
  set_state (self, GST_STATE_NULL);
  gst_pad_set_active (self->sink, FALSE);
  g_queue_clear_full (&self->kept, (GDestroyNotify) gst_buffer_unref);
  gst_bus_set_flushing (self->bus, TRUE);

  gst_object_unref (self->src);
  gst_object_unref (self->sink);
  gst_object_unref (self->bin);
  gst_object_unref (self->bus);
  gst_caps_unref (self->allowed);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  fuzz_environment_init ();
  if (!fuzz_environment_context (FALSE)) {
    g_printerr ("there is no OpenCL device\n");
    exit (g_strcmp0 (g_getenv ("CL_REQUIRE_DEVICE"), "1") == 0 ? 1 : 77);
  }

  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  Stream stream = { .flow = GST_FLOW_OK, .kept = G_QUEUE_INIT };

  fuzz_bytes_init (&stream.bytes, data, size);
  stream.shape.context = fuzz_environment_context (
      fuzz_bytes_u8 (&stream.bytes) & 1);
  if (!stream.shape.context)
    return 0; /* it was lost, and there is no other device */

  make_elements (&stream);
  make_pads (&stream);
  set_properties (&stream);
  gst_pad_set_active (stream.sink, TRUE);
  set_state (&stream, GST_STATE_PLAYING);
  start_stream (&stream);
  for (guint i = 0; i < MAX_STEPS && !fuzz_bytes_are_used_up (&stream.bytes);
       i++)
    do_step (&stream);
  push_event (&stream, gst_event_new_eos ());
  take_down (&stream);

  return 0;
}
