/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the source text of the kernel file or header NAME that a driver gets,
 * such as integral/cpu.cl. */

#include "cl/context/gstclprogram.h"

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = NULL;

  if (argc != 2) {
    g_printerr ("usage: %s NAME\n", argv[0]);
    return 2;
  }
  text = gst_cl_source_load (argv[1], &error);
  if (!text) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  g_print ("%s", text);

  return 0;
}
