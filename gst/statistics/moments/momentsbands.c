/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frame statistics on CPU devices: reads each plane once for all its
 * components; one work-item per band of rows. */

#include "momentsprivate.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/sample.h"

#define MAX_COMPONENTS GST_CL_MOMENTS_MAX_COMPONENTS
#define MAX_PERIOD     4 /* samples */
#define BANDS_PER_UNIT 4 /* a late band costs a quarter of a unit's time */

/* Indices of the components in one plane. */
typedef struct {
  guint members[MAX_COMPONENTS];
  guint n_members;
} Plane;

/* The layout of a plane for the kernel: see kernels/moments/cpu.cl. Numbers are
 * in samples unless noted otherwise. */
typedef struct {
  gsize offset_bytes; /* of the first member */
  gint period;        /* of the members: 1, 3, 4 */
  gint n_vector;     /* of a row, with a sample of every phase in each period */
  cl_int4 n_samples; /* of each phase in a row; 0: of no member */
  guint phases[MAX_COMPONENTS]; /* bit p: phase p belongs to this component */
} Layout;

typedef struct {
  guint n_components;
  GstClSampleType sample;
  Plane planes[MAX_COMPONENTS];
  guint n_planes;

  GstClKernel *band[MAX_PERIOD + 1]; /* by period; NULL if unused */
  GstClKernel *merge;
  guint n_bands; /* of each plane */

  cl_mem partials; /* MAX_PERIOD slots per plane, n_bands partials per slot */
  cl_mem results;
} Bands;

/* --- geometry ------------------------------------------------------------ */

/* Returns the number of samples from @offset_bytes to the component's first. */
static gsize
samples_after (const GstClComponent *component, gsize offset_bytes)
{
  return (component->offset_bytes - offset_bytes) / component->sample.bytes;
}

/* Assigns the phases of the period to the members; FALSE if two have the
 * same. */
static gboolean
deal_phases (const Plane *plane, const GstClComponent *components,
    Layout *layout)
{
  for (guint m = 0; m < plane->n_members; m++) {
    const GstClComponent *component = &components[plane->members[m]];
    const gint stride = gst_cl_component_pixel_stride (component);
    const gint first = samples_after (component, layout->offset_bytes);
    const gint n_phases = layout->period / stride;

    if (layout->period % stride != 0)
      return FALSE;

    for (gint i = 0; i < n_phases; i++) {
      const gint phase = first + i * stride;

      if (phase >= layout->period || layout->n_samples.s[phase] != 0)
        return FALSE;

      /* A row narrower than a period has no samples of its later phases. */
      layout->n_samples.s[phase] = (component->width + n_phases - 1 - i) /
                                   n_phases;
      layout->phases[plane->members[m]] |= 1u << phase;
    }
  }

  return TRUE;
}

/* Sets @layout; FALSE if the members cannot be measured as one plane. */
static gboolean
lay_out (const Plane *plane, const GstClComponent *components, Layout *layout)
{
  const GstClComponent *lead = &components[plane->members[0]];
  gsize end = 0; /* of the last sample of row 0 */

  *layout = (Layout){ .offset_bytes = G_MAXSIZE, .period = 1 };

  for (guint m = 0; m < plane->n_members; m++) {
    const GstClComponent *component = &components[plane->members[m]];

    if (component->mem != lead->mem || component->height != lead->height ||
        component->stride_bytes != lead->stride_bytes)
      return FALSE;

    layout->offset_bytes = MIN (layout->offset_bytes, component->offset_bytes);
    layout->period = MAX (layout->period,
        gst_cl_component_pixel_stride (component));
  }
  for (guint m = 0; m < plane->n_members; m++) {
    const GstClComponent *component = &components[plane->members[m]];
    const gsize first = samples_after (component, layout->offset_bytes);

    if (first >= (gsize) layout->period)
      return FALSE;
    end = MAX (end, first +
                        (gsize) (component->width - 1) *
                            gst_cl_component_pixel_stride (component) +
                        1);
  }

  /* Two periods of 2 samples are measured as one of 4. */
  if (layout->period == 2)
    layout->period = 4;
  if (layout->period > MAX_PERIOD || !deal_phases (plane, components, layout))
    return FALSE;

  layout->n_vector = end;
  for (guint m = 0; m < plane->n_members; m++) {
    for (gint phase = 0; phase < layout->period; phase++) {
      if (layout->phases[plane->members[m]] & 1u << phase)
        layout->n_vector = MIN (layout->n_vector,
            layout->n_samples.s[phase] * layout->period);
    }
  }

  return TRUE;
}

static gboolean
layout_error (GError **error)
{
  return gst_cl_check (CL_INVALID_VALUE,
      "frame statistics: unknown layout of components", error);
}

/* Adds component @c to the first plane that it can share, else to a new one. */
static gboolean
place_component (Bands *self, const GstClComponent *components, guint c,
    GError **error)
{
  Layout layout;

  for (guint i = 0; i <= self->n_planes; i++) {
    Plane shared = self->planes[i];

    shared.members[shared.n_members++] = c;
    if (!lay_out (&shared, components, &layout))
      continue;

    self->planes[i] = shared;
    self->n_planes = MAX (self->n_planes, i + 1);
    return TRUE;
  }

  return layout_error (error);
}

/* --- creating and freeing ------------------------------------------------- */

static gboolean
build_band (Bands *self, GstClContext *context, const gchar *resource,
    gint period, GError **error)
{
  g_autofree gchar *type = gst_cl_sample_options (&self->sample);
  g_autofree gchar *options = g_strdup_printf ("%s -DPERIOD=%d -DWIDE_T=%s",
      type, period, self->sample.bytes == 2 ? "uint" : "ushort");

  if (!self->band[period])
    self->band[period] = gst_cl_kernel_new (context, resource, options,
        "moments_cpu_band", error);
  if (self->band[period] && !self->merge)
    self->merge = gst_cl_kernel_new (context, resource, options,
        "moments_cpu_merge", error);

  return self->band[period] && self->merge;
}

static gboolean
prepare_planes (Bands *self, GstClContext *context, const gchar *resource,
    const GstClComponent *components, GError **error)
{
  for (guint c = 0; c < self->n_components; c++) {
    if (!place_component (self, components, c, error))
      return FALSE;
  }

  for (guint i = 0; i < self->n_planes; i++) {
    Layout layout;

    lay_out (&self->planes[i], components, &layout);
    if (!build_band (self, context, resource, layout.period, error))
      return FALSE;
  }

  return TRUE;
}

static void
free_bands (gpointer bands)
{
  Bands *self = bands;

  if (!self)
    return;

  for (guint period = 0; period <= MAX_PERIOD; period++)
    g_clear_pointer (&self->band[period], gst_cl_kernel_free);
  g_clear_pointer (&self->merge, gst_cl_kernel_free);
  g_clear_pointer (&self->partials, gst_cl_buffer_free);
  g_clear_pointer (&self->results, gst_cl_buffer_free);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Bands, free_bands)

void
gst_cl_moments_bands_resolve (gconstpointer problem, const GstClDevice *device,
    const GstClTuning *tuning, guint *values)
{
  const guint percent = tuning ? tuning->values[0] : 100;

  values[0] = MAX (BANDS_PER_UNIT * device->compute_units * percent / 100, 1);
}

static gpointer
create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer user_problem, GError **error)
{
  const GstClMomentsProblem *problem = user_problem;
  g_autoptr (Bands) self = g_new0 (Bands, 1);
  gsize n_partials;

  self->n_components = problem->n_components;
  self->sample = problem->components[0].sample;
  self->n_bands = candidate->values[0];

  if (!prepare_planes (self, context, candidate->implementation->resource,
          problem->components, error))
    return NULL;

  n_partials = (gsize) self->n_planes * MAX_PERIOD * self->n_bands;
  self->partials = gst_cl_buffer_new (context,
      n_partials * sizeof (GstClMoments), error);
  if (!self->partials)
    return NULL;

  self->results = gst_cl_buffer_new (context,
      self->n_components * sizeof (GstClMoments), error);
  if (!self->results)
    return NULL;

  return g_steal_pointer (&self);
}

static cl_mem
get_result (gconstpointer bands)
{
  const Bands *self = bands;

  return self->results;
}

/* --- processing ---------------------------------------------------------- */

static gboolean
measure_plane (Bands *self, const GstClComponent *lead, const Layout *layout,
    guint first_slot, GError **error)
{
  const GstClArg args[] = {
    GST_CL_MEM (lead->mem),
    GST_CL_ULONG (layout->offset_bytes),
    GST_CL_INT (lead->stride_bytes),
    GST_CL_INT (lead->height),
    GST_CL_INT (layout->n_vector),
    GST_CL_INT4 (layout->n_samples),
    GST_CL_INT (self->n_bands),
    GST_CL_MEM (self->partials),
    GST_CL_INT (first_slot),
  };

  return gst_cl_kernel_launch (self->band[layout->period], self->n_bands, 1, 1,
      args, G_N_ELEMENTS (args), error);
}

/* @slots: vector element c has bit s set if slot s belongs to component c. */
static gboolean
merge_bands (Bands *self, cl_int4 slots, GError **error)
{
  const GstClArg args[] = {
    GST_CL_MEM (self->partials),
    GST_CL_INT (self->n_bands),
    GST_CL_INT4 (slots),
    GST_CL_MEM (self->results),
  };

  return gst_cl_kernel_launch (self->merge, self->n_components, 1, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run (gpointer bands, gconstpointer user_components, GError **error)
{
  Bands *self = bands;
  const GstClComponent *components = user_components;
  cl_int4 slots = { { 0 } };

  for (guint i = 0; i < self->n_planes; i++) {
    const Plane *plane = &self->planes[i];
    const guint first_slot = i * MAX_PERIOD;
    Layout layout;

    /* The frame's members no longer share a plane, or its period needs another
     * kernel. */
    if (!lay_out (plane, components, &layout) || !self->band[layout.period])
      return layout_error (error);

    for (guint m = 0; m < plane->n_members; m++) {
      const guint c = plane->members[m];

      slots.s[c] |= layout.phases[c] << first_slot;
    }

    if (!measure_plane (self, &components[plane->members[0]], &layout,
            first_slot, error))
      return FALSE;
  }

  return merge_bands (self, slots, error);
}

const GstClMomentsRow gst_cl_moments_bands = {
  .funcs = {
      .create = create,
      .run = run,
      .free = free_bands,
  },
  .get_result = get_result,
};
