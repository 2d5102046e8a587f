/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams in batches, compared with each stream alone. */

#include "batchrun.h"

#include "elements/reference.h"

#define META "GstClFrameSumMeta"

/* --- batches through a harness ------------------------------------------- */

void
run_set_caps (Run *run)
{
  batch_set_caps (run->h, run->streams, run->n_streams);
}

void
run_init (Run *run, const gchar *properties, BatchedStream *streams,
    guint n_streams)
{
  g_autofree gchar *description = g_strconcat ("clframesumbatch ", properties,
      NULL);

  run->properties = properties;
  run->h = harness_new (description);
  run->bus = harness_bus (run->h);
  run->streams = streams;
  run->n_streams = n_streams;
  run->out = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_mini_object_unref);
  run_set_caps (run);
}

void
run_clear (Run *run)
{
  for (guint i = 0; i < run->n_streams; i++)
    batched_stream_clear (&run->streams[i]);
  g_ptr_array_unref (run->out);
  gst_object_unref (run->bus);
  harness_free (run->h);
}

GstBuffer *
run_push (Run *run)
{
  GstBuffer *out = harness_run (run->h,
      batch_new (run->streams, run->n_streams));

  g_ptr_array_add (run->out, out);

  return out;
}

void
run_flush (Run *run)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (run->h, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (run->h, gst_event_new_flush_stop (TRUE)));
  fail_unless (
      gst_harness_push_event (run->h, gst_event_new_segment (&segment)));
  for (guint i = 0; i < run->n_streams; i++) {
    BatchedStream *stream = &run->streams[i];

    g_ptr_array_add (stream->history, gst_event_new_flush_start ());
    g_ptr_array_add (stream->history, gst_event_new_flush_stop (TRUE));
    g_ptr_array_add (stream->history,
        gst_event_ref (stream->sticky[STICKY_SEGMENT]));
  }
}

/* --- one stream alone ---------------------------------------------------- */

GPtrArray *
take_results (GstBus *bus)
{
  GPtrArray *results = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_structure_free);
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
      g_ptr_array_add (results,
          gst_structure_copy (gst_message_get_structure (message)));
    gst_message_unref (message);
  }

  return results;
}

GstStructure *
pop_result (GPtrArray *results, guint index, const gchar *id)
{
  for (guint i = 0; i < results->len; i++) {
    g_autoptr (GstStructure) result = NULL;
    const GstStructure *found = g_ptr_array_index (results, i);
    guint of;

    fail_unless (gst_structure_get_uint (found, "stream-index", &of));
    if (of != index)
      continue;
    fail_unless_equals_string (gst_structure_get_string (found, "stream-id"),
        id);
    result = gst_structure_copy (found);
    gst_structure_remove_fields (result, "stream-index", "stream-id", NULL);
    g_ptr_array_remove_index (results, i);

    return g_steal_pointer (&result);
  }

  return NULL;
}

/* The text of a field, cut to what a message can hold. */
static gchar *
describe (const GValue *value)
{
  g_autofree gchar *text = value ? gst_value_serialize (value) : NULL;

  return g_strdup_printf ("%.200s", text ? text : "(none)");
}

static void
expect_equal (const GstStructure *a, const GstStructure *b)
{
  fail_unless (a && b);
  fail_unless_equals_string (gst_structure_get_name (a),
      gst_structure_get_name (b));
  for (gint i = 0; i < gst_structure_n_fields (b); i++) {
    const gchar *name = gst_structure_nth_field_name (b, i);
    const GValue *of_a = gst_structure_get_value (a, name);
    const GValue *of_b = gst_structure_get_value (b, name);
    g_autofree gchar *a_text = describe (of_a);
    g_autofree gchar *b_text = describe (of_b);

    fail_unless (of_a && gst_value_compare (of_a, of_b) == GST_VALUE_EQUAL,
        "field %s is %s, expected %s", name, a_text, b_text);
  }
  fail_unless_equals_int (gst_structure_n_fields (a),
      gst_structure_n_fields (b));
}

/* Pushes @object (transfer full), which must succeed. */
static void
play_object (GstPad *pad, GstMiniObject *object)
{
  GstFlowReturn flow = GST_FLOW_OK;

  if (GST_IS_EVENT (object))
    gst_pad_push_event (pad, GST_EVENT_CAST (object));
  else if (GST_IS_BUFFER (object))
    flow = gst_pad_push (pad, GST_BUFFER_CAST (object));
  else
    flow = gst_pad_push_list (pad, GST_BUFFER_LIST_CAST (object));
  fail_unless_equals_int (flow, GST_FLOW_OK);
}

/* Plays everything that @stream received through a separate clframesum with the
 * name of the element of @run. */
static GstHarness *
play_alone (const Run *run, BatchedStream *stream)
{
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (run->h->element));
  g_autofree gchar *description = g_strdup_printf ("clframesum name=%s %s",
      name, run->properties);
  GstHarness *h = harness_new (description);

  gst_harness_play (h);
  for (guint i = 0; i < stream->history->len; i++) {
    GstMiniObject *object = g_ptr_array_index (stream->history, i);

    play_object (h->srcpad, gst_mini_object_ref (object));
  }
  if (!stream->sticky[STICKY_EOS])
    gst_pad_push_event (h->srcpad, gst_event_new_eos ());

  return h;
}

static void
expect_frame (GstHarness *alone, GstBuffer *frame)
{
  g_autoptr (GstBuffer) expected = gst_harness_try_pull (alone);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (frame, META);

  fail_unless (expected != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (frame), GST_BUFFER_PTS (expected));
  expect_same_bytes (frame, expected);
  if (!meta) {
    fail_unless (gst_buffer_get_custom_meta (expected, META) == NULL);
    return;
  }
  expect_equal (gst_custom_meta_get_structure (meta),
      gst_custom_meta_get_structure (
          gst_buffer_get_custom_meta (expected, META)));
}

/* Checks that the frames, in order, are those of @alone; returns their
 * number. */
static guint
expect_frames (GstHarness *alone, GstBuffer *batch, guint stream)
{
  guint n = 0;

  for (guint i = 0; i < batch_count (batch, stream); i++) {
    GstMiniObject *object = batch_object (batch, stream, i);

    if (GST_IS_BUFFER (object)) {
      expect_frame (alone, GST_BUFFER_CAST (object));
      n++;
    } else if (GST_IS_BUFFER_LIST (object)) {
      GstBufferList *list = GST_BUFFER_LIST_CAST (object);

      for (guint b = 0; b < gst_buffer_list_length (list); b++, n++)
        expect_frame (alone, gst_buffer_list_get (list, b));
    }
  }

  return n;
}

/* Checks that stream @index has the same frames and results in batches as
 * alone. */
static void
expect_as_alone (Run *run, GPtrArray *results, guint index, const gchar *id)
{
  BatchedStream *stream = &run->streams[index];
  g_autoptr (GstHarness) alone = play_alone (run, stream);
  g_autoptr (GstBus) bus = harness_bus (alone);
  g_autoptr (GPtrArray) expected = take_results (bus);
  guint n = 0;

  for (guint i = 0; i < run->out->len; i++)
    n += expect_frames (alone, g_ptr_array_index (run->out, i), index);
  fail_unless_equals_int (n, stream->n_frames);
  fail_unless (gst_harness_try_pull (alone) == NULL);

  fail_unless (expected->len > 0);
  for (guint i = 0; i < expected->len; i++) {
    g_autoptr (GstStructure) result = pop_result (results, index, id);

    expect_equal (result, g_ptr_array_index (expected, i));
  }
}

void
run_end (Run *run, const gchar *const *ids)
{
  g_autoptr (GPtrArray) results = NULL;

  fail_unless (gst_harness_push_event (run->h, gst_event_new_eos ()));
  results = take_results (run->bus);
  for (guint i = 0; i < run->n_streams; i++)
    expect_as_alone (run, results, i, ids[i]);
  fail_unless_equals_int (results->len, 0);
  run_clear (run);
}
