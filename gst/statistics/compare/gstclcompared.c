/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PSNR, SSIM and XPSNR from the integers of the device, and their fields. */

#include "gstclcompared.h"

#include <math.h>

#include "statistics/series/gstclpooled.h"

/* --- values --------------------------------------------------------------- */

guint64
gst_cl_compared_samples (const GstClComparedShape *shape, guint c)
{
  return (guint64) shape->components[c].width * shape->components[c].height;
}

guint64
gst_cl_compared_windows (const GstClComparedShape *shape, guint c)
{
  const guint columns = shape->components[c].width / 4,
              rows = shape->components[c].height / 4;

  return columns < 2 || rows < 2 ? 0 : (guint64) (columns - 1) * (rows - 1);
}

gdouble
gst_cl_compared_mse (const GstClComparedShape *shape,
    const GstClCompared *compared, guint c)
{
  return (gdouble) compared->components[c].squares /
         (gdouble) gst_cl_compared_samples (shape, c);
}

gdouble
gst_cl_compared_mse_of_all (const GstClComparedShape *shape,
    const GstClCompared *compared)
{
  guint64 n = 0;
  gdouble squares = 0;

  for (guint c = 0; c < shape->n_components; c++) {
    n += gst_cl_compared_samples (shape, c);
    squares += (gdouble) compared->components[c].squares;
  }

  return squares / (gdouble) n;
}

/* Returns the square of the largest code. */
static gdouble
get_peak (guint depth)
{
  const gdouble max = (gdouble) ((1u << depth) - 1);

  return max * max;
}

gdouble
gst_cl_compared_psnr (gdouble mse, guint depth)
{
  return 10.0 * log10 (get_peak (depth) / mse);
}

gdouble
gst_cl_compared_ssim (const GstClComparedShape *shape,
    const GstClCompared *compared, guint c)
{
  return (gdouble) compared->components[c].ssim_sum /
         (gdouble) GST_CL_COMPARED_SSIM_ONE /
         (gdouble) gst_cl_compared_windows (shape, c);
}

gdouble
gst_cl_compared_ssim_of_all (const GstClComparedShape *shape,
    const GstClCompared *compared)
{
  gdouble sum = 0, weight = 0;

  for (guint c = 0; c < shape->n_components; c++) {
    const gdouble n = (gdouble) gst_cl_compared_samples (shape, c);

    if (gst_cl_compared_windows (shape, c) == 0)
      continue;
    sum += n * gst_cl_compared_ssim (shape, compared, c);
    weight += n;
  }

  return sum / weight;
}

static gdouble
decibels_of_ssim (gdouble ssim)
{
  return 10.0 * log10 (1.0 / (1.0 - ssim));
}

gdouble
gst_cl_compared_xpsnr (const GstClComparedShape *shape,
    const GstClCompared *compared, guint i)
{
  return gst_cl_xpsnr_of_sum (&shape->weighted, i, compared->weighted[i]);
}

/* --- fields --------------------------------------------------------------- */

typedef gdouble (*MeasureFunc) (const GstClComparedShape *shape,
    const GstClCompared *compared, guint c);
typedef guint64 (*CountFunc) (const GstClCompared *compared, guint c);

static gdouble
get_psnr (const GstClComparedShape *shape, const GstClCompared *compared,
    guint c)
{
  return gst_cl_compared_psnr (gst_cl_compared_mse (shape, compared, c),
      shape->depth);
}

static gdouble
get_psnr_of_all (const GstClComparedShape *shape, const GstClCompared *compared)
{
  return gst_cl_compared_psnr (gst_cl_compared_mse_of_all (shape, compared),
      shape->depth);
}

static guint64
get_squares (const GstClCompared *compared, guint c)
{
  return compared->components[c].squares;
}

static guint64
get_different (const GstClCompared *compared, guint c)
{
  return compared->components[c].n_different;
}

static guint64
get_max (const GstClCompared *compared, guint c)
{
  return compared->components[c].max;
}

/* Returns the index in shape->weighted of component @c. */
static guint
find_weighted (const GstClComparedShape *shape, guint c)
{
  guint i = 0;

  while (i < shape->weighted.n_components && shape->weighted_ids[i] != c)
    i++;

  return i;
}

static gdouble
get_xpsnr (const GstClComparedShape *shape, const GstClCompared *compared,
    guint c)
{
  return gst_cl_compared_xpsnr (shape, compared, find_weighted (shape, c));
}

static guint
count_weighted (const GstClComparedShape *shape)
{
  return shape->weighted.n_components;
}

static guint
count_all (const GstClComparedShape *shape)
{
  return shape->n_components;
}

/* Fields with a value for each component: a measure or a count. */
static const struct {
  const gchar *name;
  GstClCompareMetrics metric;
  guint (*count) (const GstClComparedShape *shape);
  MeasureFunc measure;
  CountFunc number;
} fields[] = {
  { "squared-error", GST_CL_COMPARE_PSNR, count_all, NULL, get_squares },
  { "mse", GST_CL_COMPARE_PSNR, count_all, gst_cl_compared_mse, NULL },
  { "psnr", GST_CL_COMPARE_PSNR, count_all, get_psnr, NULL },
  { "ssim", GST_CL_COMPARE_SSIM, count_all, gst_cl_compared_ssim, NULL },
  { "xpsnr", GST_CL_COMPARE_XPSNR, count_weighted, get_xpsnr, NULL },
  { "max-difference", GST_CL_COMPARE_MAX_DIFFERENCE, count_all, NULL, get_max },
  { "different-samples", GST_CL_COMPARE_MAX_DIFFERENCE, count_all, NULL,
      get_different },
};

/* Fields of all components together. */
static const struct {
  const gchar *name;
  GstClCompareMetrics metric;
  gdouble (*measure) (const GstClComparedShape *shape,
      const GstClCompared *compared);
} fields_of_all[] = {
  { "mse-all", GST_CL_COMPARE_PSNR, gst_cl_compared_mse_of_all },
  { "psnr-all", GST_CL_COMPARE_PSNR, get_psnr_of_all },
  { "ssim-all", GST_CL_COMPARE_SSIM, gst_cl_compared_ssim_of_all },
};

static void
append_double (GValue *array, gdouble x)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, x);
  gst_value_array_append_and_take_value (array, &value);
}

static void
append_uint64 (GValue *array, guint64 n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_value_set_uint64 (&value, n);
  gst_value_array_append_and_take_value (array, &value);
}

static void
append_int64 (GValue *array, gint64 n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT64);
  g_value_set_int64 (&value, n);
  gst_value_array_append_and_take_value (array, &value);
}

static void
add_names (GstStructure *structure, const GstClComparedShape *shape)
{
  GValue names = G_VALUE_INIT;

  gst_value_array_init (&names, shape->n_components);
  for (guint c = 0; c < shape->n_components; c++) {
    GValue name = G_VALUE_INIT;

    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, shape->components[c].name);
    gst_value_array_append_and_take_value (&names, &name);
  }
  gst_structure_take_value (structure, "components", &names);
  gst_structure_set (structure, "depth", G_TYPE_INT, (gint) shape->depth, NULL);
}

/* Appends field @i of component @c to @array. */
static void
append_field (GValue *array, guint i, const GstClComparedShape *shape,
    const GstClCompared *compared, guint c)
{
  if (fields[i].measure)
    append_double (array, fields[i].measure (shape, compared, c));
  else
    append_uint64 (array, fields[i].number (compared, c));
}

static void
add_arrays (GstStructure *structure, const GstClComparedShape *shape,
    const GstClCompared *compared)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    GValue array = G_VALUE_INIT;

    if (!(shape->metrics & fields[i].metric))
      continue;
    gst_value_array_init (&array, shape->n_components);
    for (guint c = 0; c < fields[i].count (shape); c++)
      append_field (&array, i, shape, compared, c);
    gst_structure_take_value (structure, fields[i].name, &array);
  }
}

void
gst_cl_compared_add_first (GstStructure *structure,
    const GstClComparedShape *shape, const GstClCompared *compared)
{
  const gchar *name = "";
  gint x = -1, y = -1;

  for (guint c = 0; c < shape->n_components; c++) {
    const guint64 first = compared->components[c].first;

    if (first == G_MAXUINT64)
      continue;
    name = shape->components[c].name;
    x = (gint) (first % shape->components[c].width);
    y = (gint) (first / shape->components[c].width);
    break;
  }
  gst_structure_set (structure, "first-difference-component", G_TYPE_STRING,
      name, "first-difference-x", G_TYPE_INT, x, "first-difference-y",
      G_TYPE_INT, y, NULL);
}

static void
add_histogram (GstStructure *structure, const GstClComparedShape *shape,
    const GstClCompared *compared)
{
  GValue array = G_VALUE_INIT;

  gst_value_array_init (&array, shape->n_components);
  for (guint c = 0; c < shape->n_components; c++) {
    GValue counts = G_VALUE_INIT;

    gst_value_array_init (&counts, GST_CL_COMPARED_N_DIFFERENCES);
    for (guint i = 0; i < GST_CL_COMPARED_N_DIFFERENCES; i++)
      append_uint64 (&counts, compared->components[c].histogram[i]);
    gst_value_array_append_and_take_value (&array, &counts);
  }
  gst_structure_take_value (structure, "difference-histogram", &array);
}

/* --- the keys of FFmpeg's filters ----------------------------------------- */

static void
set_key (GstStructure *structure, const gchar *prefix, const gchar *name,
    gboolean is_lower, gdouble x)
{
  g_autofree gchar *letter = is_lower ? g_ascii_strdown (name, -1)
                                      : g_strdup (name);
  g_autofree gchar *key = g_strconcat (prefix, letter, NULL);

  gst_structure_set (structure, key, G_TYPE_DOUBLE, x, NULL);
}

static void
add_lavfi (GstStructure *structure, const GstClComparedShape *shape,
    const GstClCompared *compared)
{
  const gdouble ssim = gst_cl_compared_ssim_of_all (shape, compared);

  for (guint c = 0; c < shape->n_components; c++) {
    const gchar *name = shape->components[c].name;

    if (shape->metrics & GST_CL_COMPARE_PSNR) {
      set_key (structure, "psnr.mse.", name, TRUE,
          gst_cl_compared_mse (shape, compared, c));
      set_key (structure, "psnr.psnr.", name, TRUE,
          get_psnr (shape, compared, c));
    }
    if (shape->metrics & GST_CL_COMPARE_SSIM)
      set_key (structure, "ssim.", name, FALSE,
          gst_cl_compared_ssim (shape, compared, c));
    if ((shape->metrics & GST_CL_COMPARE_XPSNR) && c < count_weighted (shape))
      set_key (structure, "xpsnr.xpsnr.", name, TRUE,
          get_xpsnr (shape, compared, c));
  }
  if (shape->metrics & GST_CL_COMPARE_PSNR)
    gst_structure_set (structure, "psnr.mse_avg", G_TYPE_DOUBLE,
        gst_cl_compared_mse_of_all (shape, compared), "psnr.psnr_avg",
        G_TYPE_DOUBLE, get_psnr_of_all (shape, compared), NULL);
  if (shape->metrics & GST_CL_COMPARE_SSIM)
    gst_structure_set (structure, "ssim.All", G_TYPE_DOUBLE, ssim, "ssim.dB",
        G_TYPE_DOUBLE, decibels_of_ssim (ssim), NULL);
}

void
gst_cl_compared_add (GstStructure *structure, const GstClComparedShape *shape,
    const GstClCompared *compared, gboolean has_lavfi)
{
  add_names (structure, shape);
  add_arrays (structure, shape, compared);
  for (guint i = 0; i < G_N_ELEMENTS (fields_of_all); i++) {
    if (shape->metrics & fields_of_all[i].metric)
      gst_structure_set (structure, fields_of_all[i].name, G_TYPE_DOUBLE,
          fields_of_all[i].measure (shape, compared), NULL);
  }
  if (shape->metrics & GST_CL_COMPARE_MAX_DIFFERENCE)
    gst_cl_compared_add_first (structure, shape, compared);
  if (shape->metrics & GST_CL_COMPARE_HISTOGRAM)
    add_histogram (structure, shape, compared);
  if (has_lavfi)
    add_lavfi (structure, shape, compared);
}

/* --- regions -------------------------------------------------------------- */

static void
take_prefixed (GstStructure *structure, const gchar *prefix, const gchar *name,
    GValue *value)
{
  g_autofree gchar *key = g_strconcat (prefix, name, NULL);

  gst_structure_take_value (structure, key, value);
}

void
gst_cl_compared_add_regions (GstStructure *structure, const gchar *prefix,
    const GstClComparedShape *shapes, const GstClCompared *compared, guint n)
{
  const GstClCompareMetrics metrics = shapes[0].metrics &
                                      GST_CL_COMPARE_OF_REGIONS;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    GValue array = G_VALUE_INIT;

    if (!(metrics & fields[i].metric))
      continue;
    gst_value_array_init (&array, shapes[0].n_components);
    for (guint c = 0; c < shapes[0].n_components; c++) {
      GValue inner = G_VALUE_INIT;

      gst_value_array_init (&inner, n);
      for (guint r = 0; r < n; r++)
        append_field (&inner, i, &shapes[r], &compared[r], c);
      gst_value_array_append_and_take_value (&array, &inner);
    }
    take_prefixed (structure, prefix, fields[i].name, &array);
  }

  for (guint i = 0; i < G_N_ELEMENTS (fields_of_all); i++) {
    GValue array = G_VALUE_INIT;

    if (!(metrics & fields_of_all[i].metric))
      continue;
    gst_value_array_init (&array, n);
    for (guint r = 0; r < n; r++)
      append_double (&array,
          fields_of_all[i].measure (&shapes[r], &compared[r]));
    take_prefixed (structure, prefix, fields_of_all[i].name, &array);
  }
}

/* --- pooled results ------------------------------------------------------- */

#define RECIPROCAL_ONE 4294967296.0 /* units of 1 */

/* The values of a frame whose least value, means and percentiles are pooled.
 */
typedef enum { SERIES_PSNR, SERIES_SSIM, SERIES_XPSNR, N_SERIES } Series;

static gdouble
get_first_xpsnr (const GstClComparedShape *shape, const GstClCompared *compared)
{
  return gst_cl_compared_xpsnr (shape, compared, 0);
}

static const struct {
  const gchar *name;
  GstClCompareMetrics metric;
  gdouble (
      *get) (const GstClComparedShape *shape, const GstClCompared *compared);
} all_series[N_SERIES] = {
  [SERIES_PSNR] = { "psnr-all", GST_CL_COMPARE_PSNR, get_psnr_of_all },
  [SERIES_SSIM] = { "ssim-all", GST_CL_COMPARE_SSIM,
      gst_cl_compared_ssim_of_all },
  [SERIES_XPSNR] = { "xpsnr-first", GST_CL_COMPARE_XPSNR, get_first_xpsnr },
};

static const guint percentiles[] = { 1, 5, 50 };

struct _GstClComparePool {
  GstClComparedShape shape;
  guint64 n_frames, n_different; /* frames */
  GstClFrameTime begin, end;
  struct {
    GstClUint128 squares;
    gint64 ssim; /* sum of the frames' SSIM, of GST_CL_COMPARED_SSIM_ONE */
    guint64 n_different, max;
  } components[GST_CL_COMPARED_MAX_COMPONENTS];
  GstClXpsnrPool xpsnr;
  GArray *values[N_SERIES];      /* gdouble, in the order of frames */
  guint64 reciprocals[N_SERIES]; /* sum of 1 / (1 + value), of RECIPROCAL_ONE;
                                    G_MAXUINT64: there is none */
};

GstClComparePool *
gst_cl_compare_pool_new (const GstClComparedShape *shape)
{
  GstClComparePool *self = g_new0 (GstClComparePool, 1);

  self->shape = *shape;
  for (guint i = 0; i < N_SERIES; i++)
    self->values[i] = g_array_new (FALSE, FALSE, sizeof (gdouble));

  return self;
}

void
gst_cl_compare_pool_free (GstClComparePool *self)
{
  if (!self)
    return;

  for (guint i = 0; i < N_SERIES; i++)
    g_array_unref (self->values[i]);
  g_free (self);
}

void
gst_cl_compare_pool_clear (GstClComparePool *self)
{
  GstClComparePool empty = { .shape = self->shape };

  for (guint i = 0; i < N_SERIES; i++) {
    empty.values[i] = self->values[i];
    g_array_set_size (empty.values[i], 0);
  }
  *self = empty;
}

guint64
gst_cl_compare_pool_frames (const GstClComparePool *self)
{
  return self->n_frames;
}

/* Returns @a / @b to the nearest integer, halves away from 0. @b > 0 */
static gint64
divide (gint64 a, gint64 b)
{
  return (a + (a < 0 ? -b : b) / 2) / b;
}

/* Adds the integers of component @c. */
static void
add_component (GstClComparePool *self, const GstClCompared *compared, guint c)
{
  const GstClComparedComponent *from = &compared->components[c];
  const GstClComparedShape *shape = &self->shape;
  const gint64 n_windows = (gint64) gst_cl_compared_windows (shape, c);

  if (shape->metrics & GST_CL_COMPARE_ERRORS) {
    self->components[c].squares = gst_cl_uint128_add (
        self->components[c].squares, (GstClUint128){ 0, from->squares });
    self->components[c].n_different += from->n_different;
    self->components[c].max = MAX (self->components[c].max, from->max);
  }
  if ((shape->metrics & GST_CL_COMPARE_SSIM) && n_windows > 0)
    self->components[c].ssim += divide (from->ssim_sum, n_windows);
}

static gboolean
is_different (const GstClComparedShape *shape, const GstClCompared *compared)
{
  for (guint c = 0; c < shape->n_components; c++) {
    if (compared->components[c].n_different > 0)
      return TRUE;
  }

  return FALSE;
}

/* Returns @sum with the reciprocal of a frame. A value of -1 or less has none,
 * nor has NaN; the sum then stays G_MAXUINT64. */
static guint64
add_reciprocal (guint64 sum, gdouble value)
{
  const gdouble reciprocal = value > -1 ? RECIPROCAL_ONE / (1 + value) + 0.5
                                        : INFINITY;

  return reciprocal < (gdouble) (G_MAXUINT64 - sum) ? sum + (guint64) reciprocal
                                                    : G_MAXUINT64;
}

void
gst_cl_compare_pool_add (GstClComparePool *self, const GstClCompared *compared,
    const GstClFrameTime *time)
{
  if (self->n_frames == 0)
    self->begin = *time;
  self->end = gst_cl_frame_time_end (time);
  self->n_frames++;
  if ((self->shape.metrics & GST_CL_COMPARE_ERRORS) &&
      is_different (&self->shape, compared))
    self->n_different++;
  for (guint c = 0; c < self->shape.n_components; c++)
    add_component (self, compared, c);
  if (self->shape.metrics & GST_CL_COMPARE_XPSNR)
    gst_cl_xpsnr_pool_add (&self->xpsnr, &self->shape.weighted,
        compared->weighted);
  for (guint i = 0; i < N_SERIES; i++) {
    gdouble value;

    if (!(self->shape.metrics & all_series[i].metric))
      continue;
    value = all_series[i].get (&self->shape, compared);
    g_array_append_val (self->values[i], value);
    self->reciprocals[i] = add_reciprocal (self->reciprocals[i], value);
  }
}

static gint
compare_doubles (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

static void
set_double (GstStructure *structure, const gchar *name, const gchar *suffix,
    gdouble x)
{
  g_autofree gchar *key = g_strconcat (name, suffix, NULL);

  gst_structure_set (structure, key, G_TYPE_DOUBLE, x, NULL);
}

/* Adds the mean, the least value, percentiles, .. of series @i, and the sum
 * behind the harmonic mean. If a value is NaN, all are NaN. */
static void
add_series (const GstClComparePool *self, GstStructure *structure, Series i)
{
  const gchar *name = all_series[i].name;
  const guint n = self->values[i]->len;
  g_autofree gdouble *sorted = g_memdup2 (self->values[i]->data,
      n * sizeof *sorted);
  const guint64 reciprocals = self->reciprocals[i];
  g_autofree gchar *key = g_strconcat (name, "-reciprocals", NULL);
  gdouble sum = 0;

  for (guint k = 0; k < n; k++)
    sum += sorted[k];
  for (guint k = 0; isnan (sum) && k < n; k++)
    sorted[k] = NAN;
  qsort (sorted, n, sizeof *sorted, compare_doubles);
  set_double (structure, name, "-mean", sum / n);
  set_double (structure, name, "-min", sorted[0]);
  set_double (structure, name, "-max", sorted[n - 1]);
  set_double (structure, name, "-harmonic-mean",
      reciprocals < G_MAXUINT64
          ? (gdouble) self->n_frames * RECIPROCAL_ONE / (gdouble) reciprocals -
                1
          : NAN);
  gst_structure_set (structure, key, G_TYPE_UINT64, reciprocals, NULL);
  for (guint p = 0; p < G_N_ELEMENTS (percentiles); p++) {
    g_autofree gchar *suffix = g_strdup_printf ("-p%u", percentiles[p]);
    const guint64 rank = ((guint64) percentiles[p] * n + 99) / 100;

    set_double (structure, name, suffix, sorted[MAX (rank, 1) - 1]);
  }
}

static void
add_psnr (const GstClComparePool *self, GstStructure *structure)
{
  const GstClComparedShape *shape = &self->shape;
  GValue low = G_VALUE_INIT, high = G_VALUE_INIT, mse = G_VALUE_INIT,
         psnr = G_VALUE_INIT;
  GstClUint128 total = { 0, 0 };
  guint64 samples = 0;
  gdouble all;

  gst_value_array_init (&low, shape->n_components);
  gst_value_array_init (&high, shape->n_components);
  gst_value_array_init (&mse, shape->n_components);
  gst_value_array_init (&psnr, shape->n_components);
  for (guint c = 0; c < shape->n_components; c++) {
    const GstClUint128 squares = self->components[c].squares;
    const guint64 n = gst_cl_compared_samples (shape, c) * self->n_frames;
    const gdouble mean = gst_cl_uint128_to_double (squares) / (gdouble) n;

    total = gst_cl_uint128_add (total, squares);
    samples += n;
    append_uint64 (&low, squares.low);
    append_uint64 (&high, squares.high);
    append_double (&mse, mean);
    append_double (&psnr, gst_cl_compared_psnr (mean, shape->depth));
  }
  all = gst_cl_uint128_to_double (total) / (gdouble) samples;
  gst_structure_take_value (structure, "squared-error", &low);
  gst_structure_take_value (structure, "squared-error-high", &high);
  gst_structure_take_value (structure, "mse", &mse);
  gst_structure_take_value (structure, "psnr", &psnr);
  gst_structure_set (structure, "mse-all", G_TYPE_DOUBLE, all, "psnr-all",
      G_TYPE_DOUBLE, gst_cl_compared_psnr (all, shape->depth), NULL);
}

static void
add_ssim (const GstClComparePool *self, GstStructure *structure)
{
  const GstClComparedShape *shape = &self->shape;
  GValue units = G_VALUE_INIT, ssim = G_VALUE_INIT;

  gst_value_array_init (&units, shape->n_components);
  gst_value_array_init (&ssim, shape->n_components);
  for (guint c = 0; c < shape->n_components; c++) {
    append_int64 (&units, self->components[c].ssim);
    append_double (&ssim, gst_cl_compared_windows (shape, c) > 0
                              ? (gdouble) self->components[c].ssim /
                                    (gdouble) self->n_frames /
                                    (gdouble) GST_CL_COMPARED_SSIM_ONE
                              : NAN);
  }
  gst_structure_take_value (structure, "ssim-units", &units);
  gst_structure_take_value (structure, "ssim", &ssim);
}

static void
add_xpsnr (const GstClComparePool *self, GstStructure *structure)
{
  const GstClComparedShape *shape = &self->shape;
  const guint n = count_weighted (shape);
  GValue units = G_VALUE_INIT, xpsnr = G_VALUE_INIT;
  gdouble least = INFINITY;

  gst_value_array_init (&units, n);
  gst_value_array_init (&xpsnr, n);
  for (guint c = 0; c < n; c++) {
    const guint i = find_weighted (shape, c);
    const gdouble x = gst_cl_xpsnr_pool_get (&self->xpsnr, &shape->weighted, i);

    least = MIN (least, x);
    append_uint64 (&units, self->xpsnr.roots[i]);
    append_double (&xpsnr, x);
  }
  gst_structure_take_value (structure, "xpsnr-units", &units);
  gst_structure_take_value (structure, "xpsnr", &xpsnr);
  gst_structure_set (structure, "xpsnr-least", G_TYPE_DOUBLE, least, NULL);
}

static void
add_differences (const GstClComparePool *self, GstStructure *structure)
{
  GValue max = G_VALUE_INIT, n = G_VALUE_INIT;

  gst_value_array_init (&max, self->shape.n_components);
  gst_value_array_init (&n, self->shape.n_components);
  for (guint c = 0; c < self->shape.n_components; c++) {
    append_uint64 (&max, self->components[c].max);
    append_uint64 (&n, self->components[c].n_different);
  }
  gst_structure_take_value (structure, "max-difference", &max);
  gst_structure_take_value (structure, "different-samples", &n);
  gst_structure_set (structure, "different-frames", G_TYPE_UINT64,
      self->n_different, NULL);
}

GstStructure *
gst_cl_compare_pool_to_structure (const GstClComparePool *self,
    const gchar *name)
{
  GstStructure *structure = gst_structure_new (name, "frames", G_TYPE_UINT64,
      self->n_frames, "timestamp", G_TYPE_UINT64, self->begin.timestamp,
      "stream-time", G_TYPE_UINT64, self->begin.stream_time, "running-time",
      G_TYPE_UINT64, self->begin.running_time, "frame", G_TYPE_UINT64,
      self->begin.frame, "end-running-time", G_TYPE_UINT64,
      self->end.running_time, "end-frame", G_TYPE_UINT64, self->end.frame + 1,
      NULL);

  add_names (structure, &self->shape);
  if (self->n_frames == 0)
    return structure;

  if (self->shape.metrics & GST_CL_COMPARE_PSNR)
    add_psnr (self, structure);
  if (self->shape.metrics & GST_CL_COMPARE_SSIM)
    add_ssim (self, structure);
  if (self->shape.metrics & GST_CL_COMPARE_XPSNR)
    add_xpsnr (self, structure);
  if (self->shape.metrics & GST_CL_COMPARE_MAX_DIFFERENCE)
    add_differences (self, structure);
  for (guint i = 0; i < N_SERIES; i++) {
    if (self->shape.metrics & all_series[i].metric)
      add_series (self, structure, i);
  }

  return structure;
}
