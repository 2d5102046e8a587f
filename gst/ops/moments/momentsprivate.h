/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "moments.h"

#include "cl/context/gstclkernel.h"

G_BEGIN_DECLS

/* What is behind GstClMomentsOp; each of the three enqueues kernels that leave
 * one GstClMoments a component in its result buffer, in the components' order.
 */

/* Rounds over blocks of samples, then of partials, between two buffers. */
typedef struct _GstClMomentsRounds GstClMomentsRounds;

GstClMomentsRounds *gst_cl_moments_rounds_new (GstClContext *context,
    const GstClImplementation *variant, const GstClComponent *components,
    guint n_components, GError **error);

/* FALSE if @variant comes to the same as another for @components: if its last
 * launch does no more than one round. */
gboolean gst_cl_moments_rounds_differ (const GstClImplementation *variant,
    const GstClComponent *components, guint n_components);

void gst_cl_moments_rounds_free (GstClMomentsRounds *rounds);
gboolean gst_cl_moments_rounds_run (GstClMomentsRounds *rounds,
    const GstClComponent *components, GError **error);

/* transfer none */
cl_mem gst_cl_moments_rounds_result (const GstClMomentsRounds *rounds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMomentsRounds, gst_cl_moments_rounds_free)

/* Tiles of samples that are added up where they are; no second step. */
typedef struct _GstClMomentsTiles GstClMomentsTiles;

GstClMomentsTiles *gst_cl_moments_tiles_new (GstClContext *context,
    const GstClMomentsWay *way, const GstClComponent *components,
    guint n_components, GError **error);
void gst_cl_moments_tiles_free (GstClMomentsTiles *tiles);
gboolean gst_cl_moments_tiles_run (GstClMomentsTiles *tiles,
    const GstClComponent *components, GError **error);

/* transfer none; of the last run, another one's is in another buffer */
cl_mem gst_cl_moments_tiles_result (const GstClMomentsTiles *tiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMomentsTiles, gst_cl_moments_tiles_free)

/* Bands of rows of whole planes, then their merge. */
typedef struct _GstClMomentsBands GstClMomentsBands;

GstClMomentsBands *gst_cl_moments_bands_new (GstClContext *context,
    const GstClMomentsWay *way, const GstClComponent *components,
    guint n_components, GError **error);
void gst_cl_moments_bands_free (GstClMomentsBands *bands);
gboolean gst_cl_moments_bands_run (GstClMomentsBands *bands,
    const GstClComponent *components, GError **error);

/* transfer none */
cl_mem gst_cl_moments_bands_result (const GstClMomentsBands *bands);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClMomentsBands, gst_cl_moments_bands_free)

G_END_DECLS
