/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which variant and which tiling make an integral image fastest. */

#include "integralprivate.h"
#include "ops/tune.h"

#include "cl/memory/gstclbuffer.h"

#include <string.h>

/* Raise it when the kernels have changed so much that another candidate may be
 * the fastest. */
#define VERSION 2

/* All that shares a program stands together, after what brings it. On CPUs the
 * other forms take 15 times as long and more, and seconds to compile. */
static const struct {
  const gchar *name;
  const gchar *variant; /* of its table */
  GstClFamily family;   /* devices that try it */
  guint bands_percent;  /* of the usual ones; 0: as the tiling says */
  GstClIntegralTiling tiling;
} table[] = {
  /* clang-format off */
  { "half the bands", "multi-pass-cpu", GST_CL_FAMILY_CPU, 50, { 0, 0, 0, 0 } },
  { "twice the bands", "multi-pass-cpu", GST_CL_FAMILY_CPU, 200, { 0, 0, 0, 0 } },
  { "four times the bands", "multi-pass-cpu", GST_CL_FAMILY_CPU, 400, { 0, 0, 0, 0 } },
  { "single-pass", "single-pass", GST_CL_FAMILY_GPU, 0, { 0, 0, 0, 0 } },
  { "tiles 128x64 by 4", "multi-pass-gpu", GST_CL_FAMILY_GPU, 0, { 0, 32, 4, 64 } },
  { "tiles 128x32 by 8", "multi-pass-gpu", GST_CL_FAMILY_GPU, 0, { 0, 32, 8, 32 } },
  { "tiles 256x64 by 4", "multi-pass-gpu", GST_CL_FAMILY_GPU, 0, { 0, 64, 4, 64 } },
  { "multi-pass", "multi-pass", GST_CL_FAMILY_GPU, 0, { 0, 0, 0, 0 } },
  /* clang-format on */
};

G_STATIC_ASSERT (1 + G_N_ELEMENTS (table) <= GST_CL_INTEGRAL_MAX_WAYS);

/* A band has at least so many rows. */
#define MIN_ROWS_PER_BAND 8

/* ---- ways ---- */

static const GstClImplementation *
find_variant (const gchar *name)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_integral_variants (&n_rows);

  return gst_cl_implementation_find (rows, n_rows, name);
}

/* Adds @way to @ways unless it comes to the same as one there: of some specs
 * several variants come to one form, without a tiling. */
static guint
add_way (GstClIntegralWay *ways, guint n_ways, GstClIntegralWay way,
    const GstClIntegralSpec *spec)
{
  const gchar *resource;
  const GstClIntegralForm *form = gst_cl_integral_form (way.variant, spec,
      &resource);

  if (!g_str_equal (resource, way.variant->resource))
    way.tiling = (GstClIntegralTiling){ 0 };
  for (guint i = 0; i < n_ways; i++) {
    if (gst_cl_integral_form (ways[i].variant, spec, &resource) == form &&
        memcmp (&ways[i].tiling, &way.tiling, sizeof way.tiling) == 0)
      return n_ways;
  }
  ways[n_ways] = way;

  return n_ways + 1;
}

guint
gst_cl_integral_ways (const GstClDevice *device, const GstClIntegralSpec *spec,
    GstClIntegralWay ways[GST_CL_INTEGRAL_MAX_WAYS])
{
  const guint most_bands = CLAMP ((guint) spec->height / MIN_ROWS_PER_BAND, 1,
      GST_CL_INTEGRAL_MAX_BANDS);
  guint n_rows;
  const GstClImplementation *rows = gst_cl_integral_variants (&n_rows);
  const GstClImplementation *usual = gst_cl_implementation_choose (rows, n_rows,
      GST_CL_INTEGRAL_METHOD_AUTO, device);
  GstClIntegralWay way = { .name = usual->name, .variant = usual };
  guint n_ways;

  if (device->family == GST_CL_FAMILY_CPU)
    way.tiling.n_bands = gst_cl_integral_usual_bands (device, spec);
  n_ways = add_way (ways, 0, way, spec);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    GstClIntegralWay next = { table[i].name, find_variant (table[i].variant),
      table[i].tiling };

    next.tiling.n_bands = CLAMP (way.tiling.n_bands * table[i].bands_percent /
                                     100,
        table[i].bands_percent > 0, most_bands);
    if (table[i].family == device->family)
      n_ways = add_way (ways, n_ways, next, spec);
  }

  return n_ways;
}

/* ---- frames to measure with ---- */

typedef struct {
  GstClContext *context;
  const GstClIntegralSpec *spec;
  GstClIntegralWay ways[GST_CL_INTEGRAL_MAX_WAYS];
  guint n_ways;

  /* for all of them; made with the first op */
  GstClComponent components[GST_CL_INTEGRAL_MAX_CHANNELS];
  GstClSums sums;
} Trial;

/* Components as caps have them: within one pixel, else each in a plane. */
static gboolean
make_components (Trial *trial, GError **error)
{
  const GstClIntegralSpec *spec = trial->spec;
  const gint stride_bytes = spec->width * spec->pixel_stride_bytes;
  const gsize plane_bytes = (gsize) stride_bytes * spec->height;
  const gboolean is_packed = spec->pixel_stride_bytes >=
                             spec->channels * (gint) spec->sample.bytes;
  const gsize distance_bytes = is_packed ? spec->sample.bytes : plane_bytes;
  const gsize size_bytes = plane_bytes * (is_packed ? 1 : spec->channels);
  cl_mem mem = gst_cl_buffer_new_zeroed (trial->context, size_bytes, error);

  for (gint i = 0; i < spec->channels; i++)
    trial->components[i] = (GstClComponent){ .mem = mem,
      .offset_bytes = i * distance_bytes,
      .stride_bytes = stride_bytes,
      .pixel_stride_bytes = spec->pixel_stride_bytes,
      .width = spec->width,
      .height = spec->height,
      .sample = spec->sample };

  return mem != NULL;
}

static guint64
count_sums_bytes (const GstClIntegralSpec *spec)
{
  return gst_cl_integral_row_length (spec) *
         ((guint64) spec->height + gst_cl_integral_border (spec)) *
         spec->sum_bytes;
}

static gboolean
make_sums (Trial *trial, GError **error)
{
  const GstClIntegralSpec *spec = trial->spec;

  trial->sums = (GstClSums){
    .mem = gst_cl_buffer_new (trial->context,
        count_sums_bytes (spec) + sizeof (cl_uint), error),
    .offset_bytes = spec->starts_at_word ? sizeof (cl_uint) : 0,
    .layout = spec->layout,
    .width = spec->width,
    .height = spec->height,
    .channels = spec->channels,
    .sum_bytes = spec->sum_bytes,
    .is_float = spec->is_float,
  };

  return trial->sums.mem != NULL;
}

static gboolean
fits_memory (const Trial *trial)
{
  /* the ops have some of their own */
  return gst_cl_tune_fits_memory (trial->context->device,
      count_sums_bytes (trial->spec) * trial->n_ways);
}

/* ---- candidates as gst_cl_tune_choose() takes them ---- */

static gpointer
make_op (gpointer user_data, guint index, GError **error)
{
  Trial *trial = user_data;
  const GstClIntegralWay *way = &trial->ways[index];
  GstClIntegralSpec spec = *trial->spec;

  if (!trial->components[0].mem && !make_components (trial, error))
    return NULL;
  if (!trial->sums.mem && !make_sums (trial, error))
    return NULL;

  spec.tiling = way->tiling;

  return gst_cl_integral_op_new (trial->context, way->variant, &spec, error);
}

static gboolean
run_op (gpointer user_data, gpointer op, guint n_times, GError **error)
{
  Trial *trial = user_data;

  for (guint i = 0; i < n_times; i++) {
    if (!gst_cl_integral_op_run (op, trial->components, &trial->sums, error))
      return FALSE;
  }
  if (gst_cl_integral_op_has_given_up (op)) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION,
        "Work-groups waited in vain.");
    return FALSE;
  }

  return gst_cl_context_finish (trial->context, error);
}

static void
free_op (gpointer op)
{
  gst_cl_integral_op_free (op);
}

/* Strides and offsets of frames may be other ones; caps do not tell. */
static gchar *
describe_spec (const GstClIntegralSpec *spec)
{
  static const gchar *const kinds[] = {
    [GST_CL_INTEGRAL_SUM] = "sums",
    [GST_CL_INTEGRAL_SQUARES] = "squares",
    [GST_CL_INTEGRAL_TILTED] = "tilted sums",
  };

  return g_strdup_printf ("integral %s %dx%d, %d of %u+%u bits every %d bytes, "
                          "%s of %u bytes%s%s",
      kinds[spec->kind], spec->width, spec->height, spec->channels,
      spec->sample.depth, spec->sample.shift, spec->pixel_stride_bytes,
      spec->is_float ? "floats" : "integers", spec->sum_bytes,
      spec->starts_at_word ? " at words" : "",
      spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? ", exclusive" : "");
}

static const GstClIntegralWay *
choose_way (Trial *trial, gboolean may_measure)
{
  g_autofree gchar *key = describe_spec (trial->spec);
  const gchar *names[GST_CL_INTEGRAL_MAX_WAYS];
  const GstClTuneJob job = {
    .key = key,
    .version = VERSION,
    .names = names,
    .n_candidates = trial->n_ways,
    .make = make_op,
    .run = run_op,
    .free = free_op,
    .user_data = trial,
  };
  guint index;

  for (guint i = 0; i < trial->n_ways; i++)
    names[i] = trial->ways[i].name;
  index = gst_cl_tune_choose (trial->context->choices, &job,
      may_measure && fits_memory (trial));

  gst_cl_buffer_free (trial->components[0].mem);
  gst_cl_buffer_free (trial->sums.mem);

  return &trial->ways[index];
}

const GstClImplementation *
gst_cl_integral_choose (GstClContext *context, GstClIntegralMethod method,
    GstClIntegralSpec *spec, gboolean may_measure)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_integral_variants (&n_rows);
  const GstClImplementation *plain = gst_cl_implementation_choose (rows, n_rows,
      method, context->device);
  Trial trial = { .context = context, .spec = spec };
  const GstClIntegralWay *way;

  if (method != GST_CL_INTEGRAL_METHOD_AUTO)
    return plain;

  trial.n_ways = gst_cl_integral_ways (context->device, spec, trial.ways);
  way = choose_way (&trial, may_measure);
  spec->tiling = way->tiling;

  return way->variant;
}
