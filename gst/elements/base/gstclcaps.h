/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Memory in caps: a structure has the feature memory:OpenCLMemory, which means
 * device memory, or none, which means system memory. What comes from upstream,
 * and what cldownload gives, may have another, which means memory of others
 * that can be imported (gstclimportpath.h), such as memory:CUDAMemory: foreign
 * memory. */

/* TRUE if the first structure of @caps has device memory. */
gboolean gst_cl_caps_is_device (const GstCaps *caps);

/* Return @caps (transfer full) with every structure in device memory, or in
 * system memory. transfer full */
GstCaps *gst_cl_caps_in_device (GstCaps *caps);
GstCaps *gst_cl_caps_in_system (GstCaps *caps);

/* Returns the structures of @caps in both memories, device memory first: two
 * elements agree on that if both can. transfer full */
GstCaps *gst_cl_caps_in_both (const GstCaps *caps);

/* TRUE if the first structure of @caps has foreign memory. */
gboolean gst_cl_caps_is_foreign (const GstCaps *caps);

/* Returns the raw video of @caps in each foreign memory. transfer full */
GstCaps *gst_cl_caps_in_foreign (const GstCaps *caps);

/* Returns @caps (transfer full) without structures in foreign memory that the
 * device of @context (NULL: not known yet) cannot take. transfer full */
GstCaps *gst_cl_caps_takeable (GstCaps *caps, GstClContext *context);

/* For filters that work in place, on a device with memory of its own. Returns
 * the structures of @caps, and beside them the way from any memory (sink) to
 * device memory (source): a frame that the filter has to upload for itself is
 * best left on the device for a neighbour that wants it there. @direction is
 * that of the pad that has @caps. transfer full */
GstCaps *gst_cl_caps_uploading (const GstCaps *caps, GstPadDirection direction);

/* Returns TRUE for video whose frames may hold two fields. */
gboolean gst_cl_caps_has_fields (const GstCaps *caps);

/* For the CAPS query of a sink pad, once GstBaseTransform has answered it: puts
 * device memory first and system memory last. GstBaseTransform puts first what
 * passes unchanged, which would lead our own elements off the device. */
void gst_cl_caps_prefer_device (GstQuery *query);

/* Returns what @structure, memory aside, is on the other pad. @direction is
 * that of the pad that has @structure. transfer full */
typedef GstCaps *(*GstClCapsMapFunc) (GstPadDirection direction,
    const GstStructure *structure, gpointer user_data);

/* For GstBaseTransform.transform_caps of elements that take any memory and give
 * device or system memory, whatever the other side has. Returns @caps mapped by
 * @map, within the template of @other and @filter (may be NULL). Upstream is
 * offered device memory first and downstream system memory first: our own
 * elements ask for device memory, and others that take any memory may not know
 * how to handle it. transfer full */
GstCaps *gst_cl_caps_transform (const GstCaps *caps, GstPadDirection direction,
    GstPad *other, GstCaps *filter, GstClCapsMapFunc map, gpointer user_data);

/* Returns the part of @caps (transfer full) that the template of @other and
 * @filter (may be NULL) admit, in the order of @filter if there is one, else of
 * @caps. transfer full */
GstCaps *gst_cl_caps_admitted (GstCaps *caps, GstPad *other, GstCaps *filter);

/* Returns NULL if the element behind @src takes any of @caps (transfer full),
 * else the error to post. It names the properties @names, by which @caps follow
 * from the input. transfer full */
GError *gst_cl_caps_check_downstream (GstCaps *caps, GstPad *src,
    const gchar *names);

/* For class_init: adds the two pads, which are always there, with these caps
 * (of system memory) in either memory, and those of the sink in foreign memory;
 * those of the source, too, if the element gives such memory (@gives_foreign),
 * as where frames pass. */
void gst_cl_caps_add_templates (GstElementClass *klass, const GstCaps *sink,
    const GstCaps *src, gboolean gives_foreign);

/* Widths and heights in caps, which may be fixed, ranges or lists. */

/* Returns the smallest (@upper FALSE) or largest (TRUE) result for @n. */
typedef gint (*GstClDimensionFunc) (gint n, gboolean upper, gpointer user_data);

/* Sets the field @name of @out to what @map makes of that field of @in: a value
 * or a range [map (low), map (high)], within 1 .. G_MAXINT, and lists element
 * by element. FALSE if @in has no such field of a known type. */
gboolean gst_cl_dimension_map (const GstStructure *in, GstStructure *out,
    const gchar *name, GstClDimensionFunc map, gpointer user_data);

/* GStreamer refuses a CAPS event that an ACCEPT_CAPS query refuses, often at a
 * queue or the pad of a bin further up, and says neither which element it was
 * nor which caps. The query is all that the element sees. */

/* Returns the error to post after @query, an answered ACCEPT_CAPS query of
 * @sink: it names the format that was refused and the one to convert to. NULL:
 * the caps were accepted, or no pad upstream has sent them, and somebody only
 * asks. transfer full. Any thread. */
GError *gst_cl_refusal_of_input (GstPad *sink, GstQuery *query);

G_END_DECLS
