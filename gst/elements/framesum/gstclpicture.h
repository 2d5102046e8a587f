/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclstatistics.h"
#include "cl/video/gstclframe.h"
#include "elements/base/gstclregions.h"
#include "statistics/flash/gstclflashcounts.h"
#include "statistics/light/gstcllightcounts.h"
#include "statistics/moments/moments.h"

G_BEGIN_DECLS

/* The ops that measure one kind of picture, in all rows of frames or in those
 * of a field. Temporal differences compare a picture with the one before. */
typedef struct _GstClPicture GstClPicture;

/* What to measure; constant. */
typedef struct {
  GstClContext *context;             /* borrowed */
  const GstClStatisticsShape *shape; /* borrowed */
  GstClRowSet rows; /* a field has rows in each component of shape */
  GstClStatistics needs;
  gint reduction;
} GstClPictureProblem;

/* The light of one picture: flashes, the maximum of R, G and B, levels. */
typedef struct {
  guint n_pictures; /* of flashes: 0, 1, or 2 fields, the top one first */
  GstClFlashCounts pictures[GST_CL_MEASURED_FIELDS];
  gboolean has_light; /* the next member is set */
  GstClLightCounts light;
} GstClMeasuredLight;

/* The numbers of one picture. Members are borrowed until the next run in the
 * slot. */
typedef struct {
  const GstClRegionMetrics *metrics; /* one per region; NULL: not measured */
  gdouble blockiness; /* of the first component of region 0; 0: not measured */
  /* of region 0, one per component, whose arrays are one block of memory; or
   * NULL */
  const GstClProfile *profiles;
  /* of region 0, GST_CL_N_CELLS per component, or NULL */
  const guint32 *cells[GST_VIDEO_MAX_COMPONENTS];
  /* of region 0; all zeros: not measured */
  GstClCounts waveforms[GST_VIDEO_MAX_COMPONENTS], vectorscope;
  GstClMeasuredLight light; /* of region 0; all zeros: not measured */
  gboolean has_previous;    /* there was a previous picture to compare with */
  gboolean has_previous_zones; /* it had the same zones, and freeze is measured
                                  in them */
  const guint64 *limits; /* those passed to gst_cl_metrics_op_run(), or NULL */
  gboolean has_zone_limits; /* limits has an entry for each zone */
} GstClMeasuredPicture;

/* Maximum number of pending results. */
#define GST_CL_PICTURE_SLOTS 64

GstClPicture *gst_cl_picture_new (const GstClPictureProblem *problem);
void gst_cl_picture_free (GstClPicture *self); /* accepts NULL */

/* Returns TRUE if the op for moments suffices for @regions; it is faster. */
gboolean gst_cl_picture_is_simple (const GstClPicture *self,
    const GstClRegions *regions);

/* Returns TRUE if ops other than those for moments and metrics are needed. */
gboolean gst_cl_picture_has_others (const GstClPicture *self);

/* Returns TRUE if both sets need the same kernels. */
gboolean gst_cl_picture_needs_same_kernels (GstClStatistics a,
    GstClStatistics b);

/* Creates the ops for @regions that do not exist. @may_measure: see
 * gst_cl_tiered_op_new(). FALSE with @error. Streaming thread, as all functions
 * below but gst_cl_picture_result(). */
gboolean gst_cl_picture_build (GstClPicture *self, const GstClRegions *regions,
    gboolean may_measure, GError **error);

/* Selects the ops for the next picture, whose results have @slot. A frame is
 * measured in all @regions, a field in the first one, in which it has rows. The
 * regions 1 to @n_limits - 1 have a reference of freeze of their own; @noise is
 * the property freeze-noise. FALSE with @error. */
gboolean gst_cl_picture_begin (GstClPicture *self, guint slot,
    const GstClRegions *regions, guint n_limits, gdouble noise, GError **error);

/* Enqueues the kernels. @components: of the frame, in all its rows. */
gboolean gst_cl_picture_run (GstClPicture *self, guint slot,
    const GstClComponent *components, GError **error);

/* Enqueues the reads. @last: gets the event of the last read (transfer full);
 * NULL: it is not needed. */
gboolean gst_cl_picture_fetch (GstClPicture *self, guint slot, cl_event *last,
    GError **error);

/* Returns the op for moments, as long as it is the only op of the picture in
 * @slot (borrowed); else NULL. */
GstClMomentsOp *gst_cl_picture_only_moments (GstClPicture *self, guint slot);

/* Waits for the device and sets @measured to the numbers in @slot. FALSE with
 * @error. Any thread, one per slot. */
gboolean gst_cl_picture_result (GstClPicture *self, guint slot,
    GstClMeasuredPicture *measured, GError **error);

/* Makes the next picture be compared with none, in all regions or in zones
 * only. */
void gst_cl_picture_forget_previous (GstClPicture *self);
void gst_cl_picture_forget_zones (GstClPicture *self);

G_END_DECLS
