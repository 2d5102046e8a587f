/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event field-order: caps and buffers name another field order than the
 * frames show. */

#include "gstclfields.h"
#include "statistics/series/gstcleventsprivate.h"

typedef struct {
  GstClFields fields;
  GstClInstant previous; /* the frame that the next one decides on */
  GstClFieldsType found; /* when the event began */
  GstClSpan span;
} FieldOrder;

/* Returns TRUE if frames of the order @found must not be tagged as @tag.
 * Progressive frames in interlaced video are no mistake. */
static gboolean
contradicts (GstClFieldsType found, GstClFieldsType tag)
{
  return found != tag && found != GST_CL_FIELDS_PROGRESSIVE;
}

static void
step_span (FieldOrder *self, const GstClDetection *detection, gboolean is_wrong)
{
  GstClDetection named = *detection;

  named.word = gst_cl_fields_order_name (self->found);
  gst_cl_span_step (&self->span, &named, &self->previous, is_wrong, is_wrong,
      detection->settings->field_order_min_duration, NULL);
}

/* Steps to the frame before, whose order is known now. @tag: of that frame. */
static void
step_decided (FieldOrder *self, const GstClDetection *detection,
    GstClFieldsType tag)
{
  const GstClFieldsType found = gst_cl_fields_order (&self->fields);

  /* where nothing moves, the event neither begins nor ends */
  if (found == GST_CL_FIELDS_UNDETERMINED || tag == GST_CL_FIELDS_UNDETERMINED)
    return;

  /* another order is another event */
  if (self->span.has_begun && found != self->found)
    step_span (self, detection, FALSE);
  self->found = found;
  step_span (self, detection, contradicts (found, tag));
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  FieldOrder *self = state;
  const gboolean decides = self->fields.has_pending &&
                           frame->fields.has_previous;
  const GstClFieldsType tag = self->fields.pending_tag;

  gst_cl_fields_add (&self->fields, &frame->fields, frame->tagged_order);
  if (decides)
    step_decided (self, detection, tag);
  self->previous = *at;
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  FieldOrder *self = state;
  GstClDetection named = *detection;

  named.word = gst_cl_fields_order_name (self->found);
  gst_cl_span_finish (&self->span, &named, at_end);
}

static const GstClProperty field_order_properties[] = {
  /**
   * GstClFrameSum:field-order-min-duration:
   *
   * Minimum duration of an event `field-order`: frames show another field order
   * than caps and buffers name.
   *
   * Since: 0.3
   */
  { "field-order-min-duration",
      "Minimum duration of an event field-order, in nanoseconds",
      GST_CL_EVENT_UINT64 (field_order_min_duration, 2 * GST_SECOND) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_field_order = {
  .type = GST_CL_EVENT_FIELD_ORDER,
  .name = "field-order",
  .needs = GST_CL_STATISTIC (FIELDS),
  .word = "order",
  .state_bytes = sizeof (FieldOrder),
  .step = step,
  .finish = finish,
  .properties = field_order_properties,
};
