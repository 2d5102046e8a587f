/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclreadback.h"
#include "integral.h"
#include "ops/sample.h"

G_BEGIN_DECLS

/* What the ways of making an integral image share. */

#define GST_CL_INTEGRAL_MAX_CHANNELS 4
#define GST_CL_INTEGRAL_MAX_KERNELS  3
#define GST_CL_INTEGRAL_MAX_SCRATCH  4

/* A way: which kernels, which scratch memory, in which order. */
typedef struct {
  const gchar *kernels[GST_CL_INTEGRAL_MAX_KERNELS]; /* NULL after the last */
  /* of the compiler; transfer full */
  gchar *(*options) (const GstClIntegralSpec *spec);
  /* NULL: needs none; after the kernels are built */
  gboolean (*allocate) (GstClIntegralOp *op, GError **error);
  gboolean (*run) (GstClIntegralOp *op, const GstClComponent *components,
      const GstClSums *sums, GError **error);
  gboolean suits_words; /* sums of 8 bytes need be aligned to 4 only */
  gboolean
      sums_bytes; /* sums of samples of one byte; the plain form the rest */
} GstClIntegralForm;

/* Tilted sums have one form, whatever the method; the others are one row for
 * each of the public table. */
extern const GstClIntegralForm gst_cl_integral_tilted_form;
extern const GstClIntegralForm gst_cl_integral_cpu_form;
extern const GstClIntegralForm gst_cl_integral_gpu_form;
extern const GstClIntegralForm gst_cl_integral_single_form;
extern const GstClIntegralForm gst_cl_integral_plain_form;
extern const GstClIntegralForm gst_cl_integral_async_form;

struct _GstClIntegralOp {
  GstClContext *context;
  const GstClIntegralForm *form;
  GstClIntegralSpec spec; /* what the form makes: integers */

  /* NULL if that is what was asked for already */
  GstClKernel *place;
  cl_mem exact; /* sums of 8 bytes, before they are placed */

  GstClKernel *kernels[GST_CL_INTEGRAL_MAX_KERNELS];

  /* the form's own */
  gint n_bands;
  gsize n_tiles; /* of all components */
  cl_mem scratch[GST_CL_INTEGRAL_MAX_SCRATCH];

  /* of a single pass */
  guint epoch;             /* launches so far */
  GstClReadback *readback; /* whether one of them gave up */
  gboolean has_given_up;
};

/* The form that makes @spec where @variant is asked for, and its kernel file. */
const GstClIntegralForm *gst_cl_integral_form (
    const GstClImplementation *variant, const GstClIntegralSpec *spec,
    const gchar **resource);

/* Bands of rows that the form for CPUs has where the tiling names no number, and
 * the most that it should have. */
#define GST_CL_INTEGRAL_MAX_BANDS 64
guint gst_cl_integral_usual_bands (const GstClDevice *device,
    const GstClIntegralSpec *spec);

/* Rows and columns of zeros before the frame's own sums. */
gint gst_cl_integral_border (const GstClIntegralSpec *spec);

/* Sums in a row of the result. */
guint64 gst_cl_integral_row_length (const GstClIntegralSpec *spec);

/* From a component's sample to its next, in samples. */
gint gst_cl_integral_pixel_stride (const GstClIntegralSpec *spec);

/* The largest value that is summed, whatever bits a sample has. */
guint64 gst_cl_integral_max_value (const GstClIntegralSpec *spec);

/* Allocates op->scratch[@index]. */
gboolean gst_cl_integral_allocate (GstClIntegralOp *op, guint index,
    guint64 size_bytes, GError **error);

G_END_DECLS
