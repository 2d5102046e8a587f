/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Registers the custom meta @name. Called once per process, before the first
 * meta is added. */
void gst_cl_result_meta_register (const gchar *name);

/* Sets the fields of the custom meta @name of @buffer (writable) to those of
 * @structure. Results of other elements and pads in the meta (fields `element`
 * and `pad`) move to its field `earlier`, an array of structures, oldest first.
 */
void gst_cl_result_meta_add (GstBuffer *buffer, const gchar *name,
    const GstStructure *structure);

G_END_DECLS
