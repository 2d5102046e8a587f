/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds the input of the detectors to a result as fields. */

#include "gstclseriesframe.h"

#define MEMBER(name) G_STRUCT_OFFSET (GstClSeriesFrame, name)

const GstClSeriesField gst_cl_series_fields[] = {
  { "full-range", G_TYPE_BOOLEAN, MEMBER (is_full_range),
      GST_CL_STATISTIC (BRIGHTNESS) | GST_CL_STATISTIC (CELLS) },
  { "nominal-duration", G_TYPE_UINT64, MEMBER (nominal_duration),
      GST_CL_STATISTIC (TIMES) },
  { "buffer-flags", G_TYPE_UINT64, MEMBER (buffer_flags),
      GST_CL_STATISTIC (STILLNESS) | GST_CL_STATISTIC (TIMES) },
  { "previous-difference", G_TYPE_UINT64, MEMBER (previous_sad),
      GST_CL_STATISTIC (CHANGE) },
  { "previous-count", G_TYPE_UINT64, MEMBER (previous_count),
      GST_CL_STATISTIC (CHANGE) },
  { "reference-difference", G_TYPE_UINT64, MEMBER (reference_sad),
      GST_CL_STATISTIC (STILLNESS) },
  { "reference-count", G_TYPE_UINT64, MEMBER (reference_count),
      GST_CL_STATISTIC (STILLNESS) },
  { "reference-limit", G_TYPE_UINT64, MEMBER (reference_limit),
      GST_CL_STATISTIC (STILLNESS) },
  { "gradient-sum", G_TYPE_UINT64, MEMBER (gradient_sum),
      GST_CL_STATISTIC (SHARPNESS) },
  { "gradient-count", G_TYPE_UINT64, MEMBER (gradient_count),
      GST_CL_STATISTIC (SHARPNESS) },
  { "noise-sum", G_TYPE_UINT64, MEMBER (noise_sum), GST_CL_STATISTIC (NOISE) },
  { "noise-count", G_TYPE_UINT64, MEMBER (noise_count),
      GST_CL_STATISTIC (NOISE) },
  { "blockiness-units", G_TYPE_UINT64, MEMBER (blockiness),
      GST_CL_STATISTIC (BLOCKINESS) },
  { "border-left", G_TYPE_UINT64, MEMBER (borders.width[GST_CL_SIDE_LEFT]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-right", G_TYPE_UINT64, MEMBER (borders.width[GST_CL_SIDE_RIGHT]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-top", G_TYPE_UINT64, MEMBER (borders.width[GST_CL_SIDE_TOP]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-bottom", G_TYPE_UINT64, MEMBER (borders.width[GST_CL_SIDE_BOTTOM]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-left-limit", G_TYPE_UINT64,
      MEMBER (borders.limit[GST_CL_SIDE_LEFT]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-right-limit", G_TYPE_UINT64,
      MEMBER (borders.limit[GST_CL_SIDE_RIGHT]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-top-limit", G_TYPE_UINT64, MEMBER (borders.limit[GST_CL_SIDE_TOP]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "border-bottom-limit", G_TYPE_UINT64,
      MEMBER (borders.limit[GST_CL_SIDE_BOTTOM]),
      GST_CL_STATISTIC (ACTIVE_AREA) },
  { "field-tag", G_TYPE_UINT64, MEMBER (tagged_order),
      GST_CL_STATISTIC (FIELDS) },
  { "field-compared", G_TYPE_BOOLEAN, MEMBER (fields.has_previous),
      GST_CL_STATISTIC (FIELDS) },
  { "field-previous-top", G_TYPE_UINT64, MEMBER (fields.previous[0]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-previous-bottom", G_TYPE_UINT64, MEMBER (fields.previous[1]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-current-top", G_TYPE_UINT64, MEMBER (fields.current[0]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-current-bottom", G_TYPE_UINT64, MEMBER (fields.current[1]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-own-top", G_TYPE_UINT64, MEMBER (fields.own[0]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-own-bottom", G_TYPE_UINT64, MEMBER (fields.own[1]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-change-top", G_TYPE_UINT64, MEMBER (fields.change[0]),
      GST_CL_STATISTIC (FIELDS) },
  { "field-change-bottom", G_TYPE_UINT64, MEMBER (fields.change[1]),
      GST_CL_STATISTIC (FIELDS) },
  { "flash-luminance-transitions", G_TYPE_UINT64, MEMBER (flash.transitions[0]),
      GST_CL_STATISTIC (FLASH) },
  { "flash-luminance-result", G_TYPE_UINT64, MEMBER (flash.result[0]),
      GST_CL_STATISTIC (FLASH) },
  { "flash-red-transitions", G_TYPE_UINT64, MEMBER (flash.transitions[1]),
      GST_CL_STATISTIC (FLASH) },
  { "flash-red-result", G_TYPE_UINT64, MEMBER (flash.result[1]),
      GST_CL_STATISTIC (FLASH) },
  { "flash-region-luminance-transitions", G_TYPE_UINT64,
      MEMBER (flash.region_transitions[0]), GST_CL_STATISTIC (FLASH) },
  { "flash-region-luminance-result", G_TYPE_UINT64,
      MEMBER (flash.region_result[0]), GST_CL_STATISTIC (FLASH) },
  { "flash-region-red-transitions", G_TYPE_UINT64,
      MEMBER (flash.region_transitions[1]), GST_CL_STATISTIC (FLASH) },
  { "flash-region-red-result", G_TYPE_UINT64, MEMBER (flash.region_result[1]),
      GST_CL_STATISTIC (FLASH) },
  { "flash-region-x", G_TYPE_UINT64, MEMBER (flash.x),
      GST_CL_STATISTIC (FLASH) },
  { "flash-region-y", G_TYPE_UINT64, MEMBER (flash.y),
      GST_CL_STATISTIC (FLASH) },
  { "flash-region-width", G_TYPE_UINT64, MEMBER (flash.width),
      GST_CL_STATISTIC (FLASH) },
  { "flash-region-height", G_TYPE_UINT64, MEMBER (flash.height),
      GST_CL_STATISTIC (FLASH) },
  { "light-max", G_TYPE_DOUBLE, MEMBER (light.max), GST_CL_STATISTIC (LIGHT) },
  { "light-average", G_TYPE_DOUBLE, MEMBER (light.average),
      GST_CL_STATISTIC (LIGHT) },
  { "light-robust-max", G_TYPE_DOUBLE, MEMBER (light.robust_max),
      GST_CL_STATISTIC (LIGHT) },
  { "levels-r", G_TYPE_DOUBLE, MEMBER (levels[0]), GST_CL_STATISTIC (LEVELS) },
  { "levels-g", G_TYPE_DOUBLE, MEMBER (levels[1]), GST_CL_STATISTIC (LEVELS) },
  { "levels-b", G_TYPE_DOUBLE, MEMBER (levels[2]), GST_CL_STATISTIC (LEVELS) },
  { "levels-y", G_TYPE_DOUBLE, MEMBER (levels[3]), GST_CL_STATISTIC (LEVELS) },
};

void
gst_cl_series_frame_add_fields (const GstClSeriesFrame *frame,
    GstClStatistics statistics, GstStructure *structure)
{
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    const GstClSeriesField *field = &gst_cl_series_fields[i];

    if (!(field->statistic & statistics) || field->type == G_TYPE_DOUBLE)
      continue;
    if (field->type == G_TYPE_BOOLEAN)
      gst_structure_set (structure, field->name, field->type,
          G_STRUCT_MEMBER (gboolean, frame, field->offset), NULL);
    else
      gst_structure_set (structure, field->name, field->type,
          G_STRUCT_MEMBER (guint64, frame, field->offset), NULL);
  }
}

gboolean
gst_cl_series_field_is_of_zones (const GstClSeriesField *field)
{
  return field->statistic == GST_CL_STATISTIC (STILLNESS) ||
         field->statistic == GST_CL_STATISTIC (SHARPNESS);
}

void
gst_cl_series_zones_add_fields (const GstClSeriesZone *zones, guint n,
    GstStructure *structure)
{
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    const GstClSeriesField *field = &gst_cl_series_fields[i];
    g_autofree gchar *name = NULL;
    GValue array = G_VALUE_INIT;

    if (!gst_cl_series_field_is_of_zones (field))
      continue;

    gst_value_array_init (&array, n);
    for (guint z = 0; z < n; z++) {
      GValue value = G_VALUE_INIT;

      g_value_init (&value, G_TYPE_UINT64);
      g_value_set_uint64 (&value,
          G_STRUCT_MEMBER (guint64, &zones[z].frame, field->offset));
      gst_value_array_append_and_take_value (&array, &value);
    }
    name = g_strconcat ("zone-", field->name, NULL);
    gst_structure_take_value (structure, name, &array);
  }
}
