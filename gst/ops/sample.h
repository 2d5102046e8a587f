/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "cl/video/gstclcomponent.h"

G_BEGIN_DECLS

/* Arguments and compiler options that depend on a sample's type. */

/* Returns the compiler options of kernels that are built for one sample type of
 * cl_pixel.clh; transfer full. */
gchar *gst_cl_sample_options (const GstClSampleType *sample);

/* Returns the compiler options of plain kernels: the C type of samples. All
 * other properties of a sample are arguments. Transfer full. */
gchar *gst_cl_sample_type_option (const GstClSampleType *sample);

/* Returns the compiler options of plain kernels that read samples and sums of
 * @sum_bytes, 4 or 8: the C types of both. Transfer full. */
gchar *gst_cl_sums_options (const GstClSampleType *sample, guint sum_bytes);

/* Returns the largest code that the stored bits can represent, regardless of
 * the depth: sums must not overflow if a frame contradicts its caps. */
guint gst_cl_sample_max_code (const GstClSampleType *sample);

/* Returns the distance between adjacent samples of a row, in samples (RGBA: 4).
 */
gint gst_cl_component_pixel_stride (const GstClComponent *component);

/* Checks that a frame matches the shapes for which an op has allocated memory.
 * Returns FALSE with CL_INVALID_VALUE if one of @n components at @got differs
 * from its counterpart at @want in size, pixel stride, or the bytes or shift of
 * its samples. The error message begins with @what. Memory, offsets, row
 * strides and depth are not compared. */
gboolean gst_cl_components_check_shapes (const GstClComponent *got,
    const GstClComponent *want, guint n, const gchar *what, GError **error);

/* Checks parts of a frame, as gst_cl_components_check_shapes() checks frames: a
 * component may be smaller than its counterpart, down to 0 x 0. */
gboolean gst_cl_components_check_parts (const GstClComponent *got,
    const GstClComponent *want, guint n, const gchar *what, GError **error);

/* --- arguments for all components of a frame ------------------------------ */

/* The first arguments of kernels that read samples of all components of a
 * frame: PLANE_ARGUMENTS of kernels/common/cl_plane.clh. */
#define GST_CL_FRAME_ARGUMENTS 12
#define GST_CL_FRAME_WIDTHS    10 /* index of the argument */
#define GST_CL_FRAME_HEIGHTS   11

/* Sets the arguments for 1 to 4 components; missing components have no samples.
 */
void gst_cl_frame_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_FRAME_ARGUMENTS]);

/* The first of these arguments, which say where the samples are: PLANE_MEMORIES
 * of cl_plane.clh. Kernels that compare two frames take a second set. */
#define GST_CL_MEMORY_ARGUMENTS 9

void gst_cl_memory_arguments_get (const GstClComponent *components,
    guint n_components, GstClArg args[GST_CL_MEMORY_ARGUMENTS]);

/* Returns the size and the pixel stride of each of @n components as text; the
 * key of measurements has it. Transfer full. */
gchar *gst_cl_components_describe (const GstClComponent *components, guint n);

/* Returns the number of bytes up to the end of the last of @n components, whose
 * offsets and strides count. */
guint64 gst_cl_components_count_bytes (const GstClComponent *components,
    guint n);

/* --- a frame for trials --------------------------------------------------- */

/* Returns copies of @n components whose samples are zeros, all in one new
 * buffer, at the offsets and strides of @shapes. NULL with @error; transfer
 * full, gst_cl_components_free(). */
GstClComponent *gst_cl_components_new_zeroed (GstClContext *context,
    const GstClComponent *shapes, guint n, GError **error);
void gst_cl_components_free (gpointer components);

G_END_DECLS
