/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclreadback.h"
#include "integral.h"
#include "ops/sample.h"

G_BEGIN_DECLS

/* What the implementations share. */

#define GST_CL_INTEGRAL_MAX_CHANNELS 4
#define GST_CL_INTEGRAL_MAX_KERNELS  3
#define GST_CL_INTEGRAL_MAX_SCRATCH  4

/* What a row of the table does: GstClImplementation.data. */
typedef struct {
  const gchar *kernels[GST_CL_INTEGRAL_MAX_KERNELS]; /* NULL after the last */
  /* Options of the compiler; transfer full. */
  gchar *(*options) (const GstClIntegralOp *op);
  /* Allocates op->scratch, after the kernels are built. NULL: needs none. */
  gboolean (*allocate) (GstClIntegralOp *op, GError **error);
  /* Enqueues the kernels. */
  gboolean (*run) (GstClIntegralOp *op, const GstClComponent *components,
      const GstClSums *sums, GError **error);
  gboolean suits_words; /* sums of 8 bytes need be aligned to 4 only */
} GstClIntegralSteps;

extern const GstClIntegralSteps gst_cl_integral_cpu_steps;
extern const GstClIntegralSteps gst_cl_integral_gpu_steps;
extern const GstClIntegralSteps gst_cl_integral_single_steps;
extern const GstClIntegralSteps gst_cl_integral_plain_steps;
extern const GstClIntegralSteps gst_cl_integral_async_steps;
extern const GstClIntegralSteps gst_cl_integral_tilted_steps;

struct _GstClIntegralOp {
  GstClContext *context;
  GstClCandidate candidate;
  const GstClIntegralSteps *steps; /* the candidate's */
  GstClIntegralProblem problem;    /* what the steps compute: integers */

  /* Whether a last step turns these into what was asked for: floats, or sums of
   * 8 bytes at any multiple of 4. */
  gboolean is_placed;
  GstClKernel *place;
  cl_mem exact; /* sums of 8 bytes, before they are placed */

  GstClKernel *kernels[GST_CL_INTEGRAL_MAX_KERNELS];

  /* the steps' own */
  gint n_bands;
  gsize n_tiles; /* of all components */
  cl_mem scratch[GST_CL_INTEGRAL_MAX_SCRATCH];

  /* of a single pass */
  guint epoch;             /* launches so far */
  GstClReadback *readback; /* whether one of them gave up */
  gboolean has_given_up;
};

/* The tuning of "multi-pass-cpu" is a percentage of the usual number of bands
 * of rows; it comes to a number of bands. */
void gst_cl_integral_cpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* Tunings of tiles, and what they come to: lanes, row groups, rows of a
 * tile. */
void gst_cl_integral_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* What candidates are measured with: GstClOpTable.make_io and so on. */
gpointer gst_cl_integral_io_new (GstClContext *context, gconstpointer problem,
    GError **error);
void gst_cl_integral_io_free (gpointer io);
guint64 gst_cl_integral_count_bytes (gconstpointer problem, guint n_candidates);

/* Known answers: GstClOpTable.answers and so on. */
#define GST_CL_INTEGRAL_N_ANSWERS 3
extern const GstClAnswer gst_cl_integral_answers[GST_CL_INTEGRAL_N_ANSWERS];
gboolean gst_cl_integral_is_alike (gconstpointer answered,
    gconstpointer problem);
gboolean gst_cl_integral_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Rows and columns of zeros before the frame's own sums. */
gint gst_cl_integral_border (const GstClIntegralProblem *problem);

/* Sums in a row of the result. */
guint64 gst_cl_integral_row_length (const GstClIntegralProblem *problem);

/* Sums of the whole result. */
guint64 gst_cl_integral_count_sums (const GstClIntegralProblem *problem);

/* From a component's sample to its next, in samples. */
gint gst_cl_integral_pixel_stride (const GstClIntegralProblem *problem);

/* The largest value that is summed, whatever bits a sample has. */
guint64 gst_cl_integral_max_value (const GstClIntegralProblem *problem);

/* Fills @args with where the components lie: memories, offsets and strides,
 * four each, since the kernels have room for so many. Returns how many these
 * are. */
guint gst_cl_integral_fill_components (const GstClIntegralProblem *problem,
    const GstClComponent *components, GstClArg *args);

/* Allocates op->scratch[@index]. */
gboolean gst_cl_integral_allocate (GstClIntegralOp *op, guint index,
    guint64 size_bytes, GError **error);

G_END_DECLS
