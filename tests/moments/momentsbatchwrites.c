/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers of frames that share launches. */

#include "momentsbatchwrites.h"

#include "launchfault.h"
#include "momentscase.h"
#include "queuedwrites.h"

#define N_FRAMES 5 /* each in its own result slot */
#define REFUSED  2 /* the frame whose transfer is refused */
#define RESIDENT 3 /* the frame that is on the device: it has no transfer */

/* A frame whose bytes are in host memory, and a device buffer for them with
 * other contents. */
typedef struct {
  TestFrame *source;
  TestFrame *target;
  GstClSync sync; /* size of the buffer */
} Transfer;

static Transfer
transfer_new (Harness *h)
{
  Transfer self = { .source = NULL };
  TestFrame **frames[] = { &self.source, &self.target };

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    *frames[i] = test_frame_new (h, test_format_find ("I420"), test_samples[0],
        177, 67, (TestSpacing){ 3, 7, TRUE });
    test_frame_fill (h, *frames[i], FILL_RANDOM);
  }

  return self;
}

static void
transfer_clear (Harness *h, Transfer *self)
{
  gst_cl_sync_clear (h->context, &self->sync);
  test_frame_free (self->source);
  test_frame_free (self->target);
}

/* Returns the transfer of the frame to @offset_bytes of its buffer. With an
 * offset beyond the buffer, the driver refuses it. */
static GstClPendingUpload
pending_of (Transfer *self, gsize offset_bytes)
{
  const TestPlane *bytes = self->source->memories[0];
  const gsize n = bytes->size_bytes;

  return (GstClPendingUpload){
    .write = { bytes->bytes, { n, 1, n, n },
        { self->target->components[0].mem, offset_bytes, &self->sync } }
  };
}

/* Runs the frame with @pending. Returns its fence, transfer full; NULL, and the
 * case fails, on errors. */
static GstClFence *
run_pending (Harness *h, GstClMomentsOp *op, const Transfer *self,
    const GstClPendingUpload *pending, guint slot)
{
  g_autoptr (GError) error = NULL;
  GstClFence *fence = gst_cl_moments_op_run_batched (op,
      self->target->components, pending, slot, &error);

  if (!fence)
    harness_fail (h, error, "cannot run a frame with a pending transfer");

  return fence;
}

static void
run_batched (Harness *h, GstClMomentsOp *op, Transfer *self, gsize offset_bytes,
    guint slot)
{
  const GstClPendingUpload pending = pending_of (self, offset_bytes);

  gst_cl_fence_unref (run_pending (h, op, self, &pending, slot));
}

static void
check_result (Harness *h, GstClMomentsOp *op, const Transfer *transfer,
    guint slot)
{
  GstClMoments results[GST_CL_MOMENTS_MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;

  if (gst_cl_moments_op_result (op, slot, results, &error))
    moments_case_compare (h, transfer->source, "a transferred frame", results);
  else
    harness_fail (h, error, "a transferred frame has no results");
}

static void
check_failure (Harness *h, GstClMomentsOp *op, guint slot, cl_int code)
{
  GstClMoments results[GST_CL_MOMENTS_MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;

  if (gst_cl_moments_op_result (op, slot, results, &error))
    harness_fail (h, NULL,
        "a frame whose transfer failed: expected error %d, found results",
        code);
  else if (!g_error_matches (error, GST_CL_ERROR, code))
    harness_fail (h, error, "a frame whose transfer failed: expected error %d",
        code);
}

/* Each transfer is enqueued once, and its queue flushed. */
static void
check_writes (Harness *h, guint n_expected)
{
  if (queued_writes_count () != n_expected)
    harness_fail (h, NULL, "expected %u writes, found %u", n_expected,
        queued_writes_count ());
  if (queued_writes_unflushed () != 0)
    harness_fail (h, NULL, "%u writes were enqueued and not flushed",
        queued_writes_unflushed ());
}

/* --- cases --------------------------------------------------------------- */

static void
check_refused_write (Harness *h, GstClMomentsOp *op, Transfer *transfers)
{
  queued_writes_watch ();
  for (guint i = 0; i < N_FRAMES; i++)
    run_batched (h, op, &transfers[i],
        i == REFUSED ? transfers[i].target->memories[0]->size_bytes : 0, i);
  for (guint i = 0; i < N_FRAMES; i++) {
    if (i == REFUSED)
      check_failure (h, op, i, CL_INVALID_VALUE);
    else
      check_result (h, op, &transfers[i], i);
  }
  check_writes (h, N_FRAMES - 1);
}

static void
check_refused_launch (Harness *h, GstClMomentsOp *op, Transfer *transfers)
{
  queued_writes_watch ();
  launch_fault_refuse (1);
  for (guint i = 0; i < N_FRAMES; i++)
    run_batched (h, op, &transfers[i], 0, i);
  for (guint i = 0; i < N_FRAMES; i++)
    check_result (h, op, &transfers[i], i);
  check_writes (h, N_FRAMES);
}

/* After a failed flush, the op waits for the queue; if the wait also fails, the
 * frame fails. */
static void
check_refused_flushes (Harness *h, GstClMomentsOp *op, Transfer *transfers)
{
  queued_writes_watch ();
  queued_writes_refuse_flushes (1);
  run_batched (h, op, &transfers[0], 0, 0);
  check_result (h, op, &transfers[0], 0);
  queued_writes_refuse_flushes (2);
  run_batched (h, op, &transfers[1], 0, 1);
  check_failure (h, op, 1, CL_OUT_OF_RESOURCES);
  run_batched (h, op, &transfers[2], 0, 2);
  check_result (h, op, &transfers[2], 2);
  check_writes (h, 3);
}

/* The transfers of several frames share a flush. If it fails, each of these
 * frames fails, and a frame among them without a transfer is measured. The
 * frames arrive while the launch thread is in the flush of the first one. */
static void
check_refused_flush_of_several (Harness *h, GstClMomentsOp *op,
    Transfer *transfers)
{
  const GstClPendingUpload resident = { .upload = NULL };
  GstClFence *fences[N_FRAMES] = { NULL };

  queued_writes_watch ();
  queued_writes_hold ();
  run_batched (h, op, &transfers[0], 0, 0);
  queued_writes_await_held ();
  for (guint i = 1; i < N_FRAMES; i++) {
    const GstClPendingUpload transferred = pending_of (&transfers[i], 0);

    fences[i] = run_pending (h, op, &transfers[i],
        i == RESIDENT ? &resident : &transferred, i);
  }
  queued_writes_refuse_flushes (2);
  queued_writes_release ();
  queued_writes_await_refused ();

  /* one more frame: when it is complete, all earlier frames are */
  check_result (h, op, &transfers[0], 0);
  gst_cl_fence_unref (run_pending (h, op, &transfers[0], &resident, 0));
  check_result (h, op, &transfers[0], 0);
  for (guint i = 1; i < N_FRAMES; i++) {
    /* a wait for a frame that is not settled may never return */
    g_assert_true (!fences[i] || gst_cl_fence_is_settled (fences[i]));
    gst_cl_fence_unref (fences[i]);
    if (i == RESIDENT)
      check_result (h, op, &transfers[i], i);
    else
      check_failure (h, op, i, CL_OUT_OF_RESOURCES);
  }

  run_batched (h, op, &transfers[1], 0, 1);
  check_result (h, op, &transfers[1], 1);
  check_writes (h, N_FRAMES);
}

void
moments_batch_check_writes (Harness *h,
    const GstClImplementation *implementation)
{
  Transfer transfers[N_FRAMES];
  GstClMomentsProblem problem;
  GstClCandidate candidate;
  GstClMomentsOp *op, *other;

  for (guint i = 0; i < N_FRAMES; i++)
    transfers[i] = transfer_new (h);
  problem = moments_case_problem (transfers[0].target);
  candidate = gst_cl_implementation_untuned (implementation, &problem,
      h->context->device);
  op = moments_case_op (h, &candidate, transfers[0].target);
  other = moments_case_op (h, &candidate, transfers[0].target);

  if (op && other) {
    gst_cl_moments_op_is_batched (op, transfers[0].target->components);
    check_refused_write (h, op, transfers);
    check_refused_launch (h, op, transfers);
    check_refused_flushes (h, op, transfers);
    check_refused_flush_of_several (h, op, transfers);
  }
  gst_cl_moments_op_free (op);
  gst_cl_moments_op_free (other);
  for (guint i = 0; i < N_FRAMES; i++)
    transfer_clear (h, &transfers[i]);
}
