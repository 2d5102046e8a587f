/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a program lose its OpenCL device: a library for LD_PRELOAD.
 *
 * environment: CL_FAULT_NAME, CL_FAULT_AT a function and a number of its calls,
 *   from 1; CL_FAULT_THEN the function whose next call fails; all later calls
 *   fail, too */

#include "layer.h"

#include <stdlib.h>

static EntryPoint
find (const gchar *name)
{
  EntryPoint entry = 0;

  while (entry < N_ENTRY_POINTS && g_strcmp0 (entry_points[entry].name, name))
    entry++;

  return entry;
}

__attribute__ ((constructor)) static void
arm (void)
{
  const gchar *number = g_getenv ("CL_FAULT_AT");
  const Fault fault = {
    .entry = find (g_getenv ("CL_FAULT_THEN")),
    .kind = FAULT_DEVICE_LOST,
    .code = CL_OUT_OF_RESOURCES,
    .at = 1,
    .after = find (g_getenv ("CL_FAULT_NAME")),
    .n_after = number ? (guint) atoi (number) : 0,
  };

  if (fault.entry < N_ENTRY_POINTS && fault.after < N_ENTRY_POINTS)
    layer_arm (&fault);
}
