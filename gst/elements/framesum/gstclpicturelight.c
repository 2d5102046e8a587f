/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the light of pictures. */

#include "gstclpicturelight.h"

#include "elements/base/gstclcolour.h"
#include "ops/flash/flash.h"
#include "ops/light/light.h"

G_STATIC_ASSERT (GST_CL_PICTURE_LIGHT_SLOTS <= GST_CL_FLASH_SLOTS);
G_STATIC_ASSERT (GST_CL_PICTURE_LIGHT_SLOTS <= GST_CL_LIGHT_SLOTS);

#define N_FIELDS     GST_CL_MEASURED_FIELDS
#define N_COMPONENTS 3

/* A picture whose results are pending. */
typedef struct {
  GstClFlashOp *flash[N_FIELDS];
  GstClLightOp *light;
} Slot;

struct _GstClPictureLight {
  guint n_components;
  gboolean has_fields;            /* frames have two, measured apart */
  GstClTieredOp *flash[N_FIELDS]; /* of GstClFlashOp, of frames or of each
                                      field; NULL: not needed */
  GstClTieredOp *light;           /* of GstClLightOp; or NULL */
  Slot slots[GST_CL_PICTURE_LIGHT_SLOTS];
};

static const GstClRowSet rows_of_fields[N_FIELDS] = { GST_CL_ROWS_TOP,
  GST_CL_ROWS_BOTTOM };

static void
get_shapes (const GstClStatisticsShape *shape, guint n, GstClRowSet rows,
    GstClComponent *shapes)
{
  for (guint i = 0; i < n; i++) {
    shapes[i] = gst_cl_component_rows (
        gst_cl_component_of_info (&shape->info, i), rows);
    shapes[i].sample.depth = shape->depth;
  }
}

static GstClTieredOp *
make_flash (GstClPictureLight *self, GstClContext *context,
    const GstClStatisticsShape *shape, GstClRowSet rows, GError **error)
{
  GstClFlashProblem problem = {
    .n_components = self->n_components,
    .x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (shape->info.finfo, 1),
    .y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (shape->info.finfo, 1),
    .curve = shape->curve,
  };

  get_shapes (shape, self->n_components, rows, problem.shapes);
  gst_cl_colour_matrix (&shape->info, shape->depth, &problem.matrix);
  gst_cl_colour_luminance (&shape->info, problem.weights);

  return gst_cl_tiered_op_new (&gst_cl_flash_tiered, context,
      GST_CL_METHOD_AUTO, &problem, FALSE, error);
}

static gboolean
make_flashes (GstClPictureLight *self, GstClContext *context,
    const GstClStatisticsShape *shape, GstClRowSet rows, GError **error)
{
  for (guint f = 0; f < (self->has_fields ? N_FIELDS : 1); f++) {
    self->flash[f] = make_flash (self, context, shape,
        self->has_fields ? rows_of_fields[f] : rows, error);
    if (!self->flash[f])
      return FALSE;
  }

  return TRUE;
}

static gboolean
make_light (GstClPictureLight *self, GstClContext *context,
    const GstClStatisticsShape *shape, GstClRowSet rows, GstClMetric needs,
    GError **error)
{
  GstClLightProblem problem = {
    .n_components = self->n_components,
    .x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (shape->info.finfo, 1),
    .y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (shape->info.finfo, 1),
    .parts = (needs & GST_CL_NEEDS_LIGHT ? GST_CL_LIGHT_HISTOGRAM : 0) |
             (needs & GST_CL_NEEDS_LEVELS ? GST_CL_LIGHT_LEVELS : 0),
  };

  get_shapes (shape, self->n_components, rows, problem.shapes);
  gst_cl_colour_matrix (&shape->info, shape->depth, &problem.matrix);
  gst_cl_colour_luma (&shape->info, problem.weights);
  gst_cl_colour_preferred_range (&shape->info, shape->depth, &problem.low,
      &problem.high);
  self->light = gst_cl_tiered_op_new (&gst_cl_light_tiered, context,
      GST_CL_METHOD_AUTO, &problem, FALSE, error);

  return self->light != NULL;
}

GstClPictureLight *
gst_cl_picture_light_new (GstClContext *context,
    const GstClStatisticsShape *shape, GstClRowSet rows, GstClMetric needs,
    GError **error)
{
  GstClPictureLight *self = g_new0 (GstClPictureLight, 1);

  self->n_components = GST_VIDEO_INFO_IS_GRAY (&shape->info) ? 1 : N_COMPONENTS;
  self->has_fields = rows == GST_CL_ROWS_ALL &&
                     gst_cl_statistics_has_two_fields (shape);
  if (((needs & GST_CL_NEEDS_FLASH) &&
          !make_flashes (self, context, shape, rows, error)) ||
      ((needs & (GST_CL_NEEDS_LIGHT | GST_CL_NEEDS_LEVELS)) &&
          !make_light (self, context, shape, rows, needs, error)))
    g_clear_pointer (&self, gst_cl_picture_light_free);

  return self;
}

void
gst_cl_picture_light_free (GstClPictureLight *self)
{
  if (!self)
    return;

  for (guint f = 0; f < N_FIELDS; f++)
    gst_cl_tiered_op_free (self->flash[f]);
  gst_cl_tiered_op_free (self->light);
  g_free (self);
}

/* --- measuring ------------------------------------------------------------ */

gboolean
gst_cl_picture_light_begin (GstClPictureLight *self, guint slot, GError **error)
{
  Slot *at = &self->slots[slot];

  for (guint f = 0; f < N_FIELDS; f++) {
    at->flash[f] = NULL;
    if (self->flash[f] &&
        !(at->flash[f] = gst_cl_tiered_op_next (self->flash[f], error)))
      return FALSE;
  }
  at->light = self->light ? gst_cl_tiered_op_next (self->light, error) : NULL;

  return !self->light || at->light;
}

/* Enqueues the measurement of flashes of field @f of @fields. A rectangle may
 * have chroma of the other field alone. */
static gboolean
run_field (const GstClPictureLight *self, GstClFlashOp *op, guint f,
    const GstClComponent fields[][GST_VIDEO_MAX_COMPONENTS], GError **error)
{
  GstClComponent of_field[N_COMPONENTS];

  for (guint i = 0; i < self->n_components; i++)
    of_field[i] = fields[f][i].height > 0 ? fields[f][i] : fields[1 - f][i];
  of_field[0] = fields[f][0];

  return gst_cl_flash_op_run (op, of_field, error);
}

static gboolean
run_flash (const GstClPictureLight *self, const Slot *at,
    const GstClComponent *parts,
    const GstClComponent fields[][GST_VIDEO_MAX_COMPONENTS], GError **error)
{
  if (!self->has_fields)
    return !at->flash[0] || gst_cl_flash_op_run (at->flash[0], parts, error);

  for (guint f = 0; f < N_FIELDS; f++) {
    if (at->flash[f] && !run_field (self, at->flash[f], f, fields, error))
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_picture_light_run (GstClPictureLight *self, guint slot,
    const GstClComponent *parts,
    const GstClComponent fields[][GST_VIDEO_MAX_COMPONENTS], GError **error)
{
  const GstClPictureInput input = { parts, self->has_fields };
  const Slot *at = &self->slots[slot];

  return run_flash (self, at, parts, fields, error) &&
         (!at->light || gst_cl_light_op_run (at->light, &input, error));
}

gboolean
gst_cl_picture_light_fetch (GstClPictureLight *self, guint slot, GError **error)
{
  const Slot *at = &self->slots[slot];

  for (guint f = 0; f < N_FIELDS; f++) {
    if (at->flash[f] && !gst_cl_flash_op_fetch (at->flash[f], slot, error))
      return FALSE;
  }

  return !at->light || gst_cl_light_op_fetch (at->light, slot, error);
}

gboolean
gst_cl_picture_light_result (GstClPictureLight *self, guint slot,
    GstClMeasuredLight *measured, GError **error)
{
  const Slot *at = &self->slots[slot];

  *measured = (GstClMeasuredLight){ .has_light = at->light != NULL };
  for (guint f = 0; f < N_FIELDS; f++) {
    if (!at->flash[f])
      continue;
    if (!gst_cl_flash_op_result (at->flash[f], slot,
            &measured->pictures[measured->n_pictures], error))
      return FALSE;
    measured->n_pictures++;
  }

  return !at->light ||
         gst_cl_light_op_result (at->light, slot, &measured->light, error);
}

void
gst_cl_picture_light_forget (GstClPictureLight *self)
{
  for (guint f = 0; f < N_FIELDS; f++) {
    if (self->flash[f])
      gst_cl_flash_op_forget (gst_cl_tiered_op_current (self->flash[f]));
  }
}
