/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/compare/xpsnr.h"
#include "xpsnrreference.h"

G_BEGIN_DECLS

/* A picture in memory, whose cl_mem is not used: host copies of that of each
 * component. */
typedef struct {
  const guint8 *const *bytes;
  const GstClComponent *components;
} RefXpsnrPicture;

/* Measures @original and @compared: ref_xpsnr_measure(). Returns the blocks, of
 * which there are *@n_blocks; transfer full. */
GstClXpsnrBlock *ref_xpsnr_measure_components (RefXpsnr *self,
    const GstClXpsnrProblem *problem, const RefXpsnrPicture *original,
    const RefXpsnrPicture *compared, guint *n_blocks);

G_END_DECLS
