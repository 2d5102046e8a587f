/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "moments.h"

#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* What is behind GstClMomentsOp. An instance of a row enqueues kernels that
 * leave one partial a component, in the components' order. */

/* Frames of one launch at most; kernels/moments/gpu.cl has as many. */
#define GST_CL_MOMENTS_BATCH_FRAMES 8

/* A frame in a launch of several. */
typedef struct {
  const GstClComponent *components; /* in one memory, below 2^31 bytes */
  cl_event upload;                  /* to be waited for; or NULL */
} GstClMomentsBatchPart;

/* How a row measures several frames in one launch (momentsbatch.c). An instance
 * has kernels and results of its own. */
typedef struct {
  /* Kernels go to @queue, which lasts as long as the instance runs. NULL with
   * @error; transfer full */
  gpointer (*create) (GstClContext *context, const GstClCandidate *candidate,
      const GstClMomentsProblem *problem, cl_command_queue queue,
      GError **error);

  /* Enqueues the reduction of 1 to GST_CL_MOMENTS_BATCH_FRAMES frames, which
   * leaves their partials one frame after the other. Waits for nothing. */
  gboolean (*run) (gpointer instance, const GstClMomentsBatchPart *parts,
      guint n_parts, GError **error);

  /* The buffer of partials of the last run; the next one's may be another.
   * transfer none */
  cl_mem (*get_result) (gconstpointer instance);
  void (*free) (gpointer instance);
} GstClMomentsBatchRow;

/* What a row is made of: GstClImplementation.data. */
typedef struct {
  GstClInstanceFuncs funcs;

  /* The buffer of partials of the last run; the next one's may be another.
   * transfer none */
  cl_mem (*get_result) (gconstpointer instance);

  const GstClMomentsBatchRow *batch; /* NULL: one frame a launch */
} GstClMomentsRow;

/* Rounds over blocks of samples, then of partials: momentsrounds.c. */
extern const GstClMomentsRow gst_cl_moments_rounds;

/* Tiles that are added up where they are: momentstiles.c. A tuning is a number
 * of rows of a tile, 256 at most. */
extern const GstClMomentsRow gst_cl_moments_tiles;
void gst_cl_moments_tiles_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* Bands of rows of whole planes, then their merge: momentsbands.c. A tuning is
 * a percentage of the usual number of bands; it comes to a number of bands. */
extern const GstClMomentsRow gst_cl_moments_bands;
void gst_cl_moments_bands_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* --- frames of several streams: momentsbatch.c --------------------------- */

/* One launch and one read for frames of several streams, enqueued and waited
 * for by a thread of its own (gstclbatchqueue.h). */

typedef struct _GstClMomentsBatcher GstClMomentsBatcher;

/* A frame that was added. */
typedef struct _GstClBatchedFrame GstClBatchedFrame;

/* Returns the batcher of all ops of @context that are made of the same
 * @candidate, whose row has a GstClMomentsBatchRow, for the same @problem. Any
 * thread; transfer full. */
GstClMomentsBatcher *gst_cl_moments_batcher_get (GstClContext *context,
    const GstClCandidate *candidate, const GstClMomentsProblem *problem);

/* Returns whether several ops have got it: one alone is quicker without it. Any
 * thread. */
gboolean gst_cl_moments_batcher_is_shared (GstClMomentsBatcher *batcher);

/* The frames that were added must be free. Any thread but the batcher's own;
 * accepts NULL. */
void gst_cl_moments_batcher_leave (GstClMomentsBatcher *batcher);

/* Returns whether a frame of these components can be added: they lie in one
 * memory, none of them beyond its first 2 GiB. */
gboolean gst_cl_moments_batcher_takes (const GstClComponent *components,
    guint n_components);

/* Adds a frame of @source, one of those that have got @batcher. It is measured
 * after @pending, which the batcher enqueues. What both name must last until
 * the fence is signalled or, if it fails, until the queues of the context have
 * nothing to do. A frame whose own transfer fails is told so, and others that
 * shared its launch are launched again; so are, once, all of a launch that
 * fails otherwise. NULL with @error. Any thread; transfer full. */
GstClBatchedFrame *gst_cl_moments_batcher_add (GstClMomentsBatcher *batcher,
    gconstpointer source, const GstClComponent *components,
    const GstClPendingUpload *pending, GError **error);

/* Returns the fence that is signalled when the results of the frame have been
 * read; transfer none. */
GstClFence *gst_cl_batched_frame_fence (GstClBatchedFrame *frame);

/* Waits for the results: as many as the problem has components. Any thread, one
 * a frame. */
gboolean gst_cl_batched_frame_result (GstClBatchedFrame *frame,
    GstClMoments *results, GError **error);

/* Waits for the results. Accepts NULL. */
void gst_cl_batched_frame_free (GstClBatchedFrame *frame);

/* --- what candidates are measured with: momentstrial.c ------------------- */

/* The functions make_io(), free_io() and count_bytes() of GstClOpTable. */
gpointer gst_cl_moments_io_new (GstClContext *context, gconstpointer problem,
    GError **error);
void gst_cl_moments_io_free (gpointer io);
guint64 gst_cl_moments_count_bytes (gconstpointer problem, guint n_candidates);

/* --- known answers: momentsanswers.c ------------------------------------- */

/* GstClOpTable.answers and so on. */
#define GST_CL_MOMENTS_N_ANSWERS 1
extern const GstClAnswer gst_cl_moments_answers[GST_CL_MOMENTS_N_ANSWERS];
gboolean gst_cl_moments_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS
