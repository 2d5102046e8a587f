/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclreadback.h"
#include "integral.h"
#include "ops/sample.h"

G_BEGIN_DECLS

/* Declarations that the implementations share. */

#define GST_CL_INTEGRAL_MAX_CHANNELS 4
#define GST_CL_INTEGRAL_MAX_KERNELS  3
#define GST_CL_INTEGRAL_MAX_SCRATCH  4

/* The steps of a row of the table: GstClImplementation.data. */
typedef struct {
  const gchar *kernels[GST_CL_INTEGRAL_MAX_KERNELS]; /* NULL after the last */
  /* Returns the compiler options; transfer full. */
  gchar *(*options) (const GstClIntegralOp *op);
  /* Allocates op->scratch, after the kernels are built. NULL: no scratch. */
  gboolean (*allocate) (GstClIntegralOp *op, GError **error);
  /* Enqueues the kernels. */
  gboolean (*run) (GstClIntegralOp *op, const GstClComponent *components,
      const GstClSums *sums, GError **error);
  gboolean
      allows_word_alignment; /* sums of 8 bytes need an alignment of 4 only */
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
  GstClIntegralProblem problem;    /* the problem of the steps: integer sums */

  /* A last step converts the sums to the requested ones: floats, or sums of 8
   * bytes at any multiple of 4. */
  gboolean is_placed;
  GstClKernel *place;
  cl_mem exact; /* sums of 8 bytes, before the last step */

  GstClKernel *kernels[GST_CL_INTEGRAL_MAX_KERNELS];

  /* used by the steps */
  gint n_bands;
  gsize n_tiles; /* of all components */
  cl_mem scratch[GST_CL_INTEGRAL_MAX_SCRATCH];

  /* of a single pass */
  guint epoch;             /* launches so far */
  GstClReadback *readback; /* whether a launch has timed out */
  gboolean has_fallen_back;
};

/* The tuning of "multi-pass-cpu" is a percentage of the default number of bands
 * of rows; its value is a number of bands. */
void gst_cl_integral_cpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* Tunings of tiles, and their values: work-items across, row groups, and rows
 * of a tile. */
void gst_cl_integral_gpu_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* For measurements: GstClOpTable.make_io and so on. */
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

/* Returns the number of rows and columns of zeros before the frame's sums. */
gint gst_cl_integral_border (const GstClIntegralProblem *problem);

/* Returns the number of sums in a row of the result. */
guint64 gst_cl_integral_row_length (const GstClIntegralProblem *problem);

/* Returns the number of sums of the whole result. */
guint64 gst_cl_integral_count_sums (const GstClIntegralProblem *problem);

/* Returns the distance between adjacent samples of a row, in samples. */
gint gst_cl_integral_pixel_stride (const GstClIntegralProblem *problem);

/* Returns the largest value that is summed: gst_cl_sample_max_code(), which
 * does not depend on the depth, or its square. */
guint64 gst_cl_integral_max_value (const GstClIntegralProblem *problem);

/* Fills @args with the memories, offsets and strides of the components, four
 * each, since the kernels have four arguments each. Returns the number of
 * arguments. */
guint gst_cl_integral_fill_components (const GstClIntegralProblem *problem,
    const GstClComponent *components, GstClArg *args);

/* Allocates op->scratch[@index]. */
gboolean gst_cl_integral_allocate (GstClIntegralOp *op, guint index,
    guint64 size_bytes, GError **error);

G_END_DECLS
