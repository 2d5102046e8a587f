/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds the input of the detectors to a result as fields. */

#include "gstclseriesframe.h"

#define MEMBER(name) G_STRUCT_OFFSET (GstClSeriesFrame, name)

const GstClSeriesField gst_cl_series_fields[] = {
  { "full-range", G_TYPE_BOOLEAN, MEMBER (is_full_range),
      GST_CL_SERIES_BRIGHTNESS },
  { "previous-difference", G_TYPE_UINT64, MEMBER (previous_sad),
      GST_CL_SERIES_CHANGE },
  { "previous-count", G_TYPE_UINT64, MEMBER (previous_count),
      GST_CL_SERIES_CHANGE },
  { "reference-difference", G_TYPE_UINT64, MEMBER (reference_sad),
      GST_CL_SERIES_STILLNESS },
  { "reference-count", G_TYPE_UINT64, MEMBER (reference_count),
      GST_CL_SERIES_STILLNESS },
  { "reference-limit", G_TYPE_UINT64, MEMBER (reference_limit),
      GST_CL_SERIES_STILLNESS },
  { "gradient-sum", G_TYPE_UINT64, MEMBER (gradient_sum),
      GST_CL_SERIES_SHARPNESS },
  { "gradient-count", G_TYPE_UINT64, MEMBER (gradient_count),
      GST_CL_SERIES_SHARPNESS },
};

void
gst_cl_series_frame_add_fields (const GstClSeriesFrame *frame,
    GstStructure *structure)
{
  for (guint i = 0; i < GST_CL_SERIES_N_FIELDS; i++) {
    const GstClSeriesField *field = &gst_cl_series_fields[i];

    if (field->type == G_TYPE_BOOLEAN)
      gst_structure_set (structure, field->name, field->type,
          G_STRUCT_MEMBER (gboolean, frame, field->offset), NULL);
    else
      gst_structure_set (structure, field->name, field->type,
          G_STRUCT_MEMBER (guint64, frame, field->offset), NULL);
  }
}
