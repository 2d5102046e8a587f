/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/series/gstclseriesframe.h"

G_BEGIN_DECLS

/* The decisions of FFmpeg's idet on the field order of a stream, from the sums
 * of each frame. The decision on a frame uses the frame after it. */

typedef enum {
  GST_CL_FIELDS_NEITHER,
  GST_CL_FIELDS_TOP,
  GST_CL_FIELDS_BOTTOM,
  GST_CL_FIELDS_N_REPEATS,
} GstClFieldsRepeat;

#define GST_CL_FIELDS_N_HISTORY 4 /* frames */

/* Frames of a cycle of 2:3 pulldown: two of them repeat a field. */
#define GST_CL_CADENCE_FRAMES 5

typedef enum {
  GST_CL_CADENCE_UNKNOWN, /* nothing moves */
  GST_CL_CADENCE_NONE,
  GST_CL_CADENCE_2_2,    /* progressive pictures in interlaced video */
  GST_CL_CADENCE_2_3,    /* telecine */
  GST_CL_CADENCE_BROKEN, /* 2:3 until shortly before */
} GstClCadence;

typedef struct {
  GstClSeriesFieldSums pending; /* of the last frame */
  GstClFieldsType pending_tag;
  gboolean has_pending;

  /* The decisions on the frame before: from it and its neighbours alone, from
   * the history, which field it repeats. */
  GstClFieldsType single, multiple;
  GstClFieldsRepeat repeated;
  GstClFieldsType history[GST_CL_FIELDS_N_HISTORY]; /* latest first */

  /* What two cycles repeat, latest first: -1 top field, 1 bottom field, 0
   * neither; of n_contrasts frames. */
  gdouble contrasts[2 * GST_CL_CADENCE_FRAMES];
  guint n_contrasts;
  GstClCadence cadence;
  guint cadence_phase; /* of the frame before in its cycle: frames since the one
                          that repeats the top field; with 2:3 alone */

  /* How many frames had each decision. */
  guint64 n_frames;
  guint64 n_single[GST_CL_FIELDS_N_TYPES], n_multiple[GST_CL_FIELDS_N_TYPES];
  guint64 n_repeated[GST_CL_FIELDS_N_REPEATS];
} GstClFields;

/* Adds the sums of a frame: decides on the frame before. @tag: the field order
 * that caps and buffer of the added frame name. */
void gst_cl_fields_add (GstClFields *self, const GstClSeriesFieldSums *sums,
    GstClFieldsType tag);

/* Returns the field order; UNDETERMINED if the last frames were undetermined,
 * because nothing moved. */
GstClFieldsType gst_cl_fields_order (const GstClFields *self);

/* Returns the name of @order in results: `unknown`, `top`, `bottom`,
 * `progressive`. Static. */
const gchar *gst_cl_fields_order_name (GstClFieldsType order);

/* Decides on the last frame without a frame after it. */
void gst_cl_fields_flush (GstClFields *self);

/* Adds the decisions on the frame before to @structure. @has_lavfi: also under
 * FFmpeg's names. */
void gst_cl_fields_add_decisions (const GstClFields *self,
    GstStructure *structure, gboolean has_lavfi);

/* Adds the number of frames with each decision to @structure, if any frame was
 * decided on, and counts from 0 again. */
void gst_cl_fields_take_counts (GstClFields *self, GstStructure *structure);

G_END_DECLS
