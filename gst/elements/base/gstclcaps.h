/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Memory in caps: the feature memory:OpenCLMemory, or none. */

/* TRUE if the first structure of @caps has device memory. */
gboolean gst_cl_caps_is_device (const GstCaps *caps);

/* @caps (transfer full) with every structure in device memory, or in the
 * system's. */
GstCaps *gst_cl_caps_in_device (GstCaps *caps);
GstCaps *gst_cl_caps_in_system (GstCaps *caps);

/* The same structures in either memory, the device's first: what two elements
 * agree on if both can. transfer full */
GstCaps *gst_cl_caps_in_both (const GstCaps *caps);

/* For filters that work in place, on a device with memory of its own: the same
 * caps, and the way from system memory (sink) to the device's (source), since
 * frames that they had to bring there for themselves are best left there for a
 * neighbour that wants them. @direction is that of the pad that has @caps.
 * transfer full */
GstCaps *gst_cl_caps_uploading (const GstCaps *caps, GstPadDirection direction);

/* For the CAPS query of a sink pad, once GstBaseTransform has answered it: device
 * memory before the system's. It puts first what passes unchanged, which would
 * lead our own elements off the device. */
void gst_cl_caps_prefer_device (GstQuery *query);

/* What a structure of caps, memory aside, is on the other pad; @direction is that
 * of the pad that has @structure. transfer full */
typedef GstCaps *(*GstClCapsMapFunc) (GstPadDirection direction,
    const GstStructure *structure, gpointer user_data);

/* For GstBaseTransform.transform_caps of elements that take and give either
 * memory, whatever the other side has: @caps mapped, within the template of
 * @other and @filter (may be NULL). Upstream is offered the device's memory
 * first, downstream the system's: elements of our own ask for the device's, and
 * others that take any memory may not know how to handle it. transfer full */
GstCaps *gst_cl_caps_transform (const GstCaps *caps, GstPadDirection direction,
    GstPad *other, GstCaps *filter, GstClCapsMapFunc map, gpointer user_data);

/* The part of @caps (transfer full) that the template of @other and @filter (may
 * be NULL) admit, in the order of @filter, else of @caps. transfer full */
GstCaps *gst_cl_caps_admitted (GstCaps *caps, GstPad *other, GstCaps *filter);

/* NULL if what is behind @src takes any of @caps (transfer full), which the
 * properties @names make of the input; else, transfer full, what to tell about it.
 */
GError *gst_cl_caps_check_downstream (GstCaps *caps, GstPad *src,
    const gchar *names);

/* For class_init: the two pads, always there, with these caps (of system memory)
 * in either memory. */
void gst_cl_caps_add_templates (GstElementClass *klass, const GstCaps *sink,
    const GstCaps *src);

G_END_DECLS
