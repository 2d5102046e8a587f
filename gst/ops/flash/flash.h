/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/video/gstclcomponent.h"
#include "common/gstclflash.h"
#include "common/gstclrgb.h"
#include "common/gstcltransfer.h"
#include "ops/tieredop.h"

G_BEGIN_DECLS

/* Changes of the luminance and of saturated red from picture to picture:
 * gstclflash.h. The state of each cell stays on the device. */

#define GST_CL_FLASH_MAX_COMPONENTS 3

/* The problem that an instance is built for. Later pictures have the same pixel
 * strides and sample type (one for all components), and no component is larger.
 * Memory, offsets and strides are ignored. */
typedef struct {
  guint n_components; /* 1 if the matrix is GREY, else 3 */
  GstClComponent shapes[GST_CL_FLASH_MAX_COMPONENTS];
  guint x_shift, y_shift; /* subsampling of chroma */
  GstClRgbMatrix matrix;
  GstClLightCurve curve;
  gdouble weights[3]; /* of R, G and B in the luminance; their sum is 1 */
} GstClFlashProblem;

/* The implementations; problems are GstClFlashProblem, io is the components of
 * a picture, const GstClComponent *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_flash_table;

typedef struct _GstClFlashOp GstClFlashOp;

/* create() and free() of all rows. Creates a GstClFlashOp of @candidate. NULL
 * with @error; transfer full. */
gpointer gst_cl_flash_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer problem, GError **error);
void gst_cl_flash_op_free (gpointer op);

/* Create and free an op; problems are GstClFlashProblem. */
extern const GstClTieredFuncs gst_cl_flash_tiered;

/* Enqueues one picture. @components: parts of it, each with its own size.
 * Neither waits nor allocates. A picture of another size than the last one is
 * compared with none. FALSE with CL_INVALID_VALUE if a component is larger than
 * that of the problem or has another pixel stride. */
gboolean gst_cl_flash_op_run (gpointer op, gconstpointer components,
    GError **error);

/* Makes the next picture be compared with none. */
void gst_cl_flash_op_forget (GstClFlashOp *op);

/* The maximum number of results in flight. */
#define GST_CL_FLASH_SLOTS 64

/* Enqueues the read of the last run's results into @slot (below
 * GST_CL_FLASH_SLOTS). Does not wait; other runs may follow. */
gboolean gst_cl_flash_op_fetch (GstClFlashOp *op, guint slot, GError **error);

/* Waits for the read into @slot, and sets @counts to the numbers of the run;
 * its tiles stay valid until the next read into the slot. FALSE with @error.
 * Any thread, one per slot. */
gboolean gst_cl_flash_op_result (GstClFlashOp *op, guint slot,
    GstClFlashCounts *counts, GError **error);

/* Returns the number of fractional bits of the codes of cells. */
guint gst_cl_flash_fraction (const GstClFlashProblem *problem);

/* Sets @light to the light of each code of cells, of which there are 2^(depth +
 * fraction), in units of 1 / GST_CL_FLASH_ONE of the reference, rounded. */
void gst_cl_flash_light (const GstClFlashProblem *problem, guint32 *light);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClFlashOp, gst_cl_flash_op_free)

G_END_DECLS
