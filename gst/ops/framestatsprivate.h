/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "framestats.h"

#include "cl/gstclkernel.h"

G_BEGIN_DECLS

/* What is behind GstClFrameStatsOp; each of the three enqueues kernels that leave
 * one partial a component in its result buffer, in the components' order. */

/* kernels/include/cl_partial.clh: Partial, byte for byte. */
typedef struct {
  guint64 sum, sum_squares;
  guint32 count, min, max, unused;
} GstClPartial;

G_STATIC_ASSERT (sizeof (GstClPartial) == 32);

/* Rounds over blocks of samples, then of partials, between two buffers. */
typedef struct _GstClFrameStatsRounds GstClFrameStatsRounds;

GstClFrameStatsRounds *gst_cl_frame_stats_rounds_new (GstClContext *context,
    const GstClOpVariant *variant, const GstClComponent *components,
    guint n_components, GError **error);

/* FALSE if @variant comes to the same as another for @components: if its last
 * launch does no more than one round. */
gboolean gst_cl_frame_stats_rounds_differ (const GstClOpVariant *variant,
    const GstClComponent *components, guint n_components);

void gst_cl_frame_stats_rounds_free (GstClFrameStatsRounds *rounds);
gboolean gst_cl_frame_stats_rounds_run (GstClFrameStatsRounds *rounds,
    const GstClComponent *components, GError **error);

/* transfer none */
cl_mem gst_cl_frame_stats_rounds_result (const GstClFrameStatsRounds *rounds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFrameStatsRounds,
    gst_cl_frame_stats_rounds_free)

/* Tiles of samples that are added up where they are; no second step. */
typedef struct _GstClFrameStatsTiles GstClFrameStatsTiles;

GstClFrameStatsTiles *gst_cl_frame_stats_tiles_new (GstClContext *context,
    const GstClFrameStatsWay *way, const GstClComponent *components,
    guint n_components, GError **error);
void gst_cl_frame_stats_tiles_free (GstClFrameStatsTiles *tiles);
gboolean gst_cl_frame_stats_tiles_run (GstClFrameStatsTiles *tiles,
    const GstClComponent *components, GError **error);

/* transfer none; of the last run, another one's is in another buffer */
cl_mem gst_cl_frame_stats_tiles_result (const GstClFrameStatsTiles *tiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFrameStatsTiles,
    gst_cl_frame_stats_tiles_free)

/* Bands of rows of whole planes, then their merge. */
typedef struct _GstClFrameStatsBands GstClFrameStatsBands;

GstClFrameStatsBands *gst_cl_frame_stats_bands_new (GstClContext *context,
    const GstClFrameStatsWay *way, const GstClComponent *components,
    guint n_components, GError **error);
void gst_cl_frame_stats_bands_free (GstClFrameStatsBands *bands);
gboolean gst_cl_frame_stats_bands_run (GstClFrameStatsBands *bands,
    const GstClComponent *components, GError **error);

/* transfer none */
cl_mem gst_cl_frame_stats_bands_result (const GstClFrameStatsBands *bands);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFrameStatsBands,
    gst_cl_frame_stats_bands_free)

G_END_DECLS
