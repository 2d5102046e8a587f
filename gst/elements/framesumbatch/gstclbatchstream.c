/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream of batches. */

#include "gstclbatchstream.h"

#include "common/gstcldebug.h"
#include "elements/framesum/gstclframesumsettings.h"

GST_CL_DEBUG_CATEGORY (gst_cl_batch_stream_debug, "clbatchstream",
    "One stream of batches");
#define GST_CAT_DEFAULT gst_cl_batch_stream_debug ()

/* An object that was removed from a part and will be put back. */
typedef struct {
  gsize place;    /* among the objects of the part */
  guint n_frames; /* of a list; else 1 */
  gboolean is_list;
} Taken;

struct _GstClBatchStream {
  guint index;
  GstElement *element;   /* atomic; NULL: no frame to measure so far */
  GstPad *source, *sink; /* linked to the element; created before the element */

  GstEvent *caps;    /* the last CAPS event; NULL: none */
  GstEvent *segment; /* to be pushed after the element's first CAPS, or NULL */
  gboolean is_measured;
  gint depth;                        /* async-depth of the element, or 0 */
  guint n_flushes, n_flushes_before; /* flushes so far; when the part arrived */
  GArray *taken;                     /* Taken, in their order */
  GQueue *frames;                    /* output frames of the element */

  GMutex lock; /* below */
  gchar *id;   /* stream id of the next results, or NULL */
};

/* --- output of the element ----------------------------------------------- */

static GstFlowReturn
take_frame (GstPad *pad, GstObject *parent, GstBuffer *frame)
{
  GstClBatchStream *self = gst_pad_get_element_private (pad);

  g_queue_push_tail (self->frames, frame);

  return GST_FLOW_OK;
}

/* Drops events: they reach downstream in their batch. */
static gboolean
drop_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);

  return TRUE;
}

/* Frames leave with the caps and memory of the input, which are those that the
 * batch names. */
static gboolean
handle_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstClBatchStream *self = gst_pad_get_element_private (pad);
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);

  caps = gst_pad_get_current_caps (self->source);
  gst_query_parse_caps (query, &filter);
  if (!caps)
    caps = filter ? gst_caps_ref (filter) : gst_caps_new_any ();
  else if (filter)
    gst_caps_take (&caps, gst_caps_intersect (filter, caps));
  gst_query_set_caps_result (query, caps);

  return TRUE;
}

/* --- life ---------------------------------------------------------------- */

GstClBatchStream *
gst_cl_batch_stream_new (guint index)
{
  GstClBatchStream *self = g_atomic_rc_box_new0 (GstClBatchStream);

  self->index = index;
  self->taken = g_array_new (FALSE, FALSE, sizeof (Taken));
  self->frames = g_queue_new ();
  g_mutex_init (&self->lock);

  return self;
}

static void
clear (gpointer data)
{
  GstClBatchStream *self = data;

  if (self->element) {
    gst_pad_set_active (self->source, FALSE);
    gst_pad_set_active (self->sink, FALSE);
    gst_object_unref (self->source);
    gst_object_unref (self->sink);
    gst_object_unref (self->element);
  }
  gst_clear_event (&self->caps);
  gst_clear_event (&self->segment);
  g_array_unref (self->taken);
  g_queue_free_full (self->frames, (GDestroyNotify) gst_buffer_unref);
  g_mutex_clear (&self->lock);
  g_free (self->id);
}

GstClBatchStream *
gst_cl_batch_stream_ref (GstClBatchStream *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
gst_cl_batch_stream_unref (GstClBatchStream *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/* Links pads without a parent, which GStreamer's link checks reject. */
static void
link_pads (GstPad *source, GstPad *sink)
{
  const GstPadLinkReturn linked = gst_pad_link_full (source, sink,
      GST_PAD_LINK_CHECK_NOTHING);

  g_return_if_fail (linked == GST_PAD_LINK_OK);
}

void
gst_cl_batch_stream_set_element (GstClBatchStream *self, GstElement *element)
{
  g_autoptr (GstPad) into = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) out_of = gst_element_get_static_pad (element, "src");

  gst_clear_event (&self->caps); /* frames were measured without an element */
  self->source = gst_object_ref_sink (gst_pad_new ("source", GST_PAD_SRC));
  self->sink = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_element_private (self->sink, self);
  gst_pad_set_chain_function (self->sink, take_frame);
  gst_pad_set_event_function (self->sink, drop_event);
  gst_pad_set_query_function (self->sink, handle_query);
  gst_pad_set_active (self->source, TRUE);
  gst_pad_set_active (self->sink, TRUE);
  link_pads (self->source, into);
  link_pads (out_of, self->sink);
  g_atomic_pointer_set (&self->element, gst_object_ref (element));
}

GstElement *
gst_cl_batch_stream_element (GstClBatchStream *self)
{
  return g_atomic_pointer_get (&self->element);
}

/* --- caps ---------------------------------------------------------------- */

static gboolean
can_measure (GstEvent *event)
{
  GstElementFactory *factory = gst_element_factory_find ("clframesum");
  gboolean can = FALSE;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (factory)
    can = gst_element_factory_can_sink_all_caps (factory, caps);
  gst_clear_object (&factory);

  return can;
}

gboolean
gst_cl_batch_stream_has_frames (const GstAnalyticsBatchStream *part)
{
  for (gsize i = 0; i < part->n_sticky_events; i++) {
    GstEvent *event = part->sticky_events[i];

    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && can_measure (event))
      return TRUE;
  }
  for (gsize i = 0; i < part->n_objects; i++) {
    GstEvent *event = GST_EVENT_CAST (part->objects[i]);

    if (GST_IS_EVENT (event) && GST_EVENT_TYPE (event) == GST_EVENT_CAPS &&
        can_measure (event))
      return TRUE;
  }

  return FALSE;
}

/* Sets is_measured for the frames after @event. */
static void
update_is_measured (GstClBatchStream *self, GstEvent *event)
{
  GstCaps *caps;

  if (event == self->caps)
    return;

  gst_event_replace (&self->caps, event);
  self->is_measured = self->element && can_measure (event);
  gst_event_parse_caps (event, &caps);
  if (self->is_measured)
    return;
  if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw"))
    GST_WARNING ("stream %u passes unmeasured: %" GST_PTR_FORMAT, self->index,
        caps);
  else
    GST_INFO ("stream %u passes unmeasured: %" GST_PTR_FORMAT, self->index,
        caps);
}

/* --- input of the element ------------------------------------------------ */

/* Sets the stream id of the next results to that of @event. */
static void
set_id (GstClBatchStream *self, GstEvent *event)
{
  const gchar *id;

  gst_event_parse_stream_start (event, &id);
  g_mutex_lock (&self->lock);
  g_free (self->id);
  self->id = g_strdup (id);
  g_mutex_unlock (&self->lock);
}

void
gst_cl_batch_stream_drain (GstClBatchStream *self)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  if (self->element)
    gst_pad_peer_query (self->source, query);
}

/* Pushes EOS. A handler of the pooled result may flush the stream; the
 * element's pad keeps EOS all the same and accepts no more frames. */
static void
push_end (GstClBatchStream *self, GstEvent *event)
{
  const guint n_flushes = self->n_flushes;

  gst_pad_push_event (self->source, event);
  if (self->n_flushes != n_flushes)
    gst_pad_push_event (self->source, gst_event_new_flush_stop (TRUE));
}

/* Pushes CAPS, then the pending segment; the first caps may arrive in a later
 * part. */
static void
push_caps (GstClBatchStream *self, GstEvent *event)
{
  gst_pad_push_event (self->source, gst_event_ref (event));
  if (self->segment)
    gst_pad_push_event (self->source, g_steal_pointer (&self->segment));
}

static gboolean
has_begun (GstClBatchStream *self, const GstEvent *start)
{
  g_autoptr (GstEvent) known = gst_pad_get_sticky_event (self->source,
      GST_EVENT_STREAM_START, 0);

  return known == start;
}

/* Pushes a sticky event of a batch. Each batch has all sticky events of its
 * stream, and a pad forwards only new ones. A known STREAM_START is not pushed
 * again, because it would clear some of them. */
static void
push_event (GstClBatchStream *self, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    update_is_measured (self, event);
  if (!self->element)
    return;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      if (!has_begun (self, event)) {
        gst_pad_push_event (self->source, gst_event_ref (event));
        set_id (self, event);
      }
      break;
    case GST_EVENT_CAPS:
      if (self->is_measured)
        push_caps (self, event);
      break;
    case GST_EVENT_SEGMENT:
      if (gst_pad_has_current_caps (self->source))
        gst_pad_push_event (self->source, gst_event_ref (event));
      else
        gst_event_replace (&self->segment, event);
      break;
    case GST_EVENT_EOS:
      push_end (self, gst_event_ref (event));
      break;
    case GST_EVENT_FLUSH_STOP:
      /* of this stream only; earlier frames are in the batch all the same */
      gst_cl_batch_stream_drain (self);
      gst_clear_event (&self->segment);
      G_GNUC_FALLTHROUGH;
    default:
      gst_pad_push_event (self->source, gst_event_ref (event));
      break;
  }
}

/* Returns TRUE if a flush has ended since the part arrived; the part must then
 * be dropped. A handler of one of the element's messages may have caused the
 * flush. */
static gboolean
was_flushed (GstClBatchStream *self)
{
  return self->n_flushes != self->n_flushes_before;
}

static GstFlowReturn
push_list (GstClBatchStream *self, GstBufferList *list)
{
  const guint n = gst_buffer_list_length (list);
  GstFlowReturn flow = GST_FLOW_OK;

  for (guint i = 0; i < n && flow == GST_FLOW_OK && !was_flushed (self); i++)
    flow = gst_pad_push (self->source,
        gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);

  return flow;
}

static GstFlowReturn
play_frames (GstClBatchStream *self, GstAnalyticsBatchStream *part, gsize place)
{
  GstMiniObject *object = g_steal_pointer (&part->objects[place]);
  Taken taken = { .place = place, .n_frames = 1 };

  if (GST_IS_BUFFER_LIST (object)) {
    taken.is_list = TRUE;
    taken.n_frames = gst_buffer_list_length (GST_BUFFER_LIST_CAST (object));
  }
  g_array_append_val (self->taken, taken);

  return taken.is_list ? push_list (self, GST_BUFFER_LIST_CAST (object))
                       : gst_pad_push (self->source, GST_BUFFER_CAST (object));
}

/* Sets async-depth to the frames of a part: a batch is pushed as a whole, so no
 * frame needs to be finished before the next one, or one of another stream. */
static void
set_depth (GstClBatchStream *self, const GstAnalyticsBatchStream *part)
{
  gint n = 0;

  for (gsize i = 0; i < part->n_objects; i++) {
    if (GST_IS_BUFFER (part->objects[i]))
      n++;
    else if (GST_IS_BUFFER_LIST (part->objects[i]))
      n += (gint) gst_buffer_list_length (
          GST_BUFFER_LIST_CAST (part->objects[i]));
  }
  n = MIN (n, GST_CL_FRAME_SUM_MAX_DEPTH);
  if (n > self->depth) {
    g_object_set (self->element, "async-depth", n, NULL);
    self->depth = n;
  }
}

GstFlowReturn
gst_cl_batch_stream_push (GstClBatchStream *self, GstAnalyticsBatchStream *part)
{
  GstFlowReturn flow = GST_FLOW_OK;

  g_array_set_size (self->taken, 0);
  self->n_flushes_before = self->n_flushes;
  if (self->element)
    set_depth (self, part);
  for (gsize i = 0; i < part->n_sticky_events; i++)
    push_event (self, part->sticky_events[i]);
  for (gsize i = 0;
       i < part->n_objects && flow == GST_FLOW_OK && !was_flushed (self); i++) {
    if (GST_IS_EVENT (part->objects[i]))
      push_event (self, GST_EVENT_CAST (part->objects[i]));
    else if (self->is_measured)
      flow = play_frames (self, part, i);
  }

  return flow;
}

/* --- putting frames back ------------------------------------------------- */

/* Returns the output for an object; NULL: the element returned none. */
static GstMiniObject *
assemble (GstClBatchStream *self, const Taken *taken)
{
  GstBufferList *list;

  if (g_queue_get_length (self->frames) < taken->n_frames)
    return NULL;
  if (!taken->is_list)
    return GST_MINI_OBJECT_CAST (g_queue_pop_head (self->frames));

  list = gst_buffer_list_new_sized (taken->n_frames);
  for (guint i = 0; i < taken->n_frames; i++)
    gst_buffer_list_add (list, g_queue_pop_head (self->frames));

  return GST_MINI_OBJECT_CAST (list);
}

static void
forget_frames (GstClBatchStream *self)
{
  g_queue_clear_full (self->frames, (GDestroyNotify) gst_buffer_unref);
}

gboolean
gst_cl_batch_stream_collect (GstClBatchStream *self,
    GstAnalyticsBatchStream *part)
{
  gsize n = 0;
  gboolean is_whole;

  if (self->taken->len == 0)
    return TRUE;

  gst_cl_batch_stream_drain (self);
  for (guint i = 0; i < self->taken->len; i++) {
    const Taken *taken = &g_array_index (self->taken, Taken, i);

    part->objects[taken->place] = assemble (self, taken);
  }
  g_array_set_size (self->taken, 0);
  forget_frames (self);

  /* a meta must not contain NULL objects */
  for (gsize i = 0; i < part->n_objects; i++) {
    if (part->objects[i])
      part->objects[n++] = part->objects[i];
  }
  is_whole = n == part->n_objects;
  part->n_objects = n;

  return is_whole;
}

/* --- all streams --------------------------------------------------------- */

void
gst_cl_batch_stream_flush (GstClBatchStream *self, GstEvent *event)
{
  if (!gst_cl_batch_stream_element (self))
    return;

  gst_pad_push_event (self->source, gst_event_ref (event));
  /* FLUSH_STOP runs under the stream lock, FLUSH_START does not */
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    self->n_flushes++;
    gst_clear_event (&self->segment);
    forget_frames (self);
  }
}

void
gst_cl_batch_stream_end (GstClBatchStream *self, guint32 seqnum)
{
  g_autoptr (GstEvent) ended = NULL;
  GstEvent *event;

  if (!self->element)
    return;
  ended = gst_pad_get_sticky_event (self->source, GST_EVENT_EOS, 0);
  if (ended)
    return;

  event = gst_event_new_eos ();
  gst_event_set_seqnum (event, seqnum);
  push_end (self, event);
}

void
gst_cl_batch_stream_label_result (GstClBatchStream *self, GstStructure *result)
{
  gst_structure_set (result, "stream-index", G_TYPE_UINT, self->index, NULL);
  g_mutex_lock (&self->lock);
  if (self->id)
    gst_structure_set (result, "stream-id", G_TYPE_STRING, self->id, NULL);
  g_mutex_unlock (&self->lock);
}
