/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of rows: verdict, table, JSON. */

#define _POSIX_C_SOURCE 200809L /* open_memstream() */

#include <json-glib/json-glib.h>
#include <math.h>

#include "report.h"
#include "suite.h"

static const GstClDevice device = {
  .name = (gchar *) "Some \"GPU\"",
  .platform_name = (gchar *) "A platform",
  .platform_version = (gchar *) "OpenCL 3.0",
  .driver_version = (gchar *) "1.2",
};

static void
add (Report *report, const gchar *row, gboolean correct,
    gboolean expected_wrong)
{
  const ReportRow result = {
    .technique = "memory",
    .row = row,
    .correct = correct,
    .expected_wrong = expected_wrong,
    .per_second = 1000,
  };

  report_add (report, &result);
}

TEST (test_good)
{
  g_autoptr (Report) report = report_new (&device, G_MAXUINT32, NULL);

  fail_unless (report_is_good (report));
  add (report, "right", TRUE, FALSE);
  add (report, "wrong on purpose", FALSE, TRUE);
  add (report, "wrong on purpose, but not here", TRUE, TRUE);
  report_skip (report, "memory", "refused", "no such thing");
  fail_unless (report_is_good (report));

  add (report, "wrong", FALSE, FALSE);
  fail_if (report_is_good (report));
  add (report, "right again", TRUE, FALSE);
  fail_if (report_is_good (report));
}

TEST (test_table)
{
  gchar *text = NULL;
  gsize size = 0;
  FILE *table = open_memstream (&text, &size);
  g_autoptr (Report) report = report_new (&device, G_MAXUINT32, table);

  const ReportRow result = {
    .technique = "latency",
    .row = "finish",
    .correct = TRUE,
    .us = { .median = 27.04, .low = 9.8765, .high = 2345678 },
    .per_second = 37037,
    .detail = "a detail",
  };

  report_add (report, &result);
  add (report, "on purpose", FALSE, TRUE);
  add (report, "forgiven", TRUE, TRUE);
  add (report, "bad one", FALSE, FALSE);
  report_skip (report, "memory", "refused", "no such thing");
  report_conclude (report, "memory", "Right wins.");
  fail_unless (report_finish (report, NULL));
  fclose (table);

  fail_unless (
      g_regex_match_simple (
          "^Device: Some \"GPU\"\nPlatform: A platform, OpenCL 3.0\n"
          "Driver: 1.2\n"
          "\nlatency +median +10% .. 90% +rate  result\n"
          "  finish +27.0 us +9.877 us .. 2.35 s +37.0 k/s  correct; a detail\n"
          "\nmemory +median .*\n"
          "  on purpose +1000/s  wrong, as expected\n"
          "  forgiven +1000/s  not wrong here\n"
          "  bad one +1000/s  WRONG\n"
          "  refused +skipped: no such thing\n"
          "\nmemory: Right wins.\n"
          "WRONG: memory: bad one\n$",
          text, 0, 0),
      "unexpected table: %s", text);
  free (text);
}

TEST (test_json)
{
  g_autoptr (Report) report = report_new (&device, G_MAXUINT32, NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree gchar *text = NULL;
  JsonObject *root, *row;

  const ReportRow result = {
    .technique = "windows",
    .row = "direct",
    .expected_wrong = TRUE,
    .us = { .median = 0.25, .low = 0.125, .high = 0.5 },
    .figures = g_variant_new_parsed ("{'wrong_share': %d, 'ratio': %d}", 0.75,
        (gdouble) INFINITY),
  };

  report_add (report, &result);
  report_skip (report, "latency", "svm", "no fine-grained memory");
  report_conclude (report, "windows", "None wins.");
  fail_unless (report_finish (report, NULL));

  text = report_to_json (report);
  fail_unless (json_parser_load_from_data (parser, text, -1, NULL),
      "no valid JSON: %s", text);
  fail_unless (g_str_has_suffix (text, "}\n"));
  root = json_node_get_object (json_parser_get_root (parser));
  fail_unless_equals_string (json_object_get_string_member (root, "device"),
      "Some \"GPU\"");
  fail_unless_equals_string (json_object_get_string_member (root, "driver"),
      "1.2");
  fail_unless_equals_int64 (json_object_get_int_member (root, "seed"),
      G_MAXUINT32);

  row = json_array_get_object_element (
      json_object_get_array_member (root, "rows"), 0);
  fail_unless_equals_string (json_object_get_string_member (row, "row"),
      "direct");
  fail_if (json_object_get_boolean_member (row, "correct"));
  fail_unless (json_object_get_boolean_member (row, "expected_wrong"));
  fail_unless_equals_float (json_object_get_double_member (row, "median_us"),
      0.25);
  fail_unless_equals_float (json_object_get_double_member (row, "wrong_share"),
      0.75);
  fail_if (json_object_has_member (row, "ratio")); /* not a number in JSON */
  fail_if (json_object_has_member (row, "per_second"));
  fail_if (json_object_has_member (row, "detail"));

  row = json_array_get_object_element (
      json_object_get_array_member (root, "skipped"), 0);
  fail_unless_equals_string (json_object_get_string_member (row, "reason"),
      "no fine-grained memory");
  row = json_array_get_object_element (
      json_object_get_array_member (root, "conclusions"), 0);
  fail_unless_equals_string (json_object_get_string_member (row, "sentence"),
      "None wins.");
}
