/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclcells.h"
#include "statistics/series/gstclseriesframe.h"

G_BEGIN_DECLS

/* A known picture, such as colour bars: the R'G'B' levels of its cells in
 * thousandths, 0: black, 1000: white. */
typedef struct {
  const gchar *name;   /* static or interned */
  gboolean has_chroma; /* FALSE: only the luma is known */
  gboolean has_words;  /* few cells are marked, whose luma must agree well */
  struct {
    gboolean is_known;  /* FALSE: an edge is in this cell or near it */
    gboolean is_marked; /* it differs from the most frequent colour */
    gint16 rgb[3];
  } cells[GST_CL_N_CELLS];
  guint n_known, n_marked;
} GstClCard;

/* Reads the cards of the file @path: groups of a GKeyFile, which docs/events.md
 * describes. Later calls of gst_cl_cards_find() use them. FALSE with @error,
 * which names the file: it cannot be read, or is no such file. Any thread. */
gboolean gst_cl_cards_load (const gchar *path, GError **error);

/* Returns the built-in cards and, if gst_cl_cards_load() has read @path, the
 * cards of this file (GstClCard; borrowed, never freed). @path: NULL: built-in
 * cards only. Any thread. */
const GPtrArray *gst_cl_cards_find (const gchar *path);

/* Returns the card of @cards that @frame shows best; NULL if it shows none.
 * @before: the card of the frame before, or NULL; if less of it remains, the
 * frame shows it still. Sets *share to the share of its cells that agree. */
const GstClCard *gst_cl_card_recognize (const GPtrArray *cards,
    const GstClSeriesFrame *frame, const GstClCard *before, gdouble *share);

G_END_DECLS
