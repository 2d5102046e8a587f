/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OpenCL codes as text, and as errors on the bus. */

#include "cl/device/gstclerror.h"

#include "suite.h"

TEST (test_names)
{
  fail_unless_equals_string (gst_cl_error_name (0), "CL_SUCCESS");
  fail_unless_equals_string (gst_cl_error_name (-1), "CL_DEVICE_NOT_FOUND");
  fail_unless_equals_string (gst_cl_error_name (-5), "CL_OUT_OF_RESOURCES");
  fail_unless_equals_string (gst_cl_error_name (-11),
      "CL_BUILD_PROGRAM_FAILURE");
  fail_unless_equals_string (gst_cl_error_name (-54),
      "CL_INVALID_WORK_GROUP_SIZE");
  fail_unless_equals_string (gst_cl_error_name (-1001),
      "CL_PLATFORM_NOT_FOUND_KHR");
  fail_unless_equals_string (gst_cl_error_name (-9999), "unknown OpenCL error");
  fail_unless_equals_string (gst_cl_error_name (1), "unknown OpenCL error");
}

/* The codes of OpenCL 1.2 are -1 to -19 and -30 to -68. */
TEST (test_every_code_has_a_name)
{
  for (cl_int code = -68; code < 0; code++) {
    const gboolean is_code = code >= -19 || code <= -30;
    const gboolean is_named = g_str_has_prefix (gst_cl_error_name (code),
        "CL_");

    fail_unless (is_code == is_named, "code %d: expected %s, found %s", code,
        is_code ? "a name" : "no name", is_named ? "a name" : "no name");
  }
}

TEST (test_check)
{
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_check (CL_SUCCESS, "nothing", &error));
  fail_unless (error == NULL);

  fail_if (gst_cl_check (CL_INVALID_VALUE, "enqueue blur 3x3", &error));
  fail_unless (g_error_matches (error, GST_CL_ERROR, CL_INVALID_VALUE));
  fail_unless_equals_string (error->message,
      "enqueue blur 3x3: CL_INVALID_VALUE (-30)");

  fail_if (gst_cl_check (CL_INVALID_VALUE, "no place for the error", NULL));
}

/* Posts @error. Returns the only error message on the bus, transfer full. */
static GstMessage *
post (const GError *error)
{
  g_autoptr (GstElement) pipeline = gst_pipeline_new ("errors");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_cl_post_error (pipeline, error);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);

  return message;
}

TEST (test_domains_on_the_bus)
{
  const struct {
    cl_int code;
    GQuark domain;
    gint gst_code;
  } codes[] = {
    { CL_DEVICE_NOT_FOUND, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND },
    { CL_MEM_OBJECT_ALLOCATION_FAILURE, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT },
    { CL_OUT_OF_HOST_MEMORY, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT },
    { CL_DEVICE_NOT_AVAILABLE, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED },
    { CL_OUT_OF_RESOURCES, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED },
    { CL_BUILD_PROGRAM_FAILURE, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT },
    { CL_INVALID_VALUE, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED },
    { -9999, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    g_autoptr (GError) error = g_error_new_literal (GST_CL_ERROR, codes[i].code,
        "the reason in words");
    g_autoptr (GstMessage) message = post (error);
    g_autoptr (GError) posted = NULL;
    g_autofree gchar *debug = NULL;

    gst_message_parse_error (message, &posted, &debug);
    fail_unless (g_error_matches (posted, codes[i].domain, codes[i].gst_code),
        "code %d: expected %s/%d, found %s/%d", codes[i].code,
        g_quark_to_string (codes[i].domain), codes[i].gst_code,
        g_quark_to_string (posted->domain), posted->code);

    /* a sentence, the reason, and the name of the code in the debug text */
    fail_unless (g_str_has_suffix (posted->message, ". the reason in words"),
        "expected the reason at the end of: %s", posted->message);
    fail_unless (strstr (debug, gst_cl_error_name (codes[i].code)) != NULL,
        "no \"%s\" in: %s", gst_cl_error_name (codes[i].code), debug);
    fail_unless (strstr (debug, "test_error.c") != NULL,
        "no test_error.c in: %s", debug);
  }
}

TEST (test_other_domains_stay)
{
  g_autoptr (GError) error = g_error_new_literal (GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, "a buffer of 3 bytes");
  g_autoptr (GstMessage) message = post (error);
  g_autoptr (GError) posted = NULL;

  gst_message_parse_error (message, &posted, NULL);
  fail_unless (
      g_error_matches (posted, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT));
  fail_unless_equals_string (posted->message, "a buffer of 3 bytes");
}
