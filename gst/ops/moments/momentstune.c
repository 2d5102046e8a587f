/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which way of adding up makes the statistics of a frame fastest. */

#include "momentsprivate.h"
#include "ops/tune.h"

#include "cl/memory/gstclbuffer.h"

/* Raise it when the kernels have changed so much that another candidate may be
 * the fastest. */
#define VERSION 1

/* After the usual way; all that shares a program stands together. On CPUs the
 * rounds take many times as long, and their compiling most of a second: the bands
 * are what there is to choose from, which compiles nothing. */
static const struct {
  const gchar *name;
  const gchar *variant; /* of its table */
  GstClFamily family;   /* devices that try it */
  guint bands_percent;
  gint tile_rows;
} table[] = {
  /* clang-format off */
  { "half the bands", "cpu", GST_CL_FAMILY_CPU, 50, 0 },
  { "twice the bands", "cpu", GST_CL_FAMILY_CPU, 200, 0 },
  { "tiles of 32 rows", "gpu", GST_CL_FAMILY_GPU, 0, 32 },
  { "tiles of 128 rows", "gpu", GST_CL_FAMILY_GPU, 0, 128 },
  { "tiles of 256 rows", "gpu", GST_CL_FAMILY_GPU, 0, 256 },
  { "outer-tail", "outer-tail", GST_CL_FAMILY_GPU, 0, 0 },
  { "outer-inner-tail", "outer-inner-tail", GST_CL_FAMILY_GPU, 0, 0 },
  { "outer-inner", "outer-inner", GST_CL_FAMILY_GPU, 0, 0 },
  { "inner-tail", "inner-tail", GST_CL_FAMILY_GPU, 0, 0 },
  { "inner", "inner", GST_CL_FAMILY_GPU, 0, 0 },
  { "outer", "outer", GST_CL_FAMILY_GPU, 0, 0 },
  /* clang-format on */
};

G_STATIC_ASSERT (1 + G_N_ELEMENTS (table) <= GST_CL_MOMENTS_MAX_WAYS);

/* --- ways ---------------------------------------------------------------- */

static const GstClImplementation *
find_variant (const gchar *name)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_moments_variants (&n_rows);

  return gst_cl_implementation_find (rows, n_rows, name);
}

static GstClMomentsWay
usual_way (const GstClDevice *device, gint method)
{
  guint n_rows;
  const GstClImplementation *rows = gst_cl_moments_variants (&n_rows);
  const GstClImplementation *row = gst_cl_implementation_choose (rows, n_rows,
      method, device);

  return (GstClMomentsWay){ .name = row->name, .variant = row };
}

/* One that comes to the same as another is none. */
static gboolean
is_of_use (const GstClImplementation *variant, const GstClComponent *components,
    guint n_components)
{
  return variant->method == GST_CL_REDUCTION_BANDS ||
         variant->method == GST_CL_REDUCTION_TILES ||
         gst_cl_moments_rounds_differ (variant, components, n_components);
}

guint
gst_cl_moments_ways (const GstClDevice *device,
    const GstClComponent *components, guint n_components,
    GstClMomentsWay ways[GST_CL_MOMENTS_MAX_WAYS])
{
  guint n_ways = 0;

  ways[n_ways++] = usual_way (device, GST_CL_REDUCTION_AUTO);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    const GstClMomentsWay way = { table[i].name,
      find_variant (table[i].variant), table[i].bands_percent,
      table[i].tile_rows };

    if (table[i].family == device->family &&
        is_of_use (way.variant, components, n_components))
      ways[n_ways++] = way;
  }

  return n_ways;
}

/* --- frames to measure with ---------------------------------------------- */

typedef struct {
  GstClContext *context;
  GstClComponent components[GST_CL_MOMENTS_MAX_COMPONENTS];
  guint n_components;
  GstClMomentsWay ways[GST_CL_MOMENTS_MAX_WAYS];
  guint n_ways;
  cl_mem mem; /* of all components; made with the first op */
} Trial;

/* Bytes up to the end of the last component. */
static gsize
count_bytes (const Trial *trial)
{
  gsize n_bytes = 0;

  for (guint c = 0; c < trial->n_components; c++) {
    const GstClComponent *component = &trial->components[c];
    const gsize row_bytes = (gsize) (component->width - 1) *
                                component->pixel_stride_bytes +
                            component->sample.bytes;

    n_bytes = MAX (n_bytes,
        component->offset_bytes +
            (gsize) (component->height - 1) * component->stride_bytes +
            row_bytes);
  }

  return n_bytes;
}

static gboolean
make_frame (Trial *trial, GError **error)
{
  trial->mem = gst_cl_buffer_new_zeroed (trial->context, count_bytes (trial),
      error);
  for (guint c = 0; c < trial->n_components; c++)
    trial->components[c].mem = trial->mem;

  return trial->mem != NULL;
}

/* --- candidates as gst_cl_tune_choose() takes them ----------------------- */

static gpointer
make_op (gpointer user_data, guint index, GError **error)
{
  Trial *trial = user_data;

  if (!trial->mem && !make_frame (trial, error))
    return NULL;

  return gst_cl_moments_op_new (trial->context, &trial->ways[index],
      trial->components, trial->n_components, error);
}

static gboolean
run_op (gpointer user_data, gpointer op, guint n_times, GError **error)
{
  Trial *trial = user_data;

  for (guint i = 0; i < n_times; i++) {
    if (!gst_cl_moments_op_run (op, trial->components, error))
      return FALSE;
  }

  return gst_cl_context_finish (trial->context, error);
}

static void
free_op (gpointer op)
{
  gst_cl_moments_op_free (op);
}

/* Strides and offsets of frames may be other ones. */
static gchar *
describe_frame (const Trial *trial)
{
  const GstClSampleType *sample = &trial->components[0].sample;
  GString *text = g_string_new (NULL);

  g_string_printf (text, "statistics of %u+%u bits", sample->depth,
      sample->shift);
  for (guint c = 0; c < trial->n_components; c++) {
    const GstClComponent *component = &trial->components[c];

    g_string_append_printf (text, ", %dx%d every %d bytes", component->width,
        component->height, component->pixel_stride_bytes);
  }

  return g_string_free (text, FALSE);
}

static GstClMomentsWay
choose_way (Trial *trial, gboolean may_measure)
{
  g_autofree gchar *key = describe_frame (trial);
  const gchar *names[GST_CL_MOMENTS_MAX_WAYS];
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
      may_measure &&
          gst_cl_tune_fits_memory (trial->context->device, count_bytes (trial)),
      NULL);
  gst_cl_buffer_free (trial->mem);

  return trial->ways[index];
}

GstClMomentsWay
gst_cl_moments_choose (GstClContext *context, gint method,
    const GstClComponent *components, guint n_components, gboolean may_measure)
{
  Trial trial = { .context = context, .n_components = n_components };

  if (method != GST_CL_REDUCTION_AUTO)
    return usual_way (context->device, method);

  for (guint c = 0; c < n_components; c++)
    trial.components[c] = components[c];
  trial.n_ways = gst_cl_moments_ways (context->device, components, n_components,
      trial.ways);

  return choose_way (&trial, may_measure);
}
