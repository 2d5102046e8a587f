/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a stream, to which frames are added. */

#include "gstclpooled.h"

#include <string.h>

/* Sets what is pooled. Names are interned. */
static void
describe (GstClPooled *self, GstClPooledPart parts, guint depth, guint n_bins,
    const gchar *const *names, guint n_components)
{
  g_assert (n_components <= GST_CL_POOLED_MAX_COMPONENTS);

  self->parts = parts;
  self->depth = depth;
  self->n_bins = parts & GST_CL_POOLED_HISTOGRAM ? n_bins : 0;
  self->n_components = n_components;
  for (guint c = 0; c < n_components; c++)
    self->names[c] = g_intern_string (names[c]);
}

GstClPooled *
gst_cl_pooled_new (GstClPooledPart parts, guint depth, guint n_bins,
    const gchar *const *names, guint n_components)
{
  GstClPooled *self = g_new0 (GstClPooled, 1);

  describe (self, parts, depth, n_bins, names, n_components);
  if (self->n_bins > 0) {
    for (guint c = 0; c < n_components; c++)
      self->components[c].histogram = g_new (guint64, self->n_bins);
  }
  gst_cl_pooled_clear (self);

  return self;
}

void
gst_cl_pooled_free (GstClPooled *self)
{
  if (!self)
    return;

  for (guint c = 0; c < self->n_components; c++)
    g_free (self->components[c].histogram);
  g_free (self);
}

void
gst_cl_pooled_clear (GstClPooled *self)
{
  const GstClFrameTime unknown = { GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE,
    GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, 0 };

  self->n_frames = 0;
  self->duration = 0;
  self->begin = self->end = unknown;
  self->begin.frame = G_MAXUINT64;
  for (guint c = 0; c < self->n_components; c++) {
    guint64 *histogram = self->components[c].histogram;

    self->components[c] = (GstClPooledComponent){
      .min = G_MAXUINT32,
      .histogram = histogram,
    };
    if (histogram)
      memset (histogram, 0, self->n_bins * sizeof *histogram);
  }
}

/* --- times ---------------------------------------------------------------- */

/* GST_CLOCK_TIME_NONE is the largest number, so that it is never the earlier
 * one. */
static GstClockTime
earlier (GstClockTime a, GstClockTime b)
{
  return MIN (a, b);
}

static GstClockTime
later (GstClockTime a, GstClockTime b)
{
  if (!GST_CLOCK_TIME_IS_VALID (a))
    return b;

  return GST_CLOCK_TIME_IS_VALID (b) ? MAX (a, b) : a;
}

static void
extend (GstClPooled *self, const GstClFrameTime *begin,
    const GstClFrameTime *end)
{
  GstClFrameTime *first = &self->begin, *last = &self->end;

  first->timestamp = earlier (first->timestamp, begin->timestamp);
  first->stream_time = earlier (first->stream_time, begin->stream_time);
  first->running_time = earlier (first->running_time, begin->running_time);
  first->frame = MIN (first->frame, begin->frame);

  last->timestamp = later (last->timestamp, end->timestamp);
  last->stream_time = later (last->stream_time, end->stream_time);
  last->running_time = later (last->running_time, end->running_time);
  last->frame = MAX (last->frame, end->frame);
}

/* --- sums ----------------------------------------------------------------- */

static void
add_component (const GstClPooled *self, GstClPooledComponent *to,
    const GstClPooledFrame *from)
{
  const GstClMoments *moments = &from->moments;
  const GstClUint128 sum = { 0, moments->sum };
  const GstClUint128 sum_squares = { 0, moments->sum_squares };

  if (self->parts & GST_CL_POOLED_MOMENTS) {
    to->count += moments->count;
    to->sum = gst_cl_uint128_add (to->sum, sum);
    to->sum_squares = gst_cl_uint128_add (to->sum_squares, sum_squares);
  }
  if ((self->parts & GST_CL_POOLED_RANGE) && moments->count > 0) {
    to->min = MIN (to->min, moments->min);
    to->max = MAX (to->max, moments->max);
  }
  for (guint bin = 0; bin < self->n_bins; bin++)
    to->histogram[bin] += from->histogram[bin];
}

void
gst_cl_pooled_add (GstClPooled *self, const GstClFrameTime *time,
    const GstClPooledFrame *components)
{
  GstClFrameTime end = gst_cl_frame_time_end (time);

  end.frame++;
  extend (self, time, &end);
  self->n_frames++;
  if (GST_CLOCK_TIME_IS_VALID (time->duration))
    self->duration = gst_cl_time_add (self->duration, time->duration);
  for (guint c = 0; c < self->n_components; c++)
    add_component (self, &self->components[c], &components[c]);
}

gboolean
gst_cl_pooled_is_of (const GstClPooled *self, GstClPooledPart parts,
    guint depth, guint n_bins, const gchar *const *names, guint n_components)
{
  GstClPooled other;

  describe (&other, parts, depth, n_bins, names, n_components);
  if (self->parts != other.parts || self->depth != other.depth ||
      self->n_bins != other.n_bins || self->n_components != other.n_components)
    return FALSE;
  for (guint c = 0; c < n_components; c++) {
    if (self->names[c] != other.names[c])
      return FALSE;
  }

  return TRUE;
}

/* --- moments -------------------------------------------------------------- */

/* Returns the quotient, which is a mean and so below 2^16, and the remainder.
 */
static guint32
divide (GstClUint128 sum, guint64 count, guint64 *remainder)
{
  guint32 quotient = 0;

  for (gint bit = 15; bit >= 0; bit--) {
    const GstClUint128 part = gst_cl_uint128_multiply (
        (GstClUint128){ 0, count }, 1u << bit);

    if (!gst_cl_uint128_is_less (sum, part)) {
      sum = gst_cl_uint128_subtract (sum, part);
      quotient |= 1u << bit;
    }
  }
  *remainder = sum.low;

  return quotient;
}

void
gst_cl_pooled_moments (const GstClPooled *self, guint index, gdouble *mean,
    gdouble *variance)
{
  const GstClPooledComponent *component = &self->components[index];
  const guint64 n = component->count;
  GstClUint128 squares;
  guint64 remainder;
  guint32 pivot;
  gdouble fraction;

  *mean = *variance = 0.0;
  if (n == 0)
    return;

  /* Around the whole part of the mean the sum of squares is an exact integer.
   * What floating point takes from it is below one, so that nothing cancels. */
  pivot = divide (component->sum, n, &remainder);
  squares = gst_cl_uint128_subtract (component->sum_squares,
      gst_cl_uint128_multiply (component->sum, 2 * pivot));
  squares = gst_cl_uint128_add (squares,
      gst_cl_uint128_multiply (
          gst_cl_uint128_multiply ((GstClUint128){ 0, n }, pivot), pivot));
  fraction = (gdouble) remainder / n;

  *mean = pivot + fraction;
  *variance = MAX (gst_cl_uint128_to_double (squares) / n - fraction * fraction,
      0.0);
}
