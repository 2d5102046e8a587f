/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of a frame: which way, and what comes out of it. */

#include "moments.h"
#include "momentsprivate.h"

#include "cl/memory/gstclreadback.h"
#include "ops/sample.h"

static const GstClImplementation variants[] = {
  /* clang-format off */
  { .name = "cpu", .method = GST_CL_REDUCTION_BANDS, .resource = "moments/cpu.cl", .family = GST_CL_FAMILY_CPU },
  { .name = "gpu", .method = GST_CL_REDUCTION_TILES, .resource = "moments/gpu.cl", .family = GST_CL_FAMILY_GPU },
  { .name = "outer-inner", .method = GST_CL_REDUCTION_OUTER_INNER, .resource = "moments/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "inner", .method = GST_CL_REDUCTION_INNER, .resource = "moments/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "outer", .method = GST_CL_REDUCTION_OUTER, .resource = "moments/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "inner-tail", .method = GST_CL_REDUCTION_INNER_TAIL, .resource = "moments/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "outer-tail", .method = GST_CL_REDUCTION_OUTER_TAIL, .resource = "moments/plain.cl", .family = GST_CL_FAMILY_ANY },
  { .name = "outer-inner-tail", .method = GST_CL_REDUCTION_OUTER_INNER_TAIL, .resource = "moments/plain.cl", .family = GST_CL_FAMILY_ANY },
  /* clang-format on */
};

struct _GstClMomentsOp {
  GstClContext *context;

  /* as given to new(), for sizes and pixel strides only */
  GstClComponent shapes[GST_CL_MOMENTS_MAX_COMPONENTS];
  guint n_components;

  /* one of them */
  GstClMomentsRounds *rounds;
  GstClMomentsTiles *tiles;
  GstClMomentsBands *bands;

  GstClReadback *readback;
};

const GstClImplementation *
gst_cl_moments_variants (guint *n_rows)
{
  *n_rows = G_N_ELEMENTS (variants);

  return variants;
}

static gboolean
build (GstClMomentsOp *self, const GstClMomentsWay *way, GError **error)
{
  switch (way->variant->method) {
    case GST_CL_REDUCTION_BANDS:
      self->bands = gst_cl_moments_bands_new (self->context, way, self->shapes,
          self->n_components, error);
      return self->bands != NULL;
    case GST_CL_REDUCTION_TILES:
      self->tiles = gst_cl_moments_tiles_new (self->context, way, self->shapes,
          self->n_components, error);
      return self->tiles != NULL;
    default:
      self->rounds = gst_cl_moments_rounds_new (self->context, way->variant,
          self->shapes, self->n_components, error);
      return self->rounds != NULL;
  }
}

GstClMomentsOp *
gst_cl_moments_op_new (GstClContext *context, const GstClMomentsWay *way,
    const GstClComponent *components, guint n_components, GError **error)
{
  g_autoptr (GstClMomentsOp) self = NULL;

  g_return_val_if_fail (
      n_components >= 1 && n_components <= GST_CL_MOMENTS_MAX_COMPONENTS, NULL);

  for (guint c = 0; c < n_components; c++)
    g_return_val_if_fail (
        components[c].sample.bytes == components[0].sample.bytes &&
            components[c].sample.shift == components[0].sample.shift,
        NULL);

  self = g_new0 (GstClMomentsOp, 1);
  self->context = gst_object_ref (context);
  self->n_components = n_components;
  for (guint c = 0; c < n_components; c++)
    self->shapes[c] = components[c];

  self->readback = gst_cl_readback_new (context, GST_CL_MOMENTS_SLOTS,
      n_components * sizeof (GstClMoments), error);
  if (!self->readback)
    return NULL;

  return build (self, way, error) ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_moments_op_free (GstClMomentsOp *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->readback, gst_cl_readback_free);
  g_clear_pointer (&self->bands, gst_cl_moments_bands_free);
  g_clear_pointer (&self->tiles, gst_cl_moments_tiles_free);
  g_clear_pointer (&self->rounds, gst_cl_moments_rounds_free);
  gst_clear_object (&self->context);
  g_free (self);
}

gboolean
gst_cl_moments_op_run (GstClMomentsOp *self, const GstClComponent *components,
    GError **error)
{
  if (!gst_cl_components_check_shapes (components, self->shapes,
          self->n_components, "frame statistics", error))
    return FALSE;

  if (self->bands)
    return gst_cl_moments_bands_run (self->bands, components, error);
  if (self->tiles)
    return gst_cl_moments_tiles_run (self->tiles, components, error);

  return gst_cl_moments_rounds_run (self->rounds, components, error);
}

/* Of the last run. */
static cl_mem
result (const GstClMomentsOp *self)
{
  if (self->bands)
    return gst_cl_moments_bands_result (self->bands);
  if (self->tiles)
    return gst_cl_moments_tiles_result (self->tiles);

  return gst_cl_moments_rounds_result (self->rounds);
}

gboolean
gst_cl_moments_op_fetch (GstClMomentsOp *self, guint slot, GError **error)
{
  return gst_cl_readback_enqueue (self->readback, slot, result (self), error);
}

gboolean
gst_cl_moments_op_result (GstClMomentsOp *self, guint slot,
    GstClMoments *results, GError **error)
{
  const GstClMoments *moments = gst_cl_readback_wait (self->readback, slot,
      error);

  if (!moments)
    return FALSE;

  for (guint c = 0; c < self->n_components; c++)
    results[c] = moments[c];

  return TRUE;
}

gboolean
gst_cl_moments_op_read (GstClMomentsOp *self, GstClMoments *results,
    GError **error)
{
  return gst_cl_moments_op_fetch (self, 0, error) &&
         gst_cl_moments_op_result (self, 0, results, error);
}
