/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Statistics of frames as rows of comma-separated values. docs/statistics.md
 * says how fields become columns. */
typedef struct _GstClCsv GstClCsv;

GstClCsv *gst_cl_csv_new (void);
void gst_cl_csv_free (GstClCsv *self); /* accepts NULL */

/* Appends @structure as one row. A row of the names of its columns comes first
 * where these are not those of the row before. */
void gst_cl_csv_append_row (GstClCsv *self, GString *text,
    const GstStructure *structure);

G_END_DECLS
