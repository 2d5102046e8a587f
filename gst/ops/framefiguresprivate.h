/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "framefigures.h"

G_BEGIN_DECLS

#define GST_CL_FIGURES_MAX_COMPONENTS 4
#define GST_CL_FIGURES_KEPT_ALIGN     16 /* cl_figures.clh: KEPT_ALIGN */

/* kernels/include/cl_figures.clh, byte for byte: FigureItem, */
typedef struct {
  gint32 component, region;
  gint32 x, x_end, y, y_end;
  gint32 top, bottom;
  guint32 histogram;
  gint32 is_kept;
} GstClFigureItem;

/* FigureRecord, */
typedef struct {
  guint64 sum, sum_squares;
  guint64 difference, freeze_difference;
  guint64 sharpness;
  guint32 min, max;
  gint32 min_x, min_y, max_x, max_y;
  guint32 bits, n_outliers, n_repeated_rows, n_out_of_gamut;
} GstClFigureRecord;

/* FigureSpan, */
typedef struct {
  gint32 first_item, n_items;
  guint32 histogram, n_words;
} GstClFigureSpan;

/* and FigureRing. */
typedef struct {
  guint32 current, previous, reference, unused;
} GstClFigureRing;

G_STATIC_ASSERT (sizeof (GstClFigureItem) == 40);
G_STATIC_ASSERT (sizeof (GstClFigureRecord) == 80);
G_STATIC_ASSERT (sizeof (GstClFigureSpan) == 16);
G_STATIC_ASSERT (sizeof (GstClFigureRing) == 16);

/* --- what a spec comes to: framefiguresplan.c ---------------------------- */

/* Fixed as long as an op lives. */
typedef struct {
  guint n_components, figures, n_bins;
  GstClComponent shapes[GST_CL_FIGURES_MAX_COMPONENTS];
  /* a sample of the component for each 1 << shift of component 0's */
  guint x_shifts[GST_CL_FIGURES_MAX_COMPONENTS];
  guint y_shifts[GST_CL_FIGURES_MAX_COMPONENTS];
  guint n_items; /* that a frame is to be divided into */
  /* items of a span count in the same words, and what each leaves beside that
   * is merged by the host */
  gboolean is_shared;
} GstClFiguresFrame;

/* FALSE where the components' sizes do not go together. */
gboolean gst_cl_figures_frame_init (GstClFiguresFrame *frame,
    const GstClFiguresSpec *spec, GError **error);

/* The samples of component @c that belong to @region; possibly none. */
GstClRegion gst_cl_figures_frame_samples (const GstClFiguresFrame *frame,
    const GstClRegion *region, guint c);

/* Samples of all components in @region. */
guint64 gst_cl_figures_frame_count (const GstClFiguresFrame *frame,
    const GstClRegion *region);

/* Words of the histograms of component @c. */
guint gst_cl_figures_frame_words (const GstClFiguresFrame *frame, guint c);

/* Whether moments and bits are left to the host, which has each code's count. */
gboolean gst_cl_figures_frame_derives_moments (const GstClFiguresFrame *frame);

/* Whether items leave anything beside counts. */
gboolean gst_cl_figures_frame_has_records (const GstClFiguresFrame *frame);

/* Whether two frames take turns, with no look at what was found. */
gboolean gst_cl_figures_frame_turns_ring (const GstClFiguresFrame *frame);

/* Regions as items, and where their results lie: records of all spans (or, if
 * the host merges them, of all items), then the histograms of the spans (these
 * @result_bytes go to the host), then words of the items that have some of their
 * own. */
typedef struct {
  GArray *items; /* GstClFigureItem, in the order of spans */
  GArray *spans; /* GstClFigureSpan, of all components of a region, and so on */
  guint n_regions;         /* with the one for keeping the frame, if needed */
  guint n_reference_items; /* the first so many are of region 0 */
  gsize record_bytes, result_bytes, buffer_bytes; /* each within the next */
} GstClFiguresPlan;

void gst_cl_figures_plan_init (GstClFiguresPlan *plan);
void gst_cl_figures_plan_clear (GstClFiguresPlan *plan);
void gst_cl_figures_plan_make (GstClFiguresPlan *plan,
    const GstClFiguresFrame *frame, const GstClRegion *regions,
    guint n_regions);

/* --- device memory: framefiguresmemory.c --------------------------------- */

/* All zero is empty. */
typedef struct {
  GstClContext *context; /* the op's */

  cl_mem frames;       /* those that later ones are compared with, */
  gsize frame_samples; /* so far apart, */
  cl_mem rings[2];     /* and which is which, at this turn */
  guint n_rings, ring;

  cl_mem items, spans, records; /* records: of items, if the device merges */
  gsize records_bytes;
  cl_mem results[2]; /* the next run's is @result, the last one's @fetched */
  gsize results_bytes[2];
  gboolean is_clear[2]; /* its counts are 0 */
  guint n_results, result, fetched;
} GstClFiguresMemory;

gboolean gst_cl_figures_memory_init (GstClFiguresMemory *memory,
    GstClContext *context, const GstClFiguresFrame *frame, GError **error);
void gst_cl_figures_memory_clear (GstClFiguresMemory *memory);

/* Makes room for @plan. */
gboolean gst_cl_figures_memory_take_plan (GstClFiguresMemory *memory,
    const GstClFiguresFrame *frame, const GstClFiguresPlan *plan,
    GError **error);

/* A run was enqueued. If there are two buffers of results, it clears the counts
 * of the one that it does not write. */
void gst_cl_figures_memory_turn (GstClFiguresMemory *memory);

/* --- saturation and hue: framefigureschroma.c ---------------------------- */

/* What figure_chroma() of cl_figures.clh looks up. *n_bytes receives its size. */
gpointer gst_cl_figures_chroma_table (const GstClFiguresSpec *spec,
    gsize *n_bytes);

G_END_DECLS
