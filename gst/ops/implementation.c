/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choosing among the rows of an op's variant table. */

#include "implementation.h"

static const GstClImplementation *
find_row (const GstClImplementation *rows, guint n_rows, gint method,
    GstClFamily family)
{
  for (guint i = 0; i < n_rows; i++) {
    if (rows[i].family == family && (method == 0 || rows[i].method == method))
      return &rows[i];
  }

  return NULL;
}

const GstClImplementation *
gst_cl_implementation_choose (const GstClImplementation *rows, guint n_rows,
    gint method, const GstClDevice *device)
{
  const GstClImplementation *row = find_row (rows, n_rows, method,
      device->family);

  return row ? row : find_row (rows, n_rows, method, GST_CL_FAMILY_ANY);
}

const GstClImplementation *
gst_cl_implementation_find (const GstClImplementation *rows, guint n_rows,
    const gchar *name)
{
  for (guint i = 0; i < n_rows; i++) {
    if (g_str_equal (rows[i].name, name))
      return &rows[i];
  }

  g_error ("there is no variant \"%s\"", name);
}
