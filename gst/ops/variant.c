/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choosing among the rows of an op's variant table. */

#include "variant.h"

static const GstClOpVariant *
find_row (const GstClOpVariant *rows, guint n_rows, gint method,
    GstClFamily family)
{
  for (guint i = 0; i < n_rows; i++) {
    if (rows[i].family == family && (method == 0 || rows[i].method == method))
      return &rows[i];
  }

  return NULL;
}

const GstClOpVariant *
gst_cl_op_variant_choose (const GstClOpVariant *rows, guint n_rows, gint method,
    const GstClDevice *device)
{
  const GstClOpVariant *row = find_row (rows, n_rows, method, device->family);

  return row ? row : find_row (rows, n_rows, method, GST_CL_FAMILY_ANY);
}

const GstClOpVariant *
gst_cl_op_variant_find (const GstClOpVariant *rows, guint n_rows,
    const gchar *name)
{
  for (guint i = 0; i < n_rows; i++) {
    if (g_str_equal (rows[i].name, name))
      return &rows[i];
  }

  g_error ("there is no variant \"%s\"", name);
}
