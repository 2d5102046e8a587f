/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclxpsnr.h"
#include "statistics/series/gstclframetime.h"

G_BEGIN_DECLS

/* How far a frame is from its reference: the integers that the device counts,
 * and the values that follow from them. The definitions are those of FFmpeg's
 * filters psnr, ssim and xpsnr (docs/clcompare.md). */

#define GST_CL_COMPARED_MAX_COMPONENTS 4

/* Counts of a histogram of differences: of 0, 1, ..; the last one: of
 * GST_CL_COMPARED_N_DIFFERENCES - 1 and more. */
#define GST_CL_COMPARED_N_DIFFERENCES 256

/* SSIM of a window, or of a mean of windows, as an integer: 1.0. */
#define GST_CL_COMPARED_SSIM_ONE (G_GINT64_CONSTANT (1) << 31)

/* The property `metrics`. */
typedef enum {
  GST_CL_COMPARE_PSNR = 1 << 0,
  GST_CL_COMPARE_SSIM = 1 << 1,
  GST_CL_COMPARE_XPSNR = 1 << 2,
  GST_CL_COMPARE_MAX_DIFFERENCE = 1 << 3,
  GST_CL_COMPARE_HISTOGRAM = 1 << 4,
} GstClCompareMetrics;

/* The metrics that need the integers of the op `errors`. */
#define GST_CL_COMPARE_ERRORS                                                  \
  (GST_CL_COMPARE_PSNR | GST_CL_COMPARE_MAX_DIFFERENCE |                       \
      GST_CL_COMPARE_HISTOGRAM)

/* What is compared: frames of one size and format. */
typedef struct {
  GstClCompareMetrics metrics;
  guint depth; /* bits of a code */
  guint n_components;
  struct {
    const gchar *name; /* static: "Y" */
    guint width, height;
  } components[GST_CL_COMPARED_MAX_COMPONENTS];
  /* for XPSNR: component weighted_ids[i] is component i of weighted */
  GstClXpsnrPicture weighted;
  guint weighted_ids[GST_CL_XPSNR_COMPONENTS];
} GstClComparedShape;

/* The integers of a component; those of other metrics are not set. */
typedef struct {
  guint64 squares;     /* sum of the squared differences */
  guint64 n_different; /* samples */
  guint64 max;         /* the largest absolute difference */
  guint64 first; /* y * width + x of the first different sample in row order;
                    G_MAXUINT64: all are equal */
  const guint64 *histogram; /* GST_CL_COMPARED_N_DIFFERENCES samples */
  gint64 ssim_sum;          /* of the windows, of GST_CL_COMPARED_SSIM_ONE */
} GstClComparedComponent;

typedef struct {
  GstClComparedComponent components[GST_CL_COMPARED_MAX_COMPONENTS];
  guint64 weighted[GST_CL_XPSNR_COMPONENTS]; /* gst_cl_xpsnr_sums() */
} GstClCompared;

/* Returns the samples of component @c. */
guint64 gst_cl_compared_samples (const GstClComparedShape *shape, guint c);

/* Returns the windows of SSIM of component @c: 8 x 8 samples at each fourth row
 * and column; 0: the component is too small. */
guint64 gst_cl_compared_windows (const GstClComparedShape *shape, guint c);

/* Returns the mean squared error of component @c, or of all together, by area.
 */
gdouble gst_cl_compared_mse (const GstClComparedShape *shape,
    const GstClCompared *compared, guint c);
gdouble gst_cl_compared_mse_of_all (const GstClComparedShape *shape,
    const GstClCompared *compared);

/* Returns the PSNR in dB for codes of @depth bits; infinite if @mse is 0. */
gdouble gst_cl_compared_psnr (gdouble mse, guint depth);

/* Returns the SSIM of component @c, or the mean of all by area. NaN: too small.
 */
gdouble gst_cl_compared_ssim (const GstClComparedShape *shape,
    const GstClCompared *compared, guint c);
gdouble gst_cl_compared_ssim_of_all (const GstClComparedShape *shape,
    const GstClCompared *compared);

/* Returns the XPSNR of component @i of shape->weighted in dB; infinite if the
 * frames are equal. */
gdouble gst_cl_compared_xpsnr (const GstClComparedShape *shape,
    const GstClCompared *compared, guint i);

/* Adds the fields of @compared to @structure; @has_lavfi: also with the keys of
 * FFmpeg's filters. */
void gst_cl_compared_add (GstStructure *structure,
    const GstClComparedShape *shape, const GstClCompared *compared,
    gboolean has_lavfi);

/* Adds the component, x and y of the first different sample, in the order of
 * components and then of rows; "" and -1 if the frames are equal. */
void gst_cl_compared_add_first (GstStructure *structure,
    const GstClComparedShape *shape, const GstClCompared *compared);

/* Metrics of regions: XPSNR has weights of the whole picture. */
#define GST_CL_COMPARE_OF_REGIONS                                              \
  (GST_CL_COMPARE_PSNR | GST_CL_COMPARE_SSIM | GST_CL_COMPARE_MAX_DIFFERENCE)

/* Adds the fields of @n regions, which begin with @prefix, as arrays with one
 * entry per region; for values per component, an array for each component.
 * @shapes: of each region; only the sizes of components differ. */
void gst_cl_compared_add_regions (GstStructure *structure, const gchar *prefix,
    const GstClComparedShape *shapes, const GstClCompared *compared, guint n);

/* --- pooled results ------------------------------------------------------- */

/* The results of many frames. Sums are integers, so that those of two parts
 * merge exactly into those of the whole: docs/clcompare.md says which. */
typedef struct _GstClComparePool GstClComparePool;

/* Returns the pool of no frame. transfer full */
GstClComparePool *gst_cl_compare_pool_new (const GstClComparedShape *shape);
void gst_cl_compare_pool_free (GstClComparePool *self); /* accepts NULL */

/* Adds a frame. */
void gst_cl_compare_pool_add (GstClComparePool *self,
    const GstClCompared *compared, const GstClFrameTime *time);

/* Returns the number of frames. */
guint64 gst_cl_compare_pool_frames (const GstClComparePool *self);

/* Returns a structure called @name with the fields of docs/clcompare.md.
 * transfer full */
GstStructure *gst_cl_compare_pool_to_structure (const GstClComparePool *self,
    const gchar *name);

/* Removes all frames. */
void gst_cl_compare_pool_clear (GstClComparePool *self);

G_END_DECLS
