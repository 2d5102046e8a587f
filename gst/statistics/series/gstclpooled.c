/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds frames to the statistics of a stream, and converts them to a
 * structure. */

#include "gstclpooled.h"

#include <math.h>
#include <string.h>

#include "statistics/blockiness/gstclblockiness.h"
#include "statistics/noise/gstclnoise.h"

/* Sets the arguments of gst_cl_pooled_new(). Names are interned. */
static void
describe (GstClPooled *self, GstClStatistics parts, guint depth, guint n_bins,
    const gchar *const *names, guint n_components)
{
  g_assert (n_components <= GST_CL_POOLED_MAX_COMPONENTS);

  self->parts = parts;
  self->depth = depth;
  self->n_bins = parts & GST_CL_STATISTIC (HISTOGRAM) ? n_bins : 0;
  self->n_components = n_components;
  for (guint c = 0; c < n_components; c++)
    self->names[c] = g_intern_string (names[c]);
}

GstClPooled *
gst_cl_pooled_new (GstClStatistics parts, guint depth, guint n_bins,
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
  memset (self->n_evident, 0, sizeof self->n_evident);
  self->noise_sum = (GstClUint128){ 0 };
  self->noise_count = 0;
  self->blockiness = 0;
  self->max_cll = self->max_fall = self->robust_max_cll = 0;
  memset (self->levels, 0, sizeof self->levels);
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

/* GST_CLOCK_TIME_NONE is the largest number, so that it is never the
 * minimum. */
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

  if (self->parts & GST_CL_STATISTIC (MOMENTS)) {
    to->count += moments->count;
    to->sum = gst_cl_uint128_add (to->sum, sum);
    to->sum_squares = gst_cl_uint128_add (to->sum_squares, sum_squares);
  }
  if ((self->parts & GST_CL_STATISTIC (RANGE)) && moments->count > 0) {
    to->min = MIN (to->min, moments->min);
    to->max = MAX (to->max, moments->max);
  }
  for (guint bin = 0; bin < self->n_bins; bin++)
    to->histogram[bin] += from->histogram[bin];
}

void
gst_cl_pooled_add (GstClPooled *self, const GstClFrameTime *time,
    const GstClPooledFrame *components, GstClRangeEvidence evidence)
{
  GstClFrameTime end = gst_cl_frame_time_end (time);

  end.frame++;
  extend (self, time, &end);
  self->n_frames++;
  if (GST_CLOCK_TIME_IS_VALID (time->duration))
    self->duration = gst_cl_time_add (self->duration, time->duration);
  self->n_evident[evidence]++;
  for (guint c = 0; c < self->n_components; c++)
    add_component (self, &self->components[c], &components[c]);
}

void
gst_cl_pooled_add_numbers (GstClPooled *self, const GstClSeriesFrame *frame)
{
  const GstClUint128 noise = { 0, frame->noise_sum };
  const GstClLightLevels *light = &frame->light;

  if (self->parts & GST_CL_STATISTIC (NOISE)) {
    self->noise_sum = gst_cl_uint128_add (self->noise_sum, noise);
    self->noise_count += frame->noise_count;
  }
  if (self->parts & GST_CL_STATISTIC (BLOCKINESS))
    self->blockiness += frame->blockiness;
  if (self->parts & GST_CL_STATISTIC (LIGHT)) {
    self->max_cll = MAX (self->max_cll, light->max);
    self->max_fall = MAX (self->max_fall, light->average);
    self->robust_max_cll = MAX (self->robust_max_cll, light->robust_max);
  }
  if (self->parts & GST_CL_STATISTIC (LEVELS)) {
    for (guint i = 0; i < G_N_ELEMENTS (self->levels); i++)
      self->levels[i] = MAX (self->levels[i], frame->levels[i]);
  }
}

gboolean
gst_cl_pooled_is_of (const GstClPooled *self, GstClStatistics parts,
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

/* Returns the quotient, which is a mean and therefore below 2^16, and sets the
 * remainder. */
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

  /* Around the integer part of the mean the sum of squares is an exact integer.
   * The floating-point correction is below one, so that nothing cancels. */
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

/* --- as a structure ------------------------------------------------------- */

/* A field of the structure and its member. */
typedef struct {
  const gchar *name;
  gsize offset;
} Field;

#define SCALAR(member)    G_STRUCT_OFFSET (GstClPooled, member)
#define COMPONENT(member) G_STRUCT_OFFSET (GstClPooledComponent, member)

static const Field scalars[] = { { "frames", SCALAR (n_frames) },
  { "timestamp", SCALAR (begin.timestamp) },
  { "stream-time", SCALAR (begin.stream_time) },
  { "running-time", SCALAR (begin.running_time) },
  { "frame", SCALAR (begin.frame) },
  { "end-timestamp", SCALAR (end.timestamp) },
  { "end-stream-time", SCALAR (end.stream_time) },
  { "end-running-time", SCALAR (end.running_time) },
  { "end-frame", SCALAR (end.frame) }, { "duration", SCALAR (duration) } };

static const Field moments[] = { { "count", COMPONENT (count) },
  { "sum", COMPONENT (sum.low) }, { "sum-high", COMPONENT (sum.high) },
  { "sum-squares", COMPONENT (sum_squares.low) },
  { "sum-squares-high", COMPONENT (sum_squares.high) } };

static const Field range[] = { { "min", COMPONENT (min) },
  { "max", COMPONENT (max) } };

static void
take_array (GstStructure *structure, const gchar *name, const GValue *values,
    guint n)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, n);
  for (guint i = 0; i < n; i++)
    gst_value_array_append_value (&array, &values[i]);
  gst_structure_take_value (structure, name, &array);
}

/* Sets @value to one of the values of @component. */
typedef void (*Fill) (const GstClPooled *self, guint component, gsize offset,
    GValue *value);

static void
add_array (GstStructure *structure, const gchar *name, const GstClPooled *self,
    GType type, Fill fill, gsize offset)
{
  GValue values[GST_CL_POOLED_MAX_COMPONENTS] = { G_VALUE_INIT };

  for (guint c = 0; c < self->n_components; c++) {
    g_value_init (&values[c], type);
    fill (self, c, offset, &values[c]);
  }
  take_array (structure, name, values, self->n_components);
  for (guint c = 0; c < self->n_components; c++)
    g_value_unset (&values[c]);
}

static void
fill_name (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  g_value_set_static_string (value, self->names[component]);
}

static void
fill_uint64 (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  g_value_set_uint64 (value,
      G_STRUCT_MEMBER (guint64, &self->components[component], offset));
}

static void
fill_uint (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  g_value_set_uint (value,
      G_STRUCT_MEMBER (guint32, &self->components[component], offset));
}

static void
fill_mean (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  gdouble mean, variance;

  gst_cl_pooled_moments (self, component, &mean, &variance);
  g_value_set_double (value, mean);
}

static void
fill_variance (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  gdouble mean, variance;

  gst_cl_pooled_moments (self, component, &mean, &variance);
  g_value_set_double (value, variance);
}

static void
fill_stddev (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  fill_variance (self, component, offset, value);
  g_value_set_double (value, sqrt (g_value_get_double (value)));
}

static void
fill_histogram (const GstClPooled *self, guint component, gsize offset,
    GValue *value)
{
  for (guint bin = 0; bin < self->n_bins; bin++) {
    GValue count = G_VALUE_INIT;

    g_value_init (&count, G_TYPE_UINT64);
    g_value_set_uint64 (&count, self->components[component].histogram[bin]);
    gst_value_array_append_and_take_value (value, &count);
  }
}

static void
add_moments (GstStructure *structure, const GstClPooled *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (moments); i++)
    add_array (structure, moments[i].name, self, G_TYPE_UINT64, fill_uint64,
        moments[i].offset);
  add_array (structure, "mean", self, G_TYPE_DOUBLE, fill_mean, 0);
  add_array (structure, "variance", self, G_TYPE_DOUBLE, fill_variance, 0);
  add_array (structure, "stddev", self, G_TYPE_DOUBLE, fill_stddev, 0);
}

static void
add_range_evidence (GstStructure *structure, const GstClPooled *self)
{
  const guint64 n_limited = self->n_evident[GST_CL_RANGE_LIMITED];
  const guint64 n_full = self->n_evident[GST_CL_RANGE_FULL];

  gst_structure_set (structure, "limited-frames", G_TYPE_UINT64, n_limited,
      "full-frames", G_TYPE_UINT64, n_full, "range-evidence", G_TYPE_STRING,
      gst_cl_range_evidence_name (gst_cl_range_of_frames (n_limited, n_full)),
      NULL);
}

static void
add_noise (GstStructure *structure, const GstClPooled *self)
{
  gst_structure_set (structure, "noise-count", G_TYPE_UINT64, self->noise_count,
      "noise-sum", G_TYPE_UINT64, self->noise_sum.low, "noise-sum-high",
      G_TYPE_UINT64, self->noise_sum.high, "noise", G_TYPE_DOUBLE,
      gst_cl_noise_deviation (gst_cl_uint128_to_double (self->noise_sum),
          self->noise_count),
      NULL);
}

GstStructure *
gst_cl_pooled_to_structure (const GstClPooled *self)
{
  GstStructure *structure = gst_structure_new ("clframesum-pooled", "depth",
      G_TYPE_INT, (gint) self->depth, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    gst_structure_set (structure, scalars[i].name, G_TYPE_UINT64,
        G_STRUCT_MEMBER (guint64, self, scalars[i].offset), NULL);
  add_array (structure, "components", self, G_TYPE_STRING, fill_name, 0);

  if (self->parts & GST_CL_STATISTIC (MOMENTS))
    add_moments (structure, self);
  if (self->parts & GST_CL_STATISTIC (RANGE)) {
    for (guint i = 0; i < G_N_ELEMENTS (range); i++)
      add_array (structure, range[i].name, self, G_TYPE_UINT, fill_uint,
          range[i].offset);
  }
  if (self->parts & GST_CL_STATISTIC (HISTOGRAM))
    add_array (structure, "histogram", self, GST_TYPE_ARRAY, fill_histogram, 0);
  if (self->parts & GST_CL_STATISTIC (RANGE_EVIDENCE))
    add_range_evidence (structure, self);
  if (self->parts & GST_CL_STATISTIC (NOISE))
    add_noise (structure, self);
  if (self->parts & GST_CL_STATISTIC (BLOCKINESS))
    gst_structure_set (structure, "blockiness-units", G_TYPE_UINT64,
        self->blockiness, "blockiness", G_TYPE_DOUBLE,
        gst_cl_blockiness_mean (self->blockiness, self->n_frames), NULL);
  if (self->parts & GST_CL_STATISTIC (LIGHT))
    gst_structure_set (structure, "max-cll", G_TYPE_DOUBLE, self->max_cll,
        "max-fall", G_TYPE_DOUBLE, self->max_fall, "robust-max-cll",
        G_TYPE_DOUBLE, self->robust_max_cll, NULL);
  if (self->parts & GST_CL_STATISTIC (LEVELS))
    gst_structure_set (structure, "levels-r", G_TYPE_DOUBLE, self->levels[0],
        "levels-g", G_TYPE_DOUBLE, self->levels[1], "levels-b", G_TYPE_DOUBLE,
        self->levels[2], "levels-y", G_TYPE_DOUBLE, self->levels[3], NULL);

  return structure;
}
