/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* framesumlines: prints the statistics of every frame that a file holds.
 *
 * usage: framesumlines < FILE
 *
 * Reads what clframesum location=FILE writes, one line of JSON a frame, with
 * json-glib; a pipe from `tail -f` prints them as they come.
 */

#include <json-glib/json-glib.h>

/* One line a frame: its number and time, then each component. */
static void
print_statistics (JsonObject *frame)
{
  JsonArray *names = json_object_get_array_member (frame, "components");
  JsonArray *sums = json_object_get_array_member (frame, "sum");
  JsonArray *means = json_object_get_array_member (frame, "mean");
  JsonArray *stddevs = json_object_get_array_member (frame, "stddev");
  JsonArray *minima = json_object_get_array_member (frame, "min");
  JsonArray *maxima = json_object_get_array_member (frame, "max");
  gint64 timestamp = 0; /* ns; null where unknown */

  if (!json_object_get_null_member (frame, "timestamp"))
    timestamp = json_object_get_int_member (frame, "timestamp");
  g_print ("frame %" G_GINT64_FORMAT " at %.3f s",
      json_object_get_int_member (frame, "frame"), timestamp / 1e9);

  for (guint i = 0; i < json_array_get_length (names); i++)
    g_print (" | %s sum %" G_GINT64_FORMAT
             " mean %.3f stddev %.3f min %" G_GINT64_FORMAT
             " max %" G_GINT64_FORMAT,
        json_array_get_string_element (names, i),
        json_array_get_int_element (sums, i),
        json_array_get_double_element (means, i),
        json_array_get_double_element (stddevs, i),
        json_array_get_int_element (minima, i),
        json_array_get_int_element (maxima, i));

  g_print ("\n");
}

/* @line is an object; FALSE if it is no JSON. */
static gboolean
print_line (const gchar *line, gsize length, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *object;

  if (!json_parser_load_from_data (parser, line, length, error))
    return FALSE;

  object = json_node_get_object (json_parser_get_root (parser));
  if (g_str_equal (json_object_get_string_member (object, "type"), "frame"))
    print_statistics (object);

  return TRUE;
}

int
main (void)
{
  g_autoptr (GIOChannel) input = g_io_channel_unix_new (0);
  g_autoptr (GError) error = NULL;
  gboolean is_good = TRUE;
  gchar *line;
  gsize length, end;

  while (is_good && g_io_channel_read_line (input, &line, &length, &end,
                        &error) == G_IO_STATUS_NORMAL) {
    if (end < length) /* else it is cut: the writer was killed */
      is_good = print_line (line, end, &error);
    g_free (line);
  }
  if (error)
    g_printerr ("framesumlines: %s\n", error->message);

  return error ? 1 : 0;
}
