/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all suites of element tests. */

#include "common.h"

gboolean
runs_as_discrete (void)
{
  return g_strcmp0 (g_getenv ("GST_OPENCL_HOST_UNIFIED"), "0") == 0;
}

/* --- harnesses ----------------------------------------------------------- */

/* The context of all harnesses, once the first one has created it. */
static gboolean is_sharing;
static GstContext *shared_context;

void
harness_share_context (void)
{
  is_sharing = TRUE;
}

static void
keep_context (GstElement *element)
{
  g_autoptr (GstQuery) query = gst_query_new_context ("gst.cl.context");

  if (!gst_element_query (element, query))
    return;

  gst_query_parse_context (query, &shared_context);
  if (shared_context)
    gst_context_ref (shared_context);
}

/* Creates the element or bin of @description. transfer full */
static GstElement *
make_element (const gchar *description)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstElement *element;

  element = strchr (description, '!')
                ? gst_parse_bin_from_description (description, TRUE, &error)
                : gst_parse_launch (description, &error);
  fail_unless (element != NULL && error == NULL, "cannot create %s: %s",
      description, error ? error->message : "no element");
  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  if (shared_context)
    gst_element_set_context (element, shared_context);

  return element;
}

static GstHarness *
make_harness (const gchar *description, gboolean with_video_meta)
{
  g_autoptr (GstElement) element = make_element (description);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  if (is_sharing && !shared_context)
    keep_context (element);
  if (with_video_meta)
    gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);

  return h;
}

GstHarness *
harness_new (const gchar *description)
{
  return make_harness (description, FALSE);
}

GstHarness *
harness_new_with_video_meta (const gchar *description)
{
  return make_harness (description, TRUE);
}

/* Creates a harness of pads of @element; upstream is not live. */
static GstHarness *
make_harness_of_pads (GstElement *element, const gchar *sink, const gchar *src)
{
  static GstStaticPadTemplate sources = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate sinks = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GstHarness *h = gst_harness_new_empty ();

  gst_harness_set_live (h, FALSE);
  gst_harness_add_element_full (h, element, &sources, sink, &sinks, src);

  return h;
}

GstHarness *
harness_new_of_pad (const gchar *description, const gchar *sink)
{
  g_autoptr (GstElement) element = make_element (description);
  GstHarness *h = make_harness_of_pads (element, sink, "src");

  if (is_sharing && !shared_context)
    keep_context (element);

  return h;
}

GstHarness *
harness_new_input (GstHarness *h, const gchar *sink)
{
  return make_harness_of_pads (h->element, sink, NULL);
}

void
harness_free (GstHarness *h)
{
  g_autoptr (GstBus) bus = harness_bus (h);

  gst_harness_teardown (h);
  gst_bus_set_flushing (bus, TRUE);
}

GstBus *
harness_bus (GstHarness *h)
{
  return gst_element_get_bus (h->element);
}

GstElement *
harness_element (GstHarness *h, const gchar *factory)
{
  GstElement *element = gst_harness_find_element (h, factory);

  fail_unless (element != NULL, "the harness has no element %s", factory);

  return element;
}

void
harness_set_format (GstHarness *h, GstVideoFormat format, gint width,
    gint height, GstVideoInfo *info)
{
  gst_video_info_set_format (info, format, width, height);
  info->fps_n = 25;
  info->fps_d = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));
}

GstBuffer *
harness_run (GstHarness *h, GstBuffer *buffer)
{
  GstFlowReturn flow = gst_harness_push (h, buffer);
  GstBuffer *out;

  fail_unless (flow == GST_FLOW_OK, "expected flow ok, found %s",
      gst_flow_get_name (flow));
  out = gst_harness_try_pull (h);
  fail_unless (out != NULL,
      "the element outputs no buffer for an input buffer");

  return out;
}

void
harness_run_into (GstHarness *h, GstBuffer *buffer, GstFlowReturn flow)
{
  GstFlowReturn got = gst_harness_push (h, buffer);

  fail_unless (got == flow, "expected flow %s, found %s",
      gst_flow_get_name (flow), gst_flow_get_name (got));
  fail_unless (gst_harness_try_pull (h) == NULL);
}

void
harness_drain (GstHarness *h)
{
  GstQuery *query = gst_query_new_drain ();

  gst_pad_peer_query (h->srcpad, query);
  gst_query_unref (query);
}

GstCaps *
harness_out_caps (GstHarness *h)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);

  fail_unless (caps != NULL);

  return caps;
}

void
harness_out_info (GstHarness *h, GstVideoInfo *info)
{
  g_autoptr (GstCaps) caps = harness_out_caps (h);

  fail_unless (gst_video_info_from_caps (info, caps));
}

/* --- bus ----------------------------------------------------------------- */

static gboolean
is_from_source (GstMessage *message)
{
  return GST_OBJECT_FLAG_IS_SET (GST_MESSAGE_SRC (message),
      GST_ELEMENT_FLAG_SOURCE);
}

static void
expect_parts (const GError *error, const gchar *debug,
    const gchar *const *parts)
{
  for (guint i = 0; parts && parts[i]; i++)
    fail_unless (strstr (error->message, parts[i]) != NULL,
        "no \"%s\" in the error: %s (%s)", parts[i], error->message, debug);
}

void
expect_one_error (GstBus *bus, GQuark domain, gint code,
    const gchar *const *parts)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    g_autoptr (GError) error = NULL;
    g_autofree gchar *debug = NULL;

    gst_message_parse_error (message, &error, &debug);
    if (!is_from_source (message)) {
      fail_unless (++n == 1, "expected one error, found a second one: %s",
          error->message);
      fail_unless (g_error_matches (error, domain, code),
          "expected error %s/%d, found %s/%d: %s (%s)",
          g_quark_to_string (domain), code, g_quark_to_string (error->domain),
          error->code, error->message, debug);
      expect_parts (error, debug, parts);
    }
    gst_message_unref (message);
  }

  fail_unless (n == 1, "expected an error on the bus, found none");
}

void
expect_no_error (GstBus *bus)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  if (!message)
    return;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail ("expected no error and no warning, found one of %s: %s",
      GST_MESSAGE_SRC_NAME (message), error->message);
}

guint64
uint64_field (const GstStructure *structure, const gchar *name)
{
  guint64 value;

  fail_unless (gst_structure_get_uint64 (structure, name, &value),
      "no field %s", name);

  return value;
}

GstMessage *
pop_element_message (GstBus *bus, const gchar *name)
{
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
    if (gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }

  return NULL;
}

void
run_pipeline (const gchar *description)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, &error);
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;

  fail_unless (error == NULL, "cannot create %s: %s", description,
      error ? error->message : "");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s: neither EOS nor an error after a minute",
      description);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS,
      "%s: expected EOS, found an error: %s", description,
      error ? error->message : "");
  gst_element_set_state (pipeline, GST_STATE_NULL);
}
