/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclreadback.h"
#include "ops/picture.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* The base of ops that measure pictures. An instance has the kernels of its row
 * and buffers for the largest picture; each run writes one result, which is
 * read into a slot. The first member of a problem is a GstClPictureShape, which
 * no later picture exceeds. What differs between ops is in
 * GstClPictureOpFuncs. */
typedef struct _GstClPictureOp GstClPictureOp;

/* The size of a component of a measured picture, in samples. */
typedef struct {
  guint width, height;
} GstClPictureSize;

#define GST_CL_PICTURE_OP_KERNELS 4
#define GST_CL_PICTURE_OP_BUFFERS 3

/* The maximum number of results in flight. */
#define GST_CL_PICTURE_OP_SLOTS 64

/* The functions of one op. @op has its context, row, problem and shape. */
typedef struct {
  const gchar *name; /* of the op, for errors */
  gsize problem_bytes;
  guint word_bytes;        /* of the numbers in a result: 4 or 8 */
  guint n_answer_pictures; /* measured one after the other for an answer */
  gboolean compares;       /* the picture with another one */

  /* Returns the compiler options of the kernels for component @c; transfer
   * full. */
  gchar *(*get_options) (const GstClPictureOp *op, guint c);
  /* Returns whether kernel @k of the row is needed. NULL: all are. */
  gboolean (*needs_kernel) (const GstClPictureOp *op, guint k);
  /* Returns the bytes of a result for components of these sizes. */
  gsize (*count_result_bytes) (const GstClPictureOp *op,
      const GstClPictureSize *sizes);
  /* Returns the most bytes of a result. NULL: those of a picture as large as
   * the problem's. */
  gsize (*count_most_result_bytes) (const GstClPictureOp *op);
  /* Returns the bytes of buffer @b, not the first; 0: it is not needed. NULL:
   * none is. */
  gsize (*count_buffer_bytes) (const GstClPictureOp *op, guint b);
  /* Prepares more; NULL: nothing. FALSE with @error. */
  gboolean (*init) (GstClPictureOp *op, GError **error);

  /* Enqueues the kernels; op->sizes are those of @input. */
  gboolean (*run) (GstClPictureOp *op, const GstClPictureInput *input,
      GError **error);

  /* Adds the result in @slot to *@digest. NULL: its words are. */
  gboolean (*add_digest) (GstClPictureOp *op, guint slot, guint64 *digest,
      GError **error);
} GstClPictureOpFuncs;

/* GstClImplementation.data; the first member of the rows of ops with other
 * constants. */
typedef struct {
  const GstClPictureOpFuncs *funcs;
  const gchar *kernels[GST_CL_PICTURE_OP_KERNELS]; /* NULL: none */
  gboolean is_by_component; /* each component has kernels of its own */
} GstClPictureRow;

/* Members are for the functions of the op. */
struct _GstClPictureOp {
  GstClContext *context;
  const GstClPictureRow *row;
  gconstpointer problem;          /* a copy */
  const GstClPictureShape *shape; /* in the problem */

  /* of each component, or those of the first one for all; NULL: not needed */
  GstClKernel
      *kernels[GST_CL_PICTURE_MAX_COMPONENTS][GST_CL_PICTURE_OP_KERNELS];
  cl_mem buffers[GST_CL_PICTURE_OP_BUFFERS]; /* the first one: the result of the
                                                next or last run; others: NULL
                                                if not needed */
  cl_mem own_result; /* NULL: results are in a GstClPictureResults, or there is
                        none yet */
  GstClPictureSize sizes[GST_CL_PICTURE_MAX_COMPONENTS]; /* of the last run */

  /* what the next run is compared with, if the op has a state */
  gboolean has_state;
  GstClPictureSize state_size;

  struct {
    GstClReadback *own;      /* NULL before the first read of own_result */
    GstClReadback *readback; /* of the last read; borrowed */
    gsize offset_bytes;      /* of the result in it */
    GstClPictureSize sizes[GST_CL_PICTURE_MAX_COMPONENTS];
  } slots[GST_CL_PICTURE_OP_SLOTS];
};

/* create() and free() of all rows. Creates an op of @candidate. NULL with
 * @error; any thread; transfer full. */
gpointer gst_cl_picture_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_picture_op_free (gpointer op); /* accepts NULL */

/* Enqueues one picture, const GstClPictureInput *, whose components are parts
 * of frames, each with its own size. Does not wait. The first run allocates the
 * result, unless it is in a GstClPictureResults. FALSE with
 * CL_INVALID_VALUE if a component is larger than that of the problem or has
 * another pixel stride; for an op that compares, also if the other picture is
 * missing or differs from it in size, pixel stride or sample type. */
gboolean gst_cl_picture_op_run (gpointer op, gconstpointer input,
    GError **error);

/* Enqueues the read of the last run's result into @slot (below
 * GST_CL_PICTURE_OP_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_picture_op_fetch (GstClPictureOp *op, guint slot,
    GError **error);

/* Waits for the read into @slot. Returns the words of the result, and sets
 * *@sizes (NULL: does not) to the sizes of the components of its picture; both
 * stay valid until the next read into the slot. NULL with @error. Any thread,
 * one per slot. */
gconstpointer gst_cl_picture_op_result (GstClPictureOp *op, guint slot,
    const GstClPictureSize **sizes, GError **error);

/* The results of several ops for one picture: one buffer on the device, and one
 * read. The ops must not run, or be read, after it is freed. Streaming thread,
 * but for gst_cl_picture_op_result(). */
typedef struct _GstClPictureResults GstClPictureResults;

GstClPictureResults *gst_cl_picture_results_new (GstClContext *context);
void gst_cl_picture_results_free (GstClPictureResults *self);

#define GST_CL_PICTURE_RESULTS_OPS 8 /* the most */

/* Begins a picture that @ops measure (@n; NULL: no op). Allocates if the
 * results of the largest pictures do not fit. FALSE with @error. */
gboolean gst_cl_picture_results_begin (GstClPictureResults *self,
    GstClPictureOp *const *ops, guint n, GError **error);

/* Enqueues the kernels of ops[i]: gst_cl_picture_op_run(). Its result is behind
 * those of the ops before. */
gboolean gst_cl_picture_results_run (GstClPictureResults *self, guint i,
    const GstClPictureInput *input, GError **error);

/* Enqueues the read of these results into @slot, instead of
 * gst_cl_picture_op_fetch() for each op. Does not flush: another read on the
 * compute queue follows. */
gboolean gst_cl_picture_results_fetch (GstClPictureResults *self, guint slot,
    GError **error);

/* Makes the next picture be compared with none. */
void gst_cl_picture_op_forget (GstClPictureOp *op);

/* --- for tables ----------------------------------------------------------- */

/* Returns "@name of 8+0 bits, @more, 64x48 ..."; transfer full. */
gchar *gst_cl_picture_shape_describe (const GstClPictureShape *shape,
    const gchar *name, const gchar *more);

extern const GstClInstanceFuncs gst_cl_picture_op_instance;
gpointer gst_cl_picture_op_make_io (GstClContext *context,
    gconstpointer problem, GError **error);
gboolean gst_cl_picture_op_is_alike (gconstpointer answered,
    gconstpointer problem);
gboolean gst_cl_picture_op_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Members of GstClImplementation, of the row for CPUs and of the plain one. No
 * element has their methods: the device decides. */
#define GST_CL_PICTURE_OP_CPU_ROW(folder, row)                                 \
  .name = "cpu", .method = 2, .resource = folder "/cpu.cl",                    \
  .family = GST_CL_FAMILY_CPU, .funcs = &gst_cl_picture_op_instance,           \
  .data = &(row)
#define GST_CL_PICTURE_OP_PLAIN_ROW(folder, row)                               \
  .name = "plain", .method = 1, .resource = folder "/plain.cl",                \
  .family = GST_CL_FAMILY_ANY, .funcs = &gst_cl_picture_op_instance,           \
  .data = &(row)

/* Members of GstClOpTable and of GstClTieredFuncs. */
#define GST_CL_PICTURE_OP_TABLE(rows_, answers_)                               \
  .rows = rows_, .n_rows = G_N_ELEMENTS (rows_), .answers = answers_,          \
  .n_answers = G_N_ELEMENTS (answers_), .make_io = gst_cl_picture_op_make_io,  \
  .free_io = gst_cl_picture_input_free,                                        \
  .compute_answer = gst_cl_picture_op_compute_answer
#define GST_CL_PICTURE_OP_TIERED                                               \
  .create = gst_cl_picture_op_new, .free = gst_cl_picture_op_free,             \
  .run = gst_cl_picture_op_run

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClPictureOp, gst_cl_picture_op_free)

G_END_DECLS
