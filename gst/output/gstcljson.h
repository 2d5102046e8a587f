/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Structures as lines of JSON. docs/statistics.md says how fields become
 * members. */

/* FALSE with GST_CORE_ERROR_DISABLED in a build without json-glib. */
gboolean gst_cl_json_is_built (GError **error);

/* Appends @structure as one line; its first member is "type": @type. Only where
 * JSON is built. */
void gst_cl_json_append_line (GString *text, const gchar *type,
    const GstStructure *structure);

G_END_DECLS
