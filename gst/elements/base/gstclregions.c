/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measured regions of a frame. */

#include "gstclregions.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

void
gst_cl_regions_init (GstClRegions *self)
{
  *self = (GstClRegions){
    .columns = 1,
    .rows = 1,
    .regions = g_array_new (FALSE, FALSE, sizeof (GstClRegion)),
    .labels = g_array_new (FALSE, FALSE, sizeof (GstClRegionLabel)),
  };
}

void
gst_cl_regions_clear (GstClRegions *self)
{
  g_clear_pointer (&self->regions, g_array_unref);
  g_clear_pointer (&self->labels, g_array_unref);
}

guint
gst_cl_regions_n_zones (const GstClRegions *self)
{
  const guint n = self->columns * self->rows;

  return n > 1 ? n : 0;
}

/* The rectangle and the numbers of columns and rows determine the zones. */
gboolean
gst_cl_regions_have_zones_of (const GstClRegions *self,
    const GstClRegions *other)
{
  const GstClRegion *a = &g_array_index (self->regions, GstClRegion, 0);
  const GstClRegion *b = &g_array_index (other->regions, GstClRegion, 0);

  return self->columns == other->columns && self->rows == other->rows &&
         a->x == b->x && a->y == b->y && a->width == b->width &&
         a->height == b->height;
}

/* --- rectangle and zones ------------------------------------------------- */

/* Checks one side of the rectangle. */
static gboolean
check_side (const GstVideoInfo *info, const gchar *position_name, gint position,
    const gchar *size_name, gint size, gint limit, GError **error)
{
  if (position < limit && size <= limit - position)
    return TRUE;

  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "%dx%d frame of %s: the rectangle of %s %d, %s %d exceeds it.",
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_FIELD_HEIGHT (info),
      GST_VIDEO_INFO_NAME (info), position_name, position, size_name, size);

  return FALSE;
}

static gboolean
check_grid (const GstVideoInfo *info, const GstClRegionSettings *settings,
    const GstClRegion *rectangle, GError **error)
{
  const gint n_zones_left = GST_CL_METRICS_MAX_REGIONS - 1;

  if (settings->grid_columns > rectangle->width ||
      settings->grid_rows > rectangle->height) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "%dx%d frame of %s: grid-columns %d, grid-rows %d are more zones than "
        "the %dx%d measured pixels.",
        GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_FIELD_HEIGHT (info),
        GST_VIDEO_INFO_NAME (info), settings->grid_columns, settings->grid_rows,
        rectangle->width, rectangle->height);
    return FALSE;
  }
  if (settings->grid_columns > n_zones_left / settings->grid_rows) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "grid-columns %d, grid-rows %d are more than %d zones.",
        settings->grid_columns, settings->grid_rows, n_zones_left);
    return FALSE;
  }

  return TRUE;
}

/* Returns the first pixel of zone @index of @n in @length pixels. */
static gint
zone_start (gint length, gint index, gint n)
{
  return (gint64) length * index / n;
}

static void
add_zones (GstClRegions *self, const GstClRegion *rectangle)
{
  for (gint row = 0; row < self->rows; row++) {
    const gint top = zone_start (rectangle->height, row, self->rows);
    const gint bottom = zone_start (rectangle->height, row + 1, self->rows);

    for (gint column = 0; column < self->columns; column++) {
      const gint left = zone_start (rectangle->width, column, self->columns);
      const gint right = zone_start (rectangle->width, column + 1,
          self->columns);
      const GstClRegion zone = { rectangle->x + left, rectangle->y + top,
        right - left, bottom - top };

      g_array_append_val (self->regions, zone);
    }
  }
}

gboolean
gst_cl_regions_set (GstClRegions *self, const GstClRegionSettings *settings,
    const GstVideoInfo *info, GError **error)
{
  const gint width = GST_VIDEO_INFO_WIDTH (info);
  const gint height = GST_VIDEO_INFO_FIELD_HEIGHT (info);
  GstClRegion rectangle = { settings->position_x, settings->position_y,
    settings->width, settings->height };

  if (!check_side (info, "position-x", rectangle.x, "width", rectangle.width,
          width, error) ||
      !check_side (info, "position-y", rectangle.y, "height", rectangle.height,
          height, error))
    return FALSE;

  if (rectangle.width == 0)
    rectangle.width = width - rectangle.x;
  if (rectangle.height == 0)
    rectangle.height = height - rectangle.y;
  if (!check_grid (info, settings, &rectangle, error))
    return FALSE;

  self->is_whole = rectangle.width == width && rectangle.height == height;
  self->n_boxes = 0;
  self->columns = settings->grid_columns;
  self->rows = settings->grid_rows;
  g_array_set_size (self->labels, 0);
  g_array_set_size (self->regions, 0);
  g_array_append_val (self->regions, rectangle);
  if (gst_cl_regions_n_zones (self) > 0)
    add_zones (self, &rectangle);

  return TRUE;
}

void
gst_cl_regions_copy (GstClRegions *self, const GstClRegions *from)
{
  self->is_whole = from->is_whole;
  self->n_boxes = 0;
  self->columns = from->columns;
  self->rows = from->rows;
  g_array_set_size (self->labels, 0);
  g_array_set_size (self->regions, 0);
  g_array_append_vals (self->regions, from->regions->data, from->regions->len);
}

GstClRegion
gst_cl_regions_pixels (const GstClRegions *self, guint index, GstClRowSet rows)
{
  GstClRegion region = g_array_index (self->regions, GstClRegion, index);
  const gint end = gst_cl_row_set_count (rows, region.y + region.height);

  region.y = gst_cl_row_set_count (rows, region.y);
  region.height = end - region.y;

  return region;
}

/* Converts *from and *size from pixels to samples, one per 2^@shift pixels and
 * @limit in all. At least one sample remains. */
static void
scale_side (gint shift, gint limit, gint *from, gint *size)
{
  const gint start = GST_VIDEO_SUB_SCALE (shift, *from);
  const gint end = MIN (GST_VIDEO_SUB_SCALE (shift, *from + *size), limit);

  *from = MIN (start, limit - 1);
  *size = MAX (end - *from, 1);
}

GstClRegion
gst_cl_regions_samples (const GstClRegions *self, guint index,
    const GstVideoInfo *info, guint component, GstClRowSet rows)
{
  GstClRegion region = gst_cl_regions_pixels (self, index, rows);
  const gint height = GST_VIDEO_INFO_COMP_HEIGHT (info, component);

  scale_side (GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, component),
      GST_VIDEO_INFO_COMP_WIDTH (info, component), &region.x, &region.width);
  scale_side (GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, component),
      gst_cl_row_set_count (rows, height), &region.y, &region.height);

  return region;
}

/* --- regions of interest ------------------------------------------------- */

/* Sets *start and *size to the part of @from .. @from + @length within 0 ..
 * @limit. Returns FALSE if it is empty. */
static gboolean
clip (gint64 from, gint64 length, gint limit, gint *start, gint *size)
{
  const gint64 first = MAX (from, 0), end = MIN (from + length, limit);

  *start = (gint) MIN (first, limit);
  *size = (gint) MAX (end - first, 0);

  return *size > 0;
}

/* Returns the name of @type as valid, interned UTF-8, whatever bytes it has.
 * The number of names is bounded by the number of types. */
static const gchar *
type_name (GQuark type)
{
  const gchar *name = type ? g_quark_to_string (type) : "";
  g_autofree gchar *valid = NULL;

  if (g_utf8_validate (name, -1, NULL))
    return name;

  valid = g_utf8_make_valid (name, -1);

  return g_intern_string (valid);
}

/* Adds the region, clipped to the frame, if the rest is not empty and the list
 * is not full. */
static void
add_roi (GstClRegions *self, const GstVideoInfo *info, gint64 x, gint64 y,
    gint64 width, gint64 height, gint id, GQuark type)
{
  const GstClRegionLabel label = { id, type_name (type) };
  GstClRegion region;

  if (self->regions->len >= GST_CL_METRICS_MAX_REGIONS ||
      !clip (x, width, GST_VIDEO_INFO_WIDTH (info), &region.x, &region.width) ||
      !clip (y, height, GST_VIDEO_INFO_FIELD_HEIGHT (info), &region.y,
          &region.height))
    return;

  g_array_append_val (self->regions, region);
  g_array_append_val (self->labels, label);
}

#ifdef HAVE_ANALYTICS
/* Adds the boxes of an object detector. */
static void
add_boxes (GstClRegions *self, GstBuffer *buffer, const GstVideoInfo *info)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  const guint n_before = self->labels->len;
  GstAnalyticsODMtd box;
  gpointer state = NULL;

  while (meta && gst_analytics_relation_meta_iterate (meta, &state,
                     gst_analytics_od_mtd_get_mtd_type (), &box)) {
    gint x, y, width, height;
    gfloat confidence;

    if (gst_analytics_od_mtd_get_location (&box, &x, &y, &width, &height,
            &confidence))
      add_roi (self, info, x, y, width, height, box.id,
          gst_analytics_od_mtd_get_obj_type (&box));
  }
  self->n_boxes = self->labels->len - n_before;
}
#endif

void
gst_cl_regions_add_rois (GstClRegions *self, GstBuffer *buffer,
    const GstVideoInfo *info)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *)
        meta;

    add_roi (self, info, roi->x, roi->y, roi->w, roi->h, roi->id,
        roi->roi_type);
  }
#ifdef HAVE_ANALYTICS
  add_boxes (self, buffer, info);
#endif
}

/* --- parts of components -------------------------------------------------- */

GstClComponent
gst_cl_region_of_component (const GstClComponent *component,
    const GstClRegion *part, GstClRowSet rows)
{
  GstClComponent result = gst_cl_component_rows (*component, rows);
  const gint y = gst_cl_row_set_count (rows, part->y);

  result.offset_bytes += (gsize) y * result.stride_bytes +
                         (gsize) part->x * result.pixel_stride_bytes;
  result.width = part->width;
  result.height = gst_cl_row_set_count (rows, part->y + part->height) - y;

  return result;
}

/* --- fields --------------------------------------------------------------- */

GstClRegionGroup
gst_cl_regions_zones (const GstClRegions *self)
{
  return (GstClRegionGroup){ "zone-", 1, gst_cl_regions_n_zones (self) };
}

GstClRegionGroup
gst_cl_regions_rois (const GstClRegions *self)
{
  const guint n = self->labels->len;

  return (GstClRegionGroup){ "roi-", self->regions->len - n, n };
}

void
gst_cl_region_group_take (GstStructure *structure,
    const GstClRegionGroup *group, const gchar *name, GValue *value)
{
  g_autofree gchar *full_name = g_strconcat (group->prefix, name, NULL);

  gst_structure_take_value (structure, full_name, value);
}

static void
append_int (GValue *array, gint n)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, n);
  gst_value_array_append_and_take_value (array, &value);
}

static void
add_rectangles (const GstClRegions *self, const GstClRegionGroup *group,
    GstStructure *structure)
{
  static const struct {
    const gchar *name;
    gsize offset;
  } sides[] = {
    { "x", G_STRUCT_OFFSET (GstClRegion, x) },
    { "y", G_STRUCT_OFFSET (GstClRegion, y) },
    { "width", G_STRUCT_OFFSET (GstClRegion, width) },
    { "height", G_STRUCT_OFFSET (GstClRegion, height) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    GValue array = G_VALUE_INIT;

    gst_value_array_init (&array, group->n);
    for (guint r = group->first; r < group->first + group->n; r++)
      append_int (&array,
          G_STRUCT_MEMBER (gint, &g_array_index (self->regions, GstClRegion, r),
              sides[i].offset));
    gst_cl_region_group_take (structure, group, sides[i].name, &array);
  }
}

static void
add_labels (const GstClRegions *self, const GstClRegionGroup *group,
    GstStructure *structure)
{
  GValue ids = G_VALUE_INIT, types = G_VALUE_INIT;

  gst_value_array_init (&ids, group->n);
  gst_value_array_init (&types, group->n);
  for (guint i = 0; i < group->n; i++) {
    const GstClRegionLabel *label = &g_array_index (self->labels,
        GstClRegionLabel, i);
    GValue type = G_VALUE_INIT;

    append_int (&ids, label->id);
    g_value_init (&type, G_TYPE_STRING);
    g_value_set_static_string (&type, label->type);
    gst_value_array_append_and_take_value (&types, &type);
  }
  gst_cl_region_group_take (structure, group, "id", &ids);
  gst_cl_region_group_take (structure, group, "type", &types);
}

void
gst_cl_regions_add_group (const GstClRegions *self,
    const GstClRegionGroup *group, GstStructure *structure)
{
  if (g_str_equal (group->prefix, "zone-"))
    gst_structure_set (structure, "zone-columns", G_TYPE_INT, self->columns,
        "zone-rows", G_TYPE_INT, self->rows, NULL);
  else
    add_labels (self, group, structure);
  add_rectangles (self, group, structure);
}
