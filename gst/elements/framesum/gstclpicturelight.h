/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"
#include "cl/video/gstclframe.h"
#include "common/gstclflash.h"
#include "common/gstcllight.h"
#include "gstclstatistics.h"

G_BEGIN_DECLS

/* The ops that measure the light of a picture: flashes, the maximum of R, G and
 * B, levels. The functions are those of GstClPicture. */
typedef struct _GstClPictureLight GstClPictureLight;

/* Maximum number of pending results. */
#define GST_CL_PICTURE_LIGHT_SLOTS 64

/* The numbers of one picture. Members are borrowed until the next run in the
 * slot. */
typedef struct {
  guint n_pictures; /* of flashes: 0, 1, or 2 fields, the top one first */
  GstClFlashCounts pictures[GST_CL_MEASURED_FIELDS];
  gboolean has_light; /* the next member is set */
  GstClLightCounts light;
} GstClMeasuredLight;

/* @shape: borrowed; gst_cl_statistics_has_colour() is TRUE. @rows: of frames or
 * of fields. @needs: some of GST_CL_NEEDS_OF_LIGHT. Creates the ops. NULL with
 * @error; transfer full. */
GstClPictureLight *gst_cl_picture_light_new (GstClContext *context,
    const GstClStatisticsShape *shape, GstClRowSet rows, GstClMetric needs,
    GError **error);
void gst_cl_picture_light_free (GstClPictureLight *self); /* accepts NULL */

/* Selects the ops for the next picture, whose results have @slot. */
gboolean gst_cl_picture_light_begin (GstClPictureLight *self, guint slot,
    GError **error);

/* Enqueues the kernels. @parts: of the picture, in all its rows. @fields: in
 * the rows of its top and of its bottom field, if frames have two. */
gboolean gst_cl_picture_light_run (GstClPictureLight *self, guint slot,
    const GstClComponent *parts,
    const GstClComponent fields[][GST_VIDEO_MAX_COMPONENTS], GError **error);

/* Enqueues the reads. */
gboolean gst_cl_picture_light_fetch (GstClPictureLight *self, guint slot,
    GError **error);

/* Waits, and sets @measured. Any thread, one per slot. */
gboolean gst_cl_picture_light_result (GstClPictureLight *self, guint slot,
    GstClMeasuredLight *measured, GError **error);

/* Makes the next picture be compared with none. */
void gst_cl_picture_light_forget (GstClPictureLight *self);

G_END_DECLS
