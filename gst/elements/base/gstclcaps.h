/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Features in caps. A structure with memory:OpenCLMemory is device memory; a
 * structure without a memory feature is system memory. Input caps, and the
 * output caps of cldownload, may also have foreign memory that an import path
 * supports, such as memory:CUDAMemory or memory:DMABuf. With format:Interlaced
 * and interlace-mode=alternate, in any memory, each buffer has one field;
 * functions that change the memory keep the fields. */

/* Returns TRUE if the first structure of @caps has device memory. */
gboolean gst_cl_caps_is_device (const GstCaps *caps);

/* Returns TRUE if the first structure of @caps has system memory. */
gboolean gst_cl_caps_is_system (const GstCaps *caps);

/* Return @caps (transfer full) with all structures in device memory or in
 * system memory, with formats instead of DMA_DRM. transfer full */
GstCaps *gst_cl_caps_in_device (GstCaps *caps);
GstCaps *gst_cl_caps_in_system (GstCaps *caps);

/* Returns each structure of @caps in device memory, then each in system memory,
 * so that two elements prefer device memory if both support it. transfer full
 */
GstCaps *gst_cl_caps_in_both (const GstCaps *caps);

/* Returns each structure of @caps in device memory, then in foreign memory,
 * then in system memory. transfer full */
GstCaps *gst_cl_caps_in_all (const GstCaps *caps);

/* Returns TRUE if the first structure of @caps has foreign memory. */
gboolean gst_cl_caps_is_foreign (const GstCaps *caps);

/* Returns the raw video of @caps in each foreign memory; @is_export: that
 * cldownload can fill. transfer full */
GstCaps *gst_cl_caps_in_foreign (const GstCaps *caps, gboolean is_export);

/* Returns @caps (transfer full) without structures in foreign memory that the
 * device of @context (NULL: not known yet) cannot import. transfer full */
GstCaps *gst_cl_caps_importable (GstCaps *caps, GstClContext *context);

/* Returns TRUE if a structure of @caps has system memory or ANY features, or if
 * @caps are ANY. */
gboolean gst_cl_caps_has_system (const GstCaps *caps);

/* For filters that work in place. Returns the structures of @caps and, in
 * addition, those that convert any memory (sink) to device memory (source). On
 * a discrete device the filter uploads such a frame anyway, and a neighbouring
 * element that prefers device memory can use the copy. @direction is the
 * direction of the pad that has @caps. transfer full */
GstCaps *gst_cl_caps_uploading (const GstCaps *caps, GstPadDirection direction);

/* Returns TRUE for video whose buffers may contain two fields. */
gboolean gst_cl_caps_mixes_fields (const GstCaps *caps);

/* Returns TRUE for raw video whose buffers have one field each
 * (interlace-mode=alternate). */
gboolean gst_cl_structure_has_fields (const GstStructure *structure);

/* Returns the number of rows of each field of a frame of @height rows, as
 * GST_VIDEO_INFO_FIELD_HEIGHT: the same for both fields. */
gint gst_cl_field_height (gint height);

/* For the CAPS query of a sink pad, after GstBaseTransform has answered it:
 * moves device memory to the front, behind it foreign memory that the device of
 * @context (NULL: not known yet) reads without the host, then system memory,
 * then other DMABuf. GstBaseTransform prefers caps that pass unchanged, which
 * would make our own elements choose system memory. Removes other DMABuf if
 * upstream can use other memory. */
void gst_cl_caps_prefer_device (GstQuery *query, GstClContext *context);

/* Returns the caps of the other pad for @structure, without features; caps of
 * raw video with interlace-mode=alternate are fields. @direction is the
 * direction of the pad that has @structure. transfer full */
typedef GstCaps *(*GstClCapsMapFunc) (GstPadDirection direction,
    const GstStructure *structure, gpointer user_data);

/* For GstBaseTransform.transform_caps of elements that accept any memory and
 * output device or system memory, whatever the other pad uses. Returns @caps
 * mapped by @map, restricted to the template of @other and to @filter (may be
 * NULL). Upstream is offered device memory first, for our own elements.
 * Downstream is offered system memory first, because other elements that accept
 * any memory may not be able to use device memory. transfer full */
GstCaps *gst_cl_caps_transform (const GstCaps *caps, GstPadDirection direction,
    GstPad *other, GstCaps *filter, GstClCapsMapFunc map, gpointer user_data);

/* Returns @caps (transfer full) restricted to the template of @other and to
 * @filter (may be NULL), in the order of @filter if it is set, else of @caps.
 * transfer full */
GstCaps *gst_cl_caps_admitted (GstCaps *caps, GstPad *other, GstCaps *filter);

/* Returns NULL if the peer of @src accepts any of @caps (transfer full), else
 * the error to post. The error names @names, the properties that @caps depend
 * on. transfer full */
GError *gst_cl_caps_check_downstream (GstCaps *caps, GstPad *src,
    const gchar *names);

/* For class_init: adds the always pads `sink` and `src`. @sink and @src have
 * system memory and no fields. The templates also have device memory; the one
 * of the sink has foreign memory, too. If @gives_foreign, the source caps are
 * also added in foreign memory; elements that pass frames unchanged need this.
 * If @accepts_fields, buffers may have one field each. */
void gst_cl_caps_add_templates (GstElementClass *klass, const GstCaps *sink,
    const GstCaps *src, gboolean gives_foreign, gboolean accepts_fields);

/* Widths and heights in caps; each may be fixed, a range or a list. */

/* Returns the smallest (@upper FALSE) or largest (@upper TRUE) result for @n.
 */
typedef gint (*GstClDimensionFunc) (gint n, gboolean upper, gpointer user_data);

/* Sets the field @name of @out to the field @name of @in, mapped by @map: a
 * value, a range [map (low), map (high)] within 1 .. G_MAXINT, or a list,
 * element by element. Returns FALSE if @in has no such field of a known type.
 */
gboolean gst_cl_dimension_map (const GstStructure *in, GstStructure *out,
    const gchar *name, GstClDimensionFunc map, gpointer user_data);

/* GStreamer rejects a CAPS event if an ACCEPT_CAPS query for the caps fails,
 * often at a queue or at the pad of a bin further upstream. Its error names
 * neither the element nor the caps. The element itself sees only the query. */

/* Returns the error to post after @query, an answered ACCEPT_CAPS query of
 * @sink. The error names the rejected format and the format to convert to.
 * Returns NULL if the caps were accepted, or if no upstream pad has sent them
 * and the query is only a probe. transfer full. Any thread. */
GError *gst_cl_caps_check_input (GstPad *sink, GstQuery *query);

G_END_DECLS
