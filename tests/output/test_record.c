/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structures with all types of fields as lines of a file. */

#define _XOPEN_SOURCE 700 /* setrlimit() */

#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "folder.h"
#include "output/gstclrecord.h"
#include "suite.h"

/* The first line of a file begins with these members. */
#define FIRST "{\"type\":\"frame\",\"schema\":1,"

#define NONE GST_CLOCK_TIME_NONE

/* Returns the path of the file @name there. g_free() */
static gchar *
in_folder (const gchar *name)
{
  return g_build_filename (test_folder, name, NULL);
}

/* Returns the contents of the file at @path. g_free() */
static gchar *
contents (const gchar *path)
{
  gchar *text;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL));

  return text;
}

static GstClRecord *
open_record (const gchar *path)
{
  GError *error = NULL;
  GstClRecord *record = gst_cl_record_open (path, &error);

  fail_unless (record != NULL, "cannot open %s: %s", path,
      error ? error->message : "no error");

  return record;
}

static void
write_text (GstClRecord *record, GstClRecordKind kind, const gchar *structure)
{
  g_autoptr (GstStructure) parsed = gst_structure_from_string (structure, NULL);
  GError *error = NULL;

  fail_unless (parsed != NULL);
  fail_unless (gst_cl_record_write (record, kind, parsed, FALSE, &error));
  fail_unless (error == NULL);
}

static void
close_record (GstClRecord *record)
{
  GError *error = NULL;

  fail_unless (gst_cl_record_close (record, &error));
  fail_unless (error == NULL);
}

/* Checks that @structure, written to a file called @name, is @expected
 * there. */
static void
expect_packed_line (const gchar *name, const GstStructure *structure,
    gboolean has_packed, const gchar *expected)
{
  g_autofree gchar *path = in_folder (name);
  g_autofree gchar *text = NULL;
  GstClRecord *record = open_record (path);

  fail_unless (gst_cl_record_write (record, GST_CL_RECORD_FRAME, structure,
      has_packed, NULL));
  text = contents (path); /* before the file is closed */
  close_record (record);
  fail_unless_equals_string (text, expected);
}

static void
expect_line (const gchar *name, const GstStructure *structure,
    const gchar *expected)
{
  expect_packed_line (name, structure, FALSE, expected);
}

/* --- JSON ---------------------------------------------------------------- */

TEST (test_json_fields)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string (
      "s, time=(guint64)5, none=(guint64)18446744073709551615, w=(int)-7, "
      "u=(uint)4294967295, big=(guint64)9223372036854775807, "
      "name=(string)\"a \\\"b\\\", c\", yes=(boolean)true, "
      "a=(guint64)<9007199254740993, 18446744073709551615>, "
      "none-yet=(int)<>, signed=(gint64)-2147483649, rate=(fraction)25/1, "
      "h=<(guint64)<1, 2>, (guint64)<3>>;",
      NULL);

  expect_line ("a.json", structure,
      FIRST "\"time\":5,\"none\":null,\"w\":-7,"
            "\"u\":4294967295,\"big\":9223372036854775807,"
            "\"name\":\"a \\\"b\\\", c\",\"yes\":true,"
            "\"a\":[9007199254740993,18446744073709551615],\"none-yet\":[],"
            "\"signed\":-2147483649,\"rate\":\"25/1\","
            "\"h\":[[1,2],[3]]}\n");
}

TEST (test_json_kinds)
{
  g_autofree gchar *path = in_folder ("a.jsonl");
  g_autofree gchar *text = NULL;
  GstClRecord *record = open_record (path);

  write_text (record, GST_CL_RECORD_FRAME, "x, n=(int)1;");
  write_text (record, GST_CL_RECORD_EVENT, "y, n=(int)2;");
  write_text (record, GST_CL_RECORD_POOLED, "z;");
  close_record (record);
  text = contents (path);
  fail_unless_equals_string (text, FIRST "\"n\":1}\n"
                                         "{\"type\":\"event\",\"n\":2}\n"
                                         "{\"type\":\"pooled\"}\n");
}

/* JSON has neither NaN nor infinity. */
TEST (test_json_doubles)
{
  g_autoptr (GstStructure) structure = gst_structure_new ("s", "a",
      G_TYPE_DOUBLE, 0.1, "b", G_TYPE_DOUBLE, (gdouble) NAN, "c", G_TYPE_DOUBLE,
      (gdouble) INFINITY, "d", G_TYPE_DOUBLE, 1e-22, "e", G_TYPE_DOUBLE, -2.0,
      "f", G_TYPE_DOUBLE, 4.9406564584124654e-324, "g", G_TYPE_DOUBLE, 1e22,
      NULL);

  expect_line ("a.json", structure,
      FIRST
      "\"a\":0.10000000000000001,\"b\":null,\"c\":null,"
      "\"d\":1e-22,\"e\":-2,\"f\":4.9406564584124654e-324,\"g\":1e+22}\n");
}

/* All 64 bits, except the value of an unknown time. */
TEST (test_json_times)
{
  g_autoptr (GstStructure) structure = gst_structure_new ("s", "a",
      G_TYPE_UINT64, G_GUINT64_CONSTANT (1) << 63, "b", G_TYPE_UINT64, NONE - 1,
      "c", G_TYPE_UINT64, NONE, NULL);

  expect_line ("a.json", structure,
      FIRST "\"a\":9223372036854775808,"
            "\"b\":18446744073709551614,\"c\":null}\n");
}

/* Characters that JSON requires to be escaped, and characters that some parsers
 * treat as the end of a line. */
TEST (test_json_text)
{
  g_autoptr (GstStructure) structure = gst_structure_new ("s", "a",
      G_TYPE_STRING, "\x01\x1f \"\\/\x7f\n\t", "b", G_TYPE_STRING,
      "caf\u00e9 \U0001f600", "c", G_TYPE_STRING, "\xc2\x85\u2028\u2029", "d",
      G_TYPE_STRING, NULL, NULL);

  expect_line ("a.json", structure,
      FIRST "\"a\":\"\\u0001\\u001f \\\"\\\\/\\u007f\\u000a"
            "\\u0009\",\"b\":\"caf\u00e9 \U0001f600\","
            "\"c\":\"\\u0085\\u2028\\u2029\",\"d\":null}\n");
}

/* --- rows ---------------------------------------------------------------- */

TEST (test_csv_fields)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string (
      "s, time=(guint64)5, none=(guint64)18446744073709551615, w=(int)-7, "
      "name=(string)\"a \\\"b\\\", c\", yes=(boolean)true, "
      "components=(string)<Y, U>, sum=(guint64)<1, 18446744073709551615>, "
      "mean=(double)<0.1, 2>, odd=(int)<7, 8, 9>, none-yet=(int)<>, "
      "histogram=<(guint64)<1, 2>, (guint64)<3>>;",
      NULL);

  expect_line ("a.csv", structure,
      "time,none,w,name,yes,sum-Y,sum-U,mean-Y,mean-U,odd-0,odd-1,odd-2,"
      "histogram-Y-0,histogram-Y-1,histogram-U-0\n"
      "5,,-7,\"a \"\"b\"\", c\",true,1,18446744073709551615,"
      "0.10000000000000001,2,7,8,9,1,2,3\n");
}

/* There are as many zones and regions as components; the names of components do
 * not apply to them. */
TEST (test_csv_regions)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string (
      "s, components=(string)<Y, U>, zone-x=(int)<3, 4>, "
      "zone-sum=<(int)<5, 6>, (int)<7, 8>>, roi-type=(string)<car, face>, "
      "n=<1, 2>;",
      NULL);

  expect_line ("a.csv", structure,
      "zone-x-0,zone-x-1,zone-sum-Y-0,zone-sum-Y-1,zone-sum-U-0,zone-sum-U-1,"
      "roi-type-0,roi-type-1,n-Y,n-U\n"
      "3,4,5,6,7,8,car,face,1,2\n");
}

/* Bytes are arrays of numbers, of any number of digits. */
TEST (test_numbers)
{
  static const guint32 numbers[] = { 0, 9, 10, 4294967295 };
  GBytes *bytes = g_bytes_new (numbers, sizeof numbers);
  GBytes *none = g_bytes_new (NULL, 0);
  g_autoptr (GstStructure) structure = gst_structure_new ("s", "sum",
      G_TYPE_BYTES, bytes, "none", G_TYPE_BYTES, none, NULL);

  expect_line ("a.jsonl", structure,
      FIRST "\"sum\":[0,9,10,4294967295],\"none\":[]}\n");
  expect_line ("a.csv", structure,
      "sum-0,sum-1,sum-2,sum-3\n0,9,10,4294967295\n");
  g_bytes_unref (bytes);
  g_bytes_unref (none);
}

/* Sets @value to the first @n of some bytes, whose base64 text has "+" and
 * "/". */
static void
init_bytes (GValue *value, gsize n)
{
  static const guint8 bytes[] = { 255, 255, 255, 255, 251, 239, 190, 0 };

  g_value_init (value, G_TYPE_BYTES);
  g_value_take_boxed (value, g_bytes_new_static (bytes, n));
}

static void
add_bytes (GstStructure *structure, const gchar *name, gsize n)
{
  GValue value = G_VALUE_INIT;

  init_bytes (&value, n);
  gst_structure_take_value (structure, name, &value);
}

static void
add_two_bytes (GstStructure *structure, const gchar *name, gsize n, gsize m)
{
  GValue array = G_VALUE_INIT, first = G_VALUE_INIT, second = G_VALUE_INIT;

  init_bytes (&first, n);
  init_bytes (&second, m);
  gst_value_array_init (&array, 2);
  gst_value_array_append_and_take_value (&array, &first);
  gst_value_array_append_and_take_value (&array, &second);
  gst_structure_take_value (structure, name, &array);
}

/* Packed fields are missing, or are text, alone and in arrays; other bytes are
 * numbers. */
TEST (test_packed)
{
  static const struct {
    gboolean has_packed;
    const gchar *name, *expected;
  } rows[] = {
    { FALSE, "a.json", FIRST "\"sum\":[4294967295],\"n\":7}\n" },
    { TRUE, "a.json",
        FIRST
        "\"histogram-data\":[\"/////w==\",\"//////"
        "vvvgA=\"],"
        "\"waveform\":[\"\",\"/////w==\"],\"vectorscope\":\"//////vvvgA=\","
        "\"sum\":[4294967295],\"n\":7}\n" },
    { FALSE, "a.csv", "sum-0,n\n4294967295,7\n" },
    { TRUE, "a.csv",
        "histogram-data-0,histogram-data-1,waveform-0,waveform-1,vectorscope,"
        "sum-0,n\n/////w==,//////vvvgA=,,/////w==,//////"
        "vvvgA=,4294967295,7\n" },
  };
  g_autoptr (GstStructure) structure = gst_structure_new_empty ("s");

  add_two_bytes (structure, "histogram-data", 4, 8);
  add_two_bytes (structure, "waveform", 0, 4);
  add_bytes (structure, "vectorscope", 8);
  add_bytes (structure, "sum", 4);
  gst_structure_set (structure, "n", G_TYPE_INT, 7, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    expect_packed_line (rows[i].name, structure, rows[i].has_packed,
        rows[i].expected);
}

TEST (test_csv_no_numbers)
{
  g_autoptr (GstStructure) structure = gst_structure_new ("s", "a",
      G_TYPE_DOUBLE, (gdouble) NAN, "b", G_TYPE_STRING, NULL, "c",
      G_TYPE_STRING, "one\ntwo", "d", G_TYPE_DOUBLE, DBL_MAX, NULL);

  expect_line ("A.CSV", structure,
      "a,b,c,d\n,,\"one\ntwo\",1.7976931348623157e+308\n");
}

TEST (test_csv_text)
{
  g_autoptr (GstStructure)
      structure = gst_structure_new ("s", "a", G_TYPE_STRING, "a\x1f\x7f", "b",
          G_TYPE_STRING, "b\rc", "c", G_TYPE_STRING, "d\ne", "d", G_TYPE_STRING,
          "\"", "e", G_TYPE_STRING, "", "f", G_TYPE_STRING, "caf\u00e9", NULL);

  expect_line ("a.csv", structure,
      "a,b,c,d,e,f\n"
      "a\x1f\x7f,\"b\rc\",\"d\ne\",\"\"\"\",,caf\u00e9\n");
}

/* Rows are frames, and have the same columns. */
TEST (test_csv_columns_change)
{
  g_autofree gchar *path = in_folder ("a.csv");
  g_autofree gchar *text = NULL;
  g_autoptr (GstStructure) other = gst_structure_from_string (
      "s, components=(string)<Y>, n=<4>;", NULL);
  g_autoptr (GError) error = NULL;
  GstClRecord *record = open_record (path);

  write_text (record, GST_CL_RECORD_FRAME, "s, components=(string)<R>, n=<1>;");
  write_text (record, GST_CL_RECORD_EVENT, "event, n=(int)2;");
  fail_if (
      gst_cl_record_write (record, GST_CL_RECORD_FRAME, other, FALSE, &error));
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
  fail_unless (strstr (error->message, path) != NULL, "no \"%s\" in: %s", path,
      error->message);
  write_text (record, GST_CL_RECORD_POOLED, "pooled, n=(int)5;");
  write_text (record, GST_CL_RECORD_FRAME, "s, components=(string)<R>, n=<3>;");
  close_record (record);
  text = contents (path);
  fail_unless_equals_string (text, "n-R\n1\n3\n");
}

/* Numbers have a decimal point, also if the locale has a comma. */
TEST (test_locale)
{
  static const gchar *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C" };
  g_autoptr (GstStructure)
      structure = gst_structure_new ("s", "x", G_TYPE_DOUBLE, 1234.5, NULL);
  guint i = 0;

  while (i < G_N_ELEMENTS (locales) - 1 && !setlocale (LC_NUMERIC, locales[i]))
    i++;
  GST_INFO ("in %s", locales[i]);
  expect_line ("a.csv", structure, "x\n1234.5\n");
  expect_line ("a.json", structure, FIRST "\"x\":1234.5}\n");
  setlocale (LC_NUMERIC, "C");
}

/* --- files --------------------------------------------------------------- */

TEST (test_old_file_is_emptied)
{
  g_autoptr (GstStructure)
      structure = gst_structure_new ("s", "n", G_TYPE_INT, 1, NULL);

  for (guint i = 0; i < 2; i++)
    expect_line ("a.csv", structure, "n\n1\n");
}

TEST (test_cannot_open)
{
  g_autofree gchar *nowhere = in_folder ("no/where.csv");
  g_autofree gchar *is_folder = in_folder ("folder.csv");
  const gchar *const paths[] = { nowhere, is_folder };
  const gchar *const reasons[] = { "No such file", "Is a directory" };

  g_mkdir (is_folder, 0777);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autoptr (GError) error = NULL;

    fail_unless (gst_cl_record_open (paths[i], &error) == NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_OPEN_WRITE));
    fail_unless (strstr (error->message, paths[i]) != NULL);
    fail_unless (strstr (error->message, reasons[i]) != NULL);
  }
}

/* If a file has space for no byte of a line, or for one or two, it ends with
 * the line before. */
LOOP_TEST (test_no_space_within_a_line, 3)
{
  const struct rlimit tight = { .rlim_cur = 4 + __i__,
    .rlim_max = RLIM_INFINITY };
  struct rlimit usual;
  g_autofree gchar *path = in_folder ("a.csv");
  g_autofree gchar *text = NULL;
  g_autoptr (GstStructure)
      structure = gst_structure_new ("s", "n", G_TYPE_INT, 12345, NULL);
  g_autoptr (GError) error = NULL;
  GstClRecord *record = open_record (path);

  write_text (record, GST_CL_RECORD_FRAME, "s, n=(int)1;"); /* 4 bytes */
  signal (SIGXFSZ, SIG_IGN);
  fail_unless_equals_int (getrlimit (RLIMIT_FSIZE, &usual), 0);
  fail_unless_equals_int (setrlimit (RLIMIT_FSIZE, &tight), 0);
  fail_if (gst_cl_record_write (record, GST_CL_RECORD_FRAME, structure, FALSE,
      &error));
  fail_unless_equals_int (setrlimit (RLIMIT_FSIZE, &usual), 0);
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
  fail_unless (strstr (error->message, path) != NULL);
  close_record (record);
  text = contents (path);
  fail_unless_equals_string (text, "n\n1\n");
}

TEST (test_no_space_at_all)
{
  g_autofree gchar *path = in_folder ("full.csv");
  g_autoptr (GstStructure)
      structure = gst_structure_new ("s", "n", G_TYPE_INT, 1, NULL);
  g_autoptr (GError) error = NULL;
  GstClRecord *record;

  fail_unless_equals_int (symlink ("/dev/full", path), 0);
  record = open_record (path);
  fail_if (gst_cl_record_write (record, GST_CL_RECORD_FRAME, structure, FALSE,
      &error));
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
  fail_unless (strstr (error->message, "No space left") != NULL);
  close_record (record);
}

SUITE (.setup = test_folder_setup, .teardown = test_folder_teardown);
