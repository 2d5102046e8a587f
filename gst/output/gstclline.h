/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* --- JSON ----------------------------------------------------------------- */

/* Structures as lines of JSON. docs/statistics.md says how fields become
 * members. */

/* Appends @structure, whose strings are UTF-8, as one line; its first member is
 * "type": @type. */
void gst_cl_json_append_line (GString *text, const gchar *type,
    const GstStructure *structure);

/* --- comma-separated values ----------------------------------------------- */

/* Statistics of frames as rows of comma-separated values. docs/statistics.md
 * says how fields become columns. */
typedef struct _GstClCsv GstClCsv;

GstClCsv *gst_cl_csv_new (void);
void gst_cl_csv_free (GstClCsv *self); /* accepts NULL */

/* Appends @structure as one row; a row of the names of its columns comes before
 * the first one. FALSE, and nothing is appended, where the columns are not
 * those of the rows before. */
gboolean gst_cl_csv_append_row (GstClCsv *self, GString *text,
    const GstStructure *structure);

G_END_DECLS
