/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Structures as lines of JSON. docs/statistics.md says how fields become
 * members. */

/* Appends @structure, whose strings are UTF-8, as one line; its first member is
 * "type": @type. */
void gst_cl_json_append_line (GString *text, const gchar *type,
    const GstStructure *structure);

G_END_DECLS
