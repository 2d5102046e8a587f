/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclflashcounts.h"
#include "common/gstcltransfer.h"
#include "ops/pictureop.h"

G_BEGIN_DECLS

/* Changes of the luminance and of saturated red from picture to picture:
 * gstclflash.h. The state of each cell stays on the device. */

/* The problem that an instance is built for. */
typedef struct {
  GstClPictureShape picture; /* of pixels */
  GstClLightCurve curve;
  gdouble weights[3]; /* of R, G and B in the luminance; their sum is 1 */
} GstClFlashProblem;

/* The implementations; problems are GstClFlashProblem, io is const
 * GstClPictureInput * with one field or a whole picture. Only the method AUTO
 * has a nick. */
extern const GstClOpTable gst_cl_flash_table;

/* Create and free a GstClPictureOp. A picture of another size than the last one
 * is compared with none. */
extern const GstClTieredFuncs gst_cl_flash_tiered;

/* Waits for the read into @slot, and sets @counts to the numbers of the run;
 * its tiles stay valid until the next read into the slot. FALSE with @error.
 * Any thread, one per slot. */
gboolean gst_cl_flash_op_result (GstClPictureOp *op, guint slot,
    GstClFlashCounts *counts, GError **error);

/* Returns the number of fractional bits of the codes of cells. */
guint gst_cl_flash_fraction (const GstClFlashProblem *problem);

/* Sets @light to the light of each code of cells, of which there are 2^(depth +
 * fraction), in units of 1 / GST_CL_FLASH_ONE of the reference, rounded. */
void gst_cl_flash_light (const GstClFlashProblem *problem, guint32 *light);

G_END_DECLS
