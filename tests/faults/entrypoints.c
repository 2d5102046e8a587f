/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of OpenCL functions that the plugin calls. */

#include "entrypoints.h"

#define ENTRY_ROW(name, ...) { #name, { __VA_ARGS__ } },
const EntryPointRow entry_points[N_ENTRY_POINTS] = { FAULT_ENTRY_POINTS (
    ENTRY_ROW) };

guint
entry_point_n_codes (EntryPoint entry)
{
  guint n = 0;

  while (entry_points[entry].codes[n] != CL_SUCCESS)
    n++;

  return n;
}

gboolean
entry_point_is_command (EntryPoint entry)
{
  return g_str_has_prefix (entry_points[entry].name, "clEnqueue");
}
