/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A name in an expression, and its value. */
typedef struct {
  const gchar *name;
  gint64 value;
} GstClVariable;

/* Sets *value to that of @text: whole numbers, the names of @variables, + - * /
 * and parentheses. A division rounds towards zero. FALSE with
 * GST_LIBRARY_ERROR_SETTINGS if @text is not an expression, divides by zero, or
 * exceeds 32 bits. Any thread. */
gboolean gst_cl_expression_evaluate (const gchar *text,
    const GstClVariable *variables, guint n_variables, gint64 *value,
    GError **error);

G_END_DECLS
