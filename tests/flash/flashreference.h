/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/flash/flash.h"

G_BEGIN_DECLS

/* The state of pictures, cell by cell; all zeros: no picture yet. */
typedef struct {
  gint width, height;         /* of the first component */
  struct RefFlashCell *cells; /* owned */
} RefFlash;

void ref_flash_clear (RefFlash *self);

/* Measures a picture of @problem, cell by cell, and sets @counts, which borrows
 * @tiles. @bytes: host copies of the memory of the @components; their cl_mem is
 * not used. */
void ref_flash_measure (RefFlash *self, const GstClFlashProblem *problem,
    const guint8 *const *bytes, const GstClComponent *components,
    GstClFlashCounts *counts, GstClFlashTile tiles[GST_CL_FLASH_N_TILES]);

G_END_DECLS
