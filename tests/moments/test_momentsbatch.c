/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of several streams that share launches, compared with the
 * reference. */

#include "launchfault.h"
#include "momentscase.h"
#include "momentsbatchanswer.h"
#include "momentsbatchwrites.h"

#include "cl/memory/gstclreadback.h"
#include "statistics/moments/momentsprivate.h"

#define CASE_PREFIX "moments-batch/"

#define MAX_FRAMES     GST_CL_MOMENTS_BATCH_FRAMES
#define MAX_COMPONENTS GST_CL_MOMENTS_MAX_COMPONENTS

#define N_THREADS 12
#define N_RESULTS 60
#define N_SLOTS   3 /* results of a thread in flight */

/* --- frames -------------------------------------------------------------- */

typedef struct {
  TestFrame *frames[MAX_FRAMES];
  GstClCandidate candidate;
  GstClMomentsProblem problem;
} Frames;

/* Returns frames of one shape, each in its own memory, at different offsets. */
static Frames
frames_new (Harness *h, const GstClImplementation *row,
    const TestFormat *format, GstClSampleType sample, TestSize size)
{
  Frames self;

  for (guint i = 0; i < MAX_FRAMES; i++) {
    const TestSpacing spacing = { (gint) (3 * i % 5), (gint) (7 * i), TRUE };

    self.frames[i] = test_frame_new (h, format, sample, size.width, size.height,
        spacing);
    test_frame_fill (h, self.frames[i], FILL_RANDOM);
  }
  self.problem = moments_case_problem (self.frames[0]);
  self.candidate = gst_cl_implementation_untuned (row, &self.problem,
      h->context->device);

  return self;
}

static void
frames_clear (Frames *self)
{
  for (guint i = 0; i < MAX_FRAMES; i++)
    test_frame_free (self->frames[i]);
}

/* Calls @check with every row that measures several frames in a launch. */
static void
for_each_row (Harness *h,
    void (*check) (Harness *h, const GstClImplementation *row))
{
  guint n_rows = 0;

  for (guint i = 0; i < gst_cl_moments_table.n_rows; i++) {
    const GstClMomentsRow *row = gst_cl_moments_table.rows[i].data;

    if (row->batch) {
      check (h, &gst_cl_moments_table.rows[i]);
      n_rows++;
    }
  }
  if (n_rows == 0)
    harness_fail (h, NULL, "no row measures several frames in a launch");
}

/* --- launches ------------------------------------------------------------ */

/* Measures @n_frames frames, beginning with frame @first, in one launch. */
static void
check_launch (Harness *h, const GstClMomentsBatchRow *row, gpointer instance,
    GstClReadback *readback, const Frames *all, guint first, guint n_frames)
{
  GstClMomentsBatchPart parts[MAX_FRAMES] = { { .upload = NULL } };
  g_autoptr (GError) error = NULL;
  const GstClMoments *results = NULL;

  for (guint i = 0; i < n_frames; i++)
    parts[i].components = all->frames[(first + i) % MAX_FRAMES]->components;
  if (row->run (instance, parts, n_frames, &error) &&
      gst_cl_readback_enqueue (readback, 0, row->get_result (instance), &error))
    results = gst_cl_readback_wait (readback, 0, &error);
  if (!results) {
    harness_fail (h, error, "a launch of %u frames fails", n_frames);
    return;
  }

  for (guint i = 0; i < n_frames; i++) {
    g_autofree gchar *what = g_strdup_printf ("frame %u of %u", i, n_frames);

    moments_case_compare (h, all->frames[(first + i) % MAX_FRAMES], what,
        results + i * all->problem.n_components);
  }
}

/* Launches of few frames after launches of many, and vice versa: each launch
 * must clear the results for the next one. */
static void
check_launches_of (Harness *h, const GstClImplementation *implementation,
    const TestFormat *format, GstClSampleType sample, TestSize size)
{
  static const guint counts[] = { 8, 1, 2, 8, 7, 3, 1, 1, 6, 5, 4, 8 };
  const GstClMomentsRow *row = implementation->data;
  Frames all = frames_new (h, implementation, format, sample, size);
  g_autoptr (GError) error = NULL;
  gpointer instance = row->batch->create (h->context, &all.candidate,
      &all.problem, h->context->queue, &error);
  g_autoptr (GstClReadback) readback = gst_cl_readback_new (h->context, 1,
      MAX_FRAMES * format->n_components * sizeof (GstClMoments), NULL);

  if (!instance || !readback)
    harness_fail (h, error,
        "%s, frames of %s: cannot create an instance or a readback",
        implementation->name, format->name);
  for (guint i = 0; i < G_N_ELEMENTS (counts) && h->n_failed == 0; i++)
    check_launch (h, row->batch, instance, readback, &all, i, counts[i]);
  if (instance)
    row->batch->free (instance);
  frames_clear (&all);
}

static void
check_launches_of_row (Harness *h, const GstClImplementation *row)
{
  static const TestSize sizes[] = { { 1, 1 }, { 33, 17 }, { 521, 131 } };
  const guint n_sizes = harness_count (h, G_N_ELEMENTS (sizes), 2);

  for (guint i = 0; i < n_sizes; i++) {
    for (guint f = i % 2; f < n_test_formats; f += 2)
      check_launches_of (h, row, &test_formats[f],
          test_samples[(f + i) % n_test_samples], sizes[i]);
  }
}

static void
check_launches (Harness *h)
{
  for_each_row (h, check_launches_of_row);
}

/* --- threads ------------------------------------------------------------- */

typedef struct {
  GstClMomentsOp *op;
  const TestFrame *frame;
  GstClMoments results[N_RESULTS][MAX_COMPONENTS];
  GError *error;
} Stream;

/* Measures a frame into result slot @slot, in a batch if there are other
 * streams. */
static void
stream_measure (Stream *self, guint slot)
{
  const GstClComponent *components = self->frame->components;
  const GstClPendingUpload pending = { .upload = NULL };

  if (gst_cl_moments_op_is_batched (self->op, components))
    gst_cl_fence_unref (gst_cl_moments_op_run_batched (self->op, components,
        &pending, slot, &self->error));
  else if (gst_cl_moments_op_run (self->op, components, &self->error))
    gst_cl_moments_op_fetch (self->op, slot, &self->error);
}

/* Measures N_RESULTS frames and keeps their results. Every seventh frame is
 * measured twice: its first results are never read, as after a flush. */
static gpointer
stream_run (gpointer user_data)
{
  Stream *self = user_data;

  for (guint i = 0; i < N_RESULTS + N_SLOTS && !self->error; i++) {
    const guint slot = i % N_SLOTS;

    if (i >= N_SLOTS)
      gst_cl_moments_op_result (self->op, slot, self->results[i - N_SLOTS],
          &self->error);
    if (i < N_RESULTS && !self->error && i % 7 == 0)
      stream_measure (self, slot);
    if (i < N_RESULTS && !self->error)
      stream_measure (self, slot);
  }

  return NULL;
}

static void
stream_check (Harness *h, Stream *self)
{
  if (self->error)
    harness_fail (h, self->error, "a stream of %u concurrent ones fails",
        N_THREADS);
  for (guint i = 0; i < N_RESULTS && h->n_failed == 0; i++)
    moments_case_compare (h, self->frame, "one of several concurrent streams",
        self->results[i]);
  gst_cl_moments_op_free (self->op);
  g_clear_error (&self->error);
}

static void
check_threads_of_row (Harness *h, const GstClImplementation *row)
{
  Frames all = frames_new (h, row, test_format_find ("I420"), test_samples[0],
      (TestSize){ 177, 67 });
  g_autofree Stream *streams = g_new0 (Stream, N_THREADS);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++) {
    streams[i].frame = all.frames[i % MAX_FRAMES];
    streams[i].op = moments_case_op (h, &all.candidate, streams[i].frame);
    if (!streams[i].op)
      return;
  }
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("stream", stream_run, &streams[i]);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < N_THREADS; i++)
    stream_check (h, &streams[i]);
  frames_clear (&all);
}

static void
check_threads (Harness *h)
{
  for_each_row (h, check_threads_of_row);
}

/* --- uploads ------------------------------------------------------------- */

#define UPLOAD_US 20000 /* microseconds of an upload */

/* Checks that the fence of @frame is not signalled before @upload is complete,
 * and then the results. */
static void
check_waiting (Harness *h, GstClMomentsOp *op, const TestFrame *frame,
    cl_event upload)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClFence) fence = gst_cl_moments_op_run_batched (op,
      frame->components, &(GstClPendingUpload){ .upload = upload }, 0, &error);
  GstClMoments results[MAX_COMPONENTS];

  if (!fence)
    harness_fail (h, error, "cannot run a frame whose upload is pending");
  g_usleep (UPLOAD_US);
  if (fence && gst_cl_fence_is_settled (fence))
    harness_fail (h, NULL,
        "the fence of a frame is signalled before its upload is complete");
  clSetUserEventStatus (upload, CL_COMPLETE);
  if (!fence)
    return;

  if (gst_cl_moments_op_result (op, 0, results, &error))
    moments_case_compare (h, frame, "a frame after its upload", results);
  else
    harness_fail (h, error, "no results of a frame after its upload");
}

static void
check_uploads_of_row (Harness *h, const GstClImplementation *row)
{
  Frames all = frames_new (h, row, test_format_find ("I420"), test_samples[0],
      (TestSize){ 177, 67 });
  GstClMomentsOp *op = moments_case_op (h, &all.candidate, all.frames[0]);
  cl_event upload = clCreateUserEvent (h->context->handle, NULL);

  if (op)
    gst_cl_moments_op_is_batched (op, all.frames[0]->components);
  if (op && upload)
    check_waiting (h, op, all.frames[0], upload);
  else
    harness_fail (h, NULL, "%s: cannot create an op or an event", row->name);
  clReleaseEvent (upload);
  gst_cl_moments_op_free (op);
  frames_clear (&all);
}

static void
check_uploads (Harness *h)
{
  for_each_row (h, check_uploads_of_row);
}

/* --- launches that fail --------------------------------------------------- */

#define N_OTHERS 2 /* streams in addition to the one whose transfer fails */

/* Adds a frame of @op whose transfer is @upload (may be NULL). */
static void
run_batched (Harness *h, GstClMomentsOp *op, const TestFrame *frame,
    cl_event upload, guint slot)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClFence)
      fence = gst_cl_moments_op_run_batched (op, frame->components,
          &(GstClPendingUpload){ .upload = upload }, slot, &error);

  if (!fence)
    harness_fail (h, error,
        "cannot run a frame in a batch with a failing transfer");
}

static void
check_result (Harness *h, GstClMomentsOp *op, const TestFrame *frame,
    guint slot, const gchar *what)
{
  GstClMoments results[MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;

  if (gst_cl_moments_op_result (op, slot, results, &error))
    moments_case_compare (h, frame, what, results);
  else
    harness_fail (h, error, "%s has no results", what);
}

/* How a launch fails, and whether another launch follows it, which then finds
 * results that the failed launch has not cleared. */
typedef struct {
  LaunchFault fault;
  gboolean is_followed;
} Failure;

/* The first launch waits for @first; meanwhile a frame of each op is enqueued
 * for the second launch. It fails because of @failing, the upload of a frame of
 * the first op: only this frame has no results. */
static void
check_failing (Harness *h, GstClMomentsOp *const *ops, const Frames *all,
    cl_event first, cl_event failing, const Failure *failure)
{
  GstClMoments results[MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;

  launch_fault_set (failure->fault, failing);
  run_batched (h, ops[0], all->frames[0], first, 0);
  g_usleep (UPLOAD_US);
  run_batched (h, ops[0], all->frames[0], failing, 1);
  for (guint i = 1; i <= N_OTHERS; i++)
    run_batched (h, ops[i], all->frames[i], NULL, 1);
  g_usleep (UPLOAD_US);
  for (guint i = 0; i <= N_OTHERS && failure->is_followed; i++)
    run_batched (h, ops[i], all->frames[i + 3], NULL, 2);
  g_usleep (UPLOAD_US);
  clSetUserEventStatus (failing, failure->fault == LAUNCHES_ARE_REFUSED
                                     ? CL_COMPLETE
                                     : CL_OUT_OF_RESOURCES);
  clSetUserEventStatus (first, CL_COMPLETE);

  check_result (h, ops[0], all->frames[0], 0, "a frame before the failure");
  for (guint i = 1; i <= N_OTHERS; i++)
    check_result (h, ops[i], all->frames[i], 1,
        "a frame in the batch of the failure");
  for (guint i = 0; i <= N_OTHERS && failure->is_followed; i++)
    check_result (h, ops[i], all->frames[i + 3], 2,
        "a frame after the failure");
  if (gst_cl_moments_op_result (ops[0], 1, results, &error))
    harness_fail (h, NULL,
        "a frame whose launch failed: expected CL_OUT_OF_RESOURCES, found "
        "results");
  else if (!g_error_matches (error, GST_CL_ERROR, CL_OUT_OF_RESOURCES))
    harness_fail (h, error,
        "a frame whose launch failed: expected CL_OUT_OF_RESOURCES");
  launch_fault_set (LAUNCHES_RUN, NULL);
}

static void
check_failure (Harness *h, const GstClImplementation *row,
    const Failure *failure)
{
  Frames all = frames_new (h, row, test_format_find ("I420"), test_samples[0],
      (TestSize){ 177, 67 });
  GstClMomentsOp *ops[N_OTHERS + 1] = { NULL };
  cl_event first = clCreateUserEvent (h->context->handle, NULL);
  cl_event failing = clCreateUserEvent (h->context->handle, NULL);
  gboolean are_created = first && failing;

  for (guint i = 0; i <= N_OTHERS && are_created; i++) {
    ops[i] = moments_case_op (h, &all.candidate, all.frames[i]);
    are_created = ops[i] != NULL;
  }
  /* an op counts as a stream from its first frame on */
  for (guint i = 0; i <= N_OTHERS && are_created; i++) {
    gst_cl_moments_op_is_batched (ops[i], all.frames[i]->components);
    run_batched (h, ops[i], all.frames[i], NULL, 3);
    check_result (h, ops[i], all.frames[i], 3, "the first frame of a stream");
  }
  if (are_created)
    check_failing (h, ops, &all, first, failing, failure);
  else
    harness_fail (h, NULL, "%s: cannot create an op or an event", row->name);
  for (guint i = 0; i <= N_OTHERS; i++)
    gst_cl_moments_op_free (ops[i]);
  clReleaseEvent (first);
  clReleaseEvent (failing);
  frames_clear (&all);
}

static void
check_failures_of_row (Harness *h, const GstClImplementation *row)
{
  static const Failure failures[] = { { LAUNCHES_RUN, FALSE },
    { LAUNCHES_RUN, TRUE }, { LAUNCHES_ARE_DROPPED, FALSE },
    { LAUNCHES_ARE_DROPPED, TRUE }, { LAUNCHES_ARE_REFUSED, FALSE },
    { LAUNCHES_ARE_REFUSED, TRUE } };

  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    check_failure (h, row, &failures[i]);
}

static void
check_failures (Harness *h)
{
  for_each_row (h, check_failures_of_row);
}

static void
check_answer (Harness *h)
{
  for_each_row (h, moments_batch_check_answer);
}

static void
check_writes (Harness *h)
{
  for_each_row (h, moments_batch_check_writes);
}

/* --- batched frames ------------------------------------------------------- */

/* Two ops of @candidate are batched if the row supports batches; a single op is
 * not. */
static void
check_batching (Harness *h, const GstClCandidate *candidate,
    const TestFrame *frame, const TestFrame *apart)
{
  const GstClMomentsRow *row = candidate->implementation->data;
  GstClMomentsOp *op = moments_case_op (h, candidate, frame);
  GstClMomentsOp *other = moments_case_op (h, candidate, frame);

  if (op && gst_cl_moments_op_is_batched (op, frame->components))
    harness_fail (h, NULL, "%s: the only op is batched",
        candidate->implementation->name);
  if (op && other &&
      gst_cl_moments_op_is_batched (other, frame->components) != !!row->batch)
    harness_fail (h, NULL, "%s: expected the second op %s",
        candidate->implementation->name,
        row->batch ? "to be batched" : "not to be batched");
  if (other && gst_cl_moments_op_is_batched (other, apart->components))
    harness_fail (h, NULL,
        "%s: an op with components in several memories is batched",
        candidate->implementation->name);
  gst_cl_moments_op_free (other);
  if (op && gst_cl_moments_op_is_batched (op, frame->components))
    harness_fail (h, NULL,
        "%s: the only op is batched after the other op was freed",
        candidate->implementation->name);
  gst_cl_moments_op_free (op);
}

/* Rows without batches, and frames whose components are in several memories,
 * are not batched. */
static void
check_batching_conditions (Harness *h)
{
  const GstClImplementation *rows = gst_cl_moments_table.rows;
  g_autoptr (TestFrame) together = test_frame_new (h, test_format_find ("I420"),
      test_samples[0], 32, 32, (TestSpacing){ 0, 0, TRUE });
  g_autoptr (TestFrame) apart = test_frame_new (h, test_format_find ("I420"),
      test_samples[0], 32, 32, (TestSpacing){ 0, 0, FALSE });
  const GstClMomentsProblem problem = moments_case_problem (together);

  for (guint i = 0; i < gst_cl_moments_table.n_rows; i++) {
    const GstClCandidate candidate = gst_cl_implementation_untuned (&rows[i],
        &problem, h->context->device);

    check_batching (h, &candidate, together, apart);
  }
}

static const HarnessCase cases[] = {
  { CASE_PREFIX "launches", check_launches, NULL, FALSE },
  { CASE_PREFIX "threads", check_threads, NULL, TRUE },
  { CASE_PREFIX "uploads", check_uploads, NULL, TRUE },
  { CASE_PREFIX "writes", check_writes, NULL, TRUE },
  { CASE_PREFIX "failures", check_failures, NULL, TRUE },
  { CASE_PREFIX "answer", check_answer, NULL, TRUE },
  { CASE_PREFIX "batching-conditions", check_batching_conditions, NULL, TRUE },
};

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, cases, G_N_ELEMENTS (cases));
}
