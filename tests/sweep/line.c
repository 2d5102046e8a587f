/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements between two pads. */

#include "line.h"

#include "elements/dmabuf.h"

#define FRAME_DURATION (GST_SECOND / 25)

struct _Line {
  const LineKind *kind;
  GstElement *element;
  GstBus *bus;
  GstPad *source, *sink;
  GstVideoInfo info;
  guint n_pushed;
  GPtrArray *errors; /* GstMessage */

  GMutex lock; /* all below */
  GString *results;
  guint n_unreadable;
};

/* --- the sink pad, which records its input -------------------------------- */

/* Returns a deep copy, as an application makes it; an empty buffer if the CPU
 * cannot read the frame. transfer full */
static GstBuffer *
copy (GstBuffer *buffer)
{
  GstBuffer *copied = gst_buffer_copy_deep (buffer);

  return copied ? copied : gst_buffer_new ();
}

/* Returns the checksum of the visible samples, without padding; g_free(). NULL:
 * the CPU cannot read the buffer. @input: the format of the input, which a
 * buffer with caps of DMA_DRM has. */
static gchar *
checksum (GstBuffer *buffer, GstCaps *caps, const GstVideoInfo *input)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);
  GstVideoInfo info = *input;
  GstVideoFrame frame;
  GstMapInfo map;

  /* for GstVideoInfo an integral image is encoded video, not a frame */
  if (!gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "video/x-raw") ||
      (!gst_structure_has_field (gst_caps_get_structure (caps, 0),
           "drm-format") &&
          !gst_video_info_from_caps (&info, caps))) {
    if (gst_buffer_get_size (buffer) == 0 ||
        !gst_buffer_map (buffer, &map, GST_MAP_READ))
      return NULL;
    g_checksum_update (sum, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    return g_strdup (g_checksum_get_string (sum));
  }

  if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ))
    return NULL;
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++) {
    const guint8 *data = GST_VIDEO_FRAME_COMP_DATA (&frame, c);

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, c); y++)
      g_checksum_update (sum,
          data + y * GST_VIDEO_FRAME_COMP_STRIDE (&frame, c),
          GST_VIDEO_FRAME_COMP_WIDTH (&frame, c));
  }
  gst_video_frame_unmap (&frame);

  return g_strdup (g_checksum_get_string (sum));
}

static GstFlowReturn
keep (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Line *self = gst_pad_get_element_private (pad);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autofree gchar *sum = NULL;

  if (self->kind->out_in_device) {
    GstBuffer *copied = copy (buffer);

    gst_buffer_unref (buffer);
    buffer = copied;
  }
  sum = checksum (buffer, caps, &self->info);

  g_mutex_lock (&self->lock);
  if (sum)
    g_string_append_printf (self->results, "%" GST_TIME_FORMAT " %s\n",
        GST_TIME_ARGS (GST_BUFFER_PTS (buffer)), sum);
  else
    self->n_unreadable++;
  g_mutex_unlock (&self->lock);
  gst_buffer_unref (buffer);

  return GST_FLOW_OK;
}

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  Line *self = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return gst_pad_query_default (pad, parent, query);

  if (!self->kind->lacks_video_meta)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  return TRUE;
}

/* --- the source pad ------------------------------------------------------- */

static void
push_segment (Line *self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->source, gst_event_new_segment (&segment));
}

void
line_flush (Line *self)
{
  gst_pad_push_event (self->source, gst_event_new_flush_start ());
  gst_pad_push_event (self->source, gst_event_new_flush_stop (TRUE));
  push_segment (self);
}

static gboolean
seek (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Line *self = gst_pad_get_element_private (pad);
  const gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;

  if (is_seek)
    line_flush (self);
  gst_event_unref (event);

  return is_seek;
}

/* --- life cycle ----------------------------------------------------------- */

static GstPad *
new_pad (Line *self, const gchar *name, GstPadDirection direction,
    const gchar *caps)
{
  g_autoptr (GstCaps) taken = gst_caps_from_string (caps);
  GstPadTemplate *template = gst_pad_template_new (name, direction,
      GST_PAD_ALWAYS, taken);
  GstPad *pad = gst_object_ref_sink (
      gst_pad_new_from_template (template, name));

  gst_object_unref (template);
  gst_pad_set_element_private (pad, self);

  return pad;
}

static void
link_pads (Line *self)
{
  g_autoptr (GstPad) in = gst_element_get_static_pad (self->element, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (self->element, "src");

  if (gst_pad_link (self->source, in) != GST_PAD_LINK_OK ||
      gst_pad_link (out, self->sink) != GST_PAD_LINK_OK)
    g_error ("cannot link %s", self->kind->description);
  gst_pad_set_active (self->source, TRUE);
  gst_pad_set_active (self->sink, TRUE);
}

Line *
line_new (const LineKind *kind)
{
  Line *self = g_new0 (Line, 1);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *sink_caps = NULL;

  self->kind = kind;
  self->element = gst_parse_bin_from_description (kind->description, TRUE,
      &error);
  if (error)
    g_error ("cannot create %s: %s", kind->description, error->message);
  gst_object_ref_sink (self->element);
  self->bus = gst_bus_new ();
  gst_element_set_bus (self->element, self->bus);
  self->errors = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_message_unref);
  self->results = g_string_new (NULL);
  g_mutex_init (&self->lock);

  self->source = new_pad (self, "source", GST_PAD_SRC, "ANY");
  gst_pad_set_event_function (self->source, seek);
  sink_caps = kind->out_in_device
                  ? g_strdup ("video/x-raw(memory:OpenCLMemory);"
                              "video/x-integral-image(memory:OpenCLMemory)")
                  : g_strdup_printf ("video/x-raw; video/x-integral-image; "
                                     "video/x-raw(%s)",
                        kind->caps_feature ? kind->caps_feature
                                           : "memory:SystemMemory");
  self->sink = new_pad (self, "sink", GST_PAD_SINK, sink_caps);
  gst_pad_set_chain_function (self->sink, keep);
  gst_pad_set_query_function (self->sink, answer_query);
  link_pads (self);

  return self;
}

GstElement *
line_element (Line *self)
{
  return self->element;
}

gboolean
line_open (Line *self)
{
  if (gst_element_set_state (self->element, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE)
    return FALSE;

  gst_pad_push_event (self->source, gst_event_new_stream_start ("line"));

  return TRUE;
}

gboolean
line_stop (Line *self)
{
  return gst_element_set_state (self->element, GST_STATE_NULL) ==
         GST_STATE_CHANGE_SUCCESS;
}

void
line_free (Line *self)
{
  gst_pad_set_active (self->source, FALSE);
  gst_pad_set_active (self->sink, FALSE);
  gst_object_unref (self->source);
  gst_object_unref (self->sink);
  gst_bus_set_flushing (self->bus, TRUE);
  g_ptr_array_unref (self->errors);
  gst_object_unref (self->element);
  gst_object_unref (self->bus);
  g_string_free (self->results, TRUE);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- the stream ---------------------------------------------------------- */

void
line_set_size (Line *self, gint width, gint height)
{
  const gboolean is_first = self->info.width == 0;
  g_autoptr (GstCaps) caps = NULL;

  gst_video_info_set_interlaced_format (&self->info,
      self->kind->format == GST_VIDEO_FORMAT_UNKNOWN ? GST_VIDEO_FORMAT_I420
                                                     : self->kind->format,
      self->kind->is_interlaced ? GST_VIDEO_INTERLACE_MODE_INTERLEAVED
                                : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE,
      width, height);
  self->info.fps_n = 25;
  self->info.fps_d = 1;
  caps = gst_video_info_to_caps (&self->info);
  if (self->kind->drm_format)
    gst_caps_set_simple (caps, "format", G_TYPE_STRING, "DMA_DRM", "drm-format",
        G_TYPE_STRING, self->kind->drm_format, NULL);
  if (self->kind->caps_feature)
    gst_caps_set_features_simple (caps,
        gst_caps_features_new (self->kind->caps_feature, NULL));
  gst_pad_push_event (self->source, gst_event_new_caps (caps));
  if (is_first)
    push_segment (self);
}

GstFlowReturn
line_push (Line *self, FrameLayout layout)
{
  GstBuffer *frame = frame_new (&self->info, ++self->n_pushed);
  GstBuffer *buffer = frame_copy_to_layout (frame, &self->info, layout);

  if (self->kind->in_dma_buf) {
    GstBuffer *copied = dma_buf_copy (buffer);

    gst_buffer_unref (buffer);
    buffer = copied;
  }
  gst_buffer_unref (frame);
  GST_BUFFER_PTS (buffer) = self->n_pushed * FRAME_DURATION;
  GST_BUFFER_DURATION (buffer) = FRAME_DURATION;

  return gst_pad_push (self->source, buffer);
}

void
line_drain (Line *self)
{
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (self->source, query);
  gst_query_unref (query);
}

gboolean
line_seek (Line *self)
{
  return gst_pad_push_event (self->sink,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
}

void
line_push_eos (Line *self)
{
  gst_pad_push_event (self->source, gst_event_new_eos ());
}

/* --- output --------------------------------------------------------------- */

gchar *
line_take_results (Line *self)
{
  GString *results;
  GstMessage *message;

  g_mutex_lock (&self->lock);
  results = self->results;
  self->results = g_string_new (NULL);
  g_mutex_unlock (&self->lock);

  while ((message = gst_bus_pop (self->bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
      g_autoptr (GstStructure)
          structure = gst_structure_copy (gst_message_get_structure (message));
      g_autofree gchar *text = NULL;

      gst_structure_remove_field (structure, "element"); /* of any name */
      text = gst_structure_to_string (structure);
      g_string_append_printf (results, "%s\n", text);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      g_ptr_array_add (self->errors, gst_message_ref (message));
    }
    gst_message_unref (message);
  }

  return g_string_free (results, FALSE);
}

guint
line_n_unreadable (Line *self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->n_unreadable;
  g_mutex_unlock (&self->lock);

  return n;
}

const GPtrArray *
line_errors (Line *self)
{
  return self->errors;
}
