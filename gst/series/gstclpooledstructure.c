/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a stream as a GstStructure. */

#include <math.h>

#include "gstclpooled.h"

/* A field of the structure and the member that it has. */
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

/* Sets @value, one of the values that @component has. */
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

GstStructure *
gst_cl_pooled_to_structure (const GstClPooled *self)
{
  GstStructure *structure = gst_structure_new ("clframesum-pooled", "depth",
      G_TYPE_INT, (gint) self->depth, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    gst_structure_set (structure, scalars[i].name, G_TYPE_UINT64,
        G_STRUCT_MEMBER (guint64, self, scalars[i].offset), NULL);
  add_array (structure, "components", self, G_TYPE_STRING, fill_name, 0);

  if (self->parts & GST_CL_POOLED_MOMENTS)
    add_moments (structure, self);
  if (self->parts & GST_CL_POOLED_RANGE) {
    for (guint i = 0; i < G_N_ELEMENTS (range); i++)
      add_array (structure, range[i].name, self, G_TYPE_UINT, fill_uint,
          range[i].offset);
  }
  if (self->parts & GST_CL_POOLED_HISTOGRAM)
    add_array (structure, "histogram", self, GST_TYPE_ARRAY, fill_histogram, 0);

  return structure;
}
