/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers of frames that share launches. */

#include "momentsjointwrites.h"

#include "momentscase.h"

#define N_FRAMES 5 /* each in a slot of results of its own */
#define REFUSED  2 /* the one whose transfer is */

/* A frame whose bytes are in host memory, and a place for them on the device,
 * which holds others. */
typedef struct {
  TestFrame *source;
  TestFrame *place;
  GstClSync sync; /* of place */
} Transfer;

static Transfer
transfer_new (Harness *h)
{
  Transfer self = { .source = NULL };
  TestFrame **frames[] = { &self.source, &self.place };

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
  test_frame_free (self->place);
}

/* @offset_bytes: beyond the place, the driver refuses the transfer */
static void
join (Harness *h, GstClMomentsOp *op, Transfer *self, gsize offset_bytes,
    guint slot)
{
  const TestPlane *bytes = self->source->memories[0];
  const gsize n = bytes->size_bytes;
  const GstClComponent *components = self->place->components;
  const GstClArrival arrival = {
    .write = { bytes->bytes, { n, 1, n, n },
        { components[0].mem, offset_bytes, &self->sync } }
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClPromise)
      promise = gst_cl_moments_op_join (op, components, &arrival, slot, &error);

  if (!promise)
    harness_fail (h, error, "a frame that is to be transferred");
}

static void
check_result (Harness *h, GstClMomentsOp *op, const Transfer *transfer,
    guint slot)
{
  GstClMoments results[GST_CL_MOMENTS_MAX_COMPONENTS];
  g_autoptr (GError) error = NULL;
  const gboolean has_results = gst_cl_moments_op_result (op, slot, results,
      &error);

  if (slot != REFUSED && has_results)
    moments_case_compare (h, transfer->source, "a transferred frame", results);
  else if (slot != REFUSED)
    harness_fail (h, error, "a transferred frame");
  else if (has_results)
    harness_fail (h, NULL, "a frame that was not transferred has results");
  else if (!g_error_matches (error, GST_CL_ERROR, CL_INVALID_VALUE))
    harness_fail (h, error, "a refused transfer: another error");
}

void
moments_joint_check_writes (Harness *h,
    const GstClImplementation *implementation)
{
  Transfer transfers[N_FRAMES];
  GstClMomentsProblem problem;
  GstClCandidate candidate;
  GstClMomentsOp *op, *other;

  for (guint i = 0; i < N_FRAMES; i++)
    transfers[i] = transfer_new (h);
  problem = moments_case_problem (transfers[0].place);
  candidate = gst_cl_implementation_usual (implementation, &problem,
      h->context->device);
  op = moments_case_op (h, &candidate, transfers[0].place);
  other = moments_case_op (h, &candidate, transfers[0].place);

  if (op && other) {
    gst_cl_moments_op_joins (op, transfers[0].place->components);
    for (guint i = 0; i < N_FRAMES; i++)
      join (h, op, &transfers[i],
          i == REFUSED ? transfers[i].place->memories[0]->size_bytes : 0, i);
    for (guint i = 0; i < N_FRAMES; i++)
      check_result (h, op, &transfers[i], i);
  }
  gst_cl_moments_op_free (op);
  gst_cl_moments_op_free (other);
  for (guint i = 0; i < N_FRAMES; i++)
    transfer_clear (h, &transfers[i]);
}
