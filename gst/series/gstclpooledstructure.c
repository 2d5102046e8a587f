/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a stream as a GstStructure, and back. */

#include <math.h>

#include "gstclpooled.h"

#define NAME "clframesum-pooled"

/* --- fields --------------------------------------------------------------- */

/* A field of the structure and the member that it is written from and read to.
 */
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

/* --- writing -------------------------------------------------------------- */

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
  GstStructure *structure = gst_structure_new (NAME, "depth", G_TYPE_INT,
      (gint) self->depth, NULL);

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

/* --- reading -------------------------------------------------------------- */

static gboolean
refuse (GError **error, const gchar *field)
{
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Not pooled statistics: the field '%s' is missing or wrong.", field);

  return FALSE;
}

/* Returns the array @name if it has @n entries, each of @type; else NULL. */
static const GValue *
find_array (const GstStructure *structure, const gchar *name, guint n,
    GType type)
{
  const GValue *array = gst_structure_get_value (structure, name);

  if (!array || !GST_VALUE_HOLDS_ARRAY (array) ||
      gst_value_array_get_size (array) != n)
    return NULL;
  for (guint i = 0; i < n; i++) {
    if (!G_VALUE_HOLDS (gst_value_array_get_value (array, i), type))
      return NULL;
  }

  return array;
}

static guint
count_entries (const GValue *array)
{
  return array && GST_VALUE_HOLDS_ARRAY (array)
             ? gst_value_array_get_size (array)
             : 0;
}

static gboolean
read_scalars (GstClPooled *self, const GstStructure *structure, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++) {
    if (!gst_structure_get_uint64 (structure, scalars[i].name,
            &G_STRUCT_MEMBER (guint64, self, scalars[i].offset)))
      return refuse (error, scalars[i].name);
  }

  return TRUE;
}

static gboolean
read_moments (GstClPooled *self, const GstStructure *structure, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (moments); i++) {
    const GValue *array = find_array (structure, moments[i].name,
        self->n_components, G_TYPE_UINT64);

    if (!array)
      return refuse (error, moments[i].name);
    for (guint c = 0; c < self->n_components; c++)
      G_STRUCT_MEMBER (guint64, &self->components[c], moments[i].offset) =
          g_value_get_uint64 (gst_value_array_get_value (array, c));
  }

  return TRUE;
}

static gboolean
read_range (GstClPooled *self, const GstStructure *structure, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (range); i++) {
    const GValue *array = find_array (structure, range[i].name,
        self->n_components, G_TYPE_UINT);

    if (!array)
      return refuse (error, range[i].name);
    for (guint c = 0; c < self->n_components; c++)
      G_STRUCT_MEMBER (guint32, &self->components[c],
          range[i].offset) = g_value_get_uint (gst_value_array_get_value (array,
          c));
  }

  return TRUE;
}

static gboolean
read_histogram (GstClPooled *self, const GstStructure *structure,
    GError **error)
{
  const GValue *histograms = find_array (structure, "histogram",
      self->n_components, GST_TYPE_ARRAY);

  if (!histograms)
    return refuse (error, "histogram");
  for (guint c = 0; c < self->n_components; c++) {
    const GValue *bins = gst_value_array_get_value (histograms, c);

    if (gst_value_array_get_size (bins) != self->n_bins)
      return refuse (error, "histogram");
    for (guint bin = 0; bin < self->n_bins; bin++) {
      const GValue *count = gst_value_array_get_value (bins, bin);

      if (!G_VALUE_HOLDS_UINT64 (count))
        return refuse (error, "histogram");
      self->components[c].histogram[bin] = g_value_get_uint64 (count);
    }
  }

  return TRUE;
}

/* Returns the parts of which there is the first field. */
static GstClPooledPart
find_parts (const GstStructure *structure)
{
  GstClPooledPart parts = 0;

  if (gst_structure_has_field (structure, moments[0].name))
    parts |= GST_CL_POOLED_MOMENTS;
  if (gst_structure_has_field (structure, range[0].name))
    parts |= GST_CL_POOLED_RANGE;
  if (gst_structure_has_field (structure, "histogram"))
    parts |= GST_CL_POOLED_HISTOGRAM;

  return parts;
}

static guint
count_bins (const GstStructure *structure)
{
  const GValue *histograms = gst_structure_get_value (structure, "histogram");

  return count_entries (histograms) > 0
             ? count_entries (gst_value_array_get_value (histograms, 0))
             : 0;
}

GstClPooled *
gst_cl_pooled_from_structure (const GstStructure *structure, GError **error)
{
  const GValue *components = gst_structure_get_value (structure, "components");
  const guint n = count_entries (components);
  const gchar *names[GST_CL_POOLED_MAX_COMPONENTS];
  g_autoptr (GstClPooled) self = NULL;
  gint depth;

  if (!gst_structure_has_name (structure, NAME) ||
      n > GST_CL_POOLED_MAX_COMPONENTS ||
      !find_array (structure, "components", n, G_TYPE_STRING)) {
    refuse (error, "components");
    return NULL;
  }
  if (!gst_structure_get_int (structure, "depth", &depth) || depth < 1 ||
      depth > 16) {
    refuse (error, "depth");
    return NULL;
  }
  for (guint c = 0; c < n; c++)
    names[c] = g_value_get_string (gst_value_array_get_value (components, c));

  self = gst_cl_pooled_new (find_parts (structure), depth,
      count_bins (structure), names, n);
  if (!read_scalars (self, structure, error) ||
      ((self->parts & GST_CL_POOLED_MOMENTS) &&
          !read_moments (self, structure, error)) ||
      ((self->parts & GST_CL_POOLED_RANGE) &&
          !read_range (self, structure, error)) ||
      ((self->parts & GST_CL_POOLED_HISTOGRAM) &&
          !read_histogram (self, structure, error)))
    return NULL;

  return g_steal_pointer (&self);
}
