/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory of metrics: stored frames, the layout, results. */

#include "metricsmemory.h"

#include "cl/memory/gstclbuffer.h"

#define FRAME_ALIGN 64 /* samples; offset of frames in the ring */

/* The maximum size of results with two buffers, of which each launch clears the
 * next one's: costs memory, but saves a launch. */
#define MAX_PAIRED_BYTES (64 << 20)

/* Replaces *@mem by a larger buffer if it is too small. */
static gboolean
reserve (GstClContext *context, cl_mem *mem, gsize *size_bytes,
    gsize wanted_bytes, GError **error)
{
  if (*mem && *size_bytes >= wanted_bytes)
    return TRUE;

  g_clear_pointer (mem, gst_cl_buffer_free);
  *size_bytes = wanted_bytes;
  *mem = gst_cl_buffer_new (context, wanted_bytes, error);

  return *mem != NULL;
}

/* Replaces *@mem by a buffer with the contents of @array. */
static gboolean
replace (GstClContext *context, cl_mem *mem, const GArray *array,
    GError **error)
{
  g_clear_pointer (mem, gst_cl_buffer_free);
  *mem = gst_cl_buffer_new_filled (context,
      array->len * g_array_get_element_size ((GArray *) array), array->data,
      error);

  return *mem != NULL;
}

/* Fills the rings: of a ring of two frames, the host knows the order. */
static gboolean
fill_rings (GstClMetricsMemory *self, guint n_references, GError **error)
{
  static const MetricRing orders[] = { { .current = 0, .previous = 1 },
    { .current = 1, .previous = 0 } };
  static const MetricRing of_zone = { .current = 0, .reference = 1 };
  g_autofree MetricRing *rings = g_new (MetricRing, n_references);

  for (guint i = 1; i < n_references; i++)
    rings[i] = of_zone;
  for (guint i = 0; i < self->n_rings; i++) {
    rings[0] = orders[i];
    self->rings[i] = gst_cl_buffer_new_filled (self->context,
        n_references * sizeof *rings, rings, error);
    if (!self->rings[i])
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_metrics_memory_init (GstClMetricsMemory *self, GstClContext *context,
    const GstClMetricsFrame *frame, guint max_regions, GError **error)
{
  const gboolean has_zones = (frame->metrics & GST_CL_METRIC_ZONES) != 0;
  const guint n_kept = (frame->metrics & GST_CL_METRICS_OF_PREVIOUS ? 1 : 0) +
                       (frame->metrics & GST_CL_METRIC_FREEZE ? 1 : 0);
  gsize samples = 0;

  self->context = context;
  for (guint c = 0; n_kept && c < frame->n_components; c++)
    samples += (gsize) GST_ROUND_UP_N (frame->shapes[c].width, KEPT_ALIGN) *
               frame->shapes[c].height;
  self->frame_samples = GST_ROUND_UP_N (samples, FRAME_ALIGN);
  self->n_rings = gst_cl_metrics_frame_turns_ring (frame) ? 2 : 1;

  self->frames = gst_cl_buffer_new (context,
      (1 + n_kept + (has_zones ? 2 : 0)) * self->frame_samples *
          frame->shapes[0].sample.bytes,
      error);

  return self->frames && fill_rings (self, has_zones ? max_regions : 1, error);
}

void
gst_cl_metrics_memory_clear (GstClMetricsMemory *self)
{
  g_clear_pointer (&self->frames, gst_cl_buffer_free);
  g_clear_pointer (&self->items, gst_cl_buffer_free);
  g_clear_pointer (&self->spans, gst_cl_buffer_free);
  g_clear_pointer (&self->records, gst_cl_buffer_free);
  g_clear_pointer (&self->references, gst_cl_buffer_free);
  for (guint i = 0; i < 2; i++) {
    g_clear_pointer (&self->rings[i], gst_cl_buffer_free);
    g_clear_pointer (&self->results[i], gst_cl_buffer_free);
  }
}

gboolean
gst_cl_metrics_memory_take_layout (GstClMetricsMemory *self,
    const GstClMetricsFrame *frame, const GstClMetricsLayout *layout,
    GError **error)
{
  const gsize records_bytes = layout->items->len * sizeof (MetricRecord);

  /* the references name items of the layout before */
  g_clear_pointer (&self->references, gst_cl_buffer_free);
  self->n_results = frame->is_shared && layout->buffer_bytes <= MAX_PAIRED_BYTES
                        ? 2
                        : 1;
  self->result = 0;
  for (guint i = 0; i < self->n_results; i++) {
    self->is_clear[i] = FALSE;
    if (!reserve (self->context, &self->results[i], &self->results_bytes[i],
            layout->buffer_bytes, error))
      return FALSE;
  }

  return replace (self->context, &self->items, layout->items, error) &&
         replace (self->context, &self->spans, layout->spans, error) &&
         (frame->is_shared || reserve (self->context, &self->records,
                                  &self->records_bytes, records_bytes, error));
}

gboolean
gst_cl_metrics_memory_take_references (GstClMetricsMemory *self,
    const GstClMetricsLayout *layout, GError **error)
{
  return replace (self->context, &self->references, layout->references, error);
}

void
gst_cl_metrics_memory_turn (GstClMetricsMemory *self)
{
  self->n_turns++;
  self->ring = self->n_turns % self->n_rings;
  self->is_clear[self->result] = FALSE;
  self->fetched = self->result;
  self->result = (self->result + 1) % self->n_results;
  self->is_clear[self->result] = self->n_results > 1;
}

static void
swap (cl_mem *a, cl_mem *b)
{
  const cl_mem mem = *a;

  *a = *b;
  *b = mem;
}

void
gst_cl_metrics_memory_adopt (GstClMetricsMemory *self,
    GstClMetricsMemory *before)
{
  swap (&self->frames, &before->frames);
  self->n_turns = before->n_turns;
  self->ring = self->n_turns % self->n_rings;
  if (self->n_rings == 1)
    swap (&self->rings[0], &before->rings[before->ring]);
}
