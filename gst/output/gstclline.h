/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Structures as lines of text. docs/statistics.md defines the mapping of fields
 * to members and columns. A value of G_TYPE_BYTES is an array of guint32. Lines
 * have packed fields (waveform, vectorscope, names that end in -data) only if
 * @has_packed; their values are base64 text then. */

/* --- JSON ----------------------------------------------------------------- */

/* Version of the lines: the constant of "schema" in
 * docs/statistics.schema.json. */
#define GST_CL_JSON_SCHEMA 1

/* Appends @structure, whose strings are UTF-8, as one line; its first member is
 * "type": @type. @is_first: the line is the first one of a file, and its second
 * member is "schema": GST_CL_JSON_SCHEMA. */
void gst_cl_json_append_line (GString *text, const gchar *type,
    gboolean is_first, const GstStructure *structure, gboolean has_packed);

/* --- comma-separated values ----------------------------------------------- */

/* Statistics of frames as rows of comma-separated values. */
typedef struct _GstClCsv GstClCsv;

GstClCsv *gst_cl_csv_new (void);
void gst_cl_csv_free (GstClCsv *self); /* accepts NULL */

/* Appends @structure as one row; the first row is preceded by a header row with
 * the names of the columns. FALSE with @error, without appending, if the
 * columns differ from those of earlier rows. */
gboolean gst_cl_csv_append_row (GstClCsv *self, GString *text,
    const GstStructure *structure, gboolean has_packed);

G_END_DECLS
