/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/compare/gstclxpsnr.h"

G_BEGIN_DECLS

/* Codes of a component, row by row. */
typedef struct {
  gint width, height;
  const guint16 *codes;
} RefXpsnrPlane;

typedef struct {
  guint depth, order;
  gboolean is_large; /* activities of cells of 2 x 2 samples */
} RefXpsnrSettings;

/* The first components of the pictures before; all zeros: none. */
typedef struct {
  gint width, height;
  guint16 *before[2]; /* owned; the last picture, and that before it */
} RefXpsnr;

void ref_xpsnr_clear (RefXpsnr *self);

/* Sets @blocks, of which there are gst_cl_xpsnr_grid(), to the integers of a
 * picture of @n components, sample by sample. A picture of another size than
 * the one before has none before it. */
void ref_xpsnr_measure (RefXpsnr *self, const RefXpsnrPlane *original,
    const RefXpsnrPlane *compared, guint n, const RefXpsnrSettings *settings,
    GstClXpsnrBlock *blocks);

G_END_DECLS
