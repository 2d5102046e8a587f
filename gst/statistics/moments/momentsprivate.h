/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "moments.h"

#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* The implementation of GstClMomentsOp. An instance of a row enqueues kernels
 * that write one partial per component, in the components' order. */

/* The maximum number of frames in a launch; the same number as in
 * kernels/moments/gpu.cl. */
#define GST_CL_MOMENTS_BATCH_FRAMES 8

/* A frame in a launch of several frames. */
typedef struct {
  const GstClComponent *components; /* in one memory, below 2^31 bytes */
  cl_event upload;                  /* the event to wait for; or NULL */
} GstClMomentsBatchPart;

/* The functions of a row that measures several frames in one launch
 * (momentsbatch.c). An instance has its own kernels and results. */
typedef struct {
  /* Creates an instance that enqueues kernels on @queue, which must outlive it.
   * NULL with @error; transfer full. */
  gpointer (*create) (GstClContext *context, const GstClCandidate *candidate,
      const GstClMomentsProblem *problem, cl_command_queue queue,
      GError **error);

  /* Enqueues the reduction of 1 to GST_CL_MOMENTS_BATCH_FRAMES frames, which
   * writes their partials one frame after the other. Does not wait. */
  gboolean (*run) (gpointer instance, const GstClMomentsBatchPart *parts,
      guint n_parts, GError **error);

  /* Returns the buffer of partials of the last run; the next run may use
   * another one. Transfer none. */
  cl_mem (*get_result) (gconstpointer instance);
  void (*free) (gpointer instance);
} GstClMomentsBatchRow;

/* The functions of a row: GstClImplementation.data. */
typedef struct {
  GstClInstanceFuncs funcs;

  /* Returns the buffer of partials of the last run; the next run may use
   * another one. Transfer none. */
  cl_mem (*get_result) (gconstpointer instance);

  const GstClMomentsBatchRow *batch; /* NULL: one frame per launch */
} GstClMomentsRow;

/* Rounds over blocks of samples, then of partials: momentsrounds.c. */
extern const GstClMomentsRow gst_cl_moments_rounds;

/* Tiles whose partials are added up in the same launch: momentstiles.c. A
 * tuning is the number of rows of a tile, 256 at most. */
extern const GstClMomentsRow gst_cl_moments_tiles;
void gst_cl_moments_tiles_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* Bands of rows of whole planes, then their merge: momentsbands.c. A tuning is
 * a percentage of the default number of bands; its value is a number of bands.
 */
extern const GstClMomentsRow gst_cl_moments_bands;
void gst_cl_moments_bands_resolve (gconstpointer problem,
    const GstClDevice *device, const GstClTuning *tuning, guint *values);

/* --- frames of several streams: momentsbatch.c --------------------------- */

/* Batches frames of several streams: one launch and one read, for which one
 * thread enqueues and waits (gstclbatchqueue.h). */

typedef struct _GstClMomentsBatcher GstClMomentsBatcher;

/* A frame that was added to a batcher. */
typedef struct _GstClBatchedFrame GstClBatchedFrame;

/* Returns the batcher of all ops of @context with the same @candidate, whose
 * row has a GstClMomentsBatchRow, and the same @problem. Any thread; transfer
 * full. */
GstClMomentsBatcher *gst_cl_moments_batcher_get (GstClContext *context,
    const GstClCandidate *candidate, const GstClMomentsProblem *problem);

/* Returns TRUE if several ops share the batcher: a single op is faster without
 * it. Any thread. */
gboolean gst_cl_moments_batcher_is_shared (GstClMomentsBatcher *batcher);

/* Releases @batcher; accepts NULL. The frames that the caller added must be
 * free. Any thread except the batcher's own. */
void gst_cl_moments_batcher_release (GstClMomentsBatcher *batcher);

/* Returns TRUE if a frame of these components can be added: they are within the
 * first 2 GiB of one memory. */
gboolean gst_cl_moments_batcher_takes (const GstClComponent *components,
    guint n_components);

/* Adds a frame of @source, one of the owners of @batcher. The frame is measured
 * after @pending, which the batcher enqueues. The frame and @pending must stay
 * valid until the fence is signalled or, if it fails, until the queues of the
 * context are idle. If a frame's own transfer fails, its fence fails, and the
 * other frames of the launch are launched again; if a launch fails for another
 * reason, all its frames are launched again, once. NULL with @error. Any
 * thread; transfer full. */
GstClBatchedFrame *gst_cl_moments_batcher_add (GstClMomentsBatcher *batcher,
    gconstpointer source, const GstClComponent *components,
    const GstClPendingUpload *pending, GError **error);

/* Returns the fence that is signalled when the results of the frame have been
 * read; transfer none. */
GstClFence *gst_cl_batched_frame_fence (GstClBatchedFrame *frame);

/* Waits for the results, one per component of the problem. Any thread, one per
 * frame. */
gboolean gst_cl_batched_frame_result (GstClBatchedFrame *frame,
    GstClMoments *results, GError **error);

/* Waits for the results and frees @frame. Accepts NULL. */
void gst_cl_batched_frame_free (GstClBatchedFrame *frame);

/* --- known answers: momentsanswers.c ------------------------------------- */

/* GstClOpTable.answers and so on. */
#define GST_CL_MOMENTS_N_ANSWERS 1
extern const GstClAnswer gst_cl_moments_answers[GST_CL_MOMENTS_N_ANSWERS];
gboolean gst_cl_moments_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS
