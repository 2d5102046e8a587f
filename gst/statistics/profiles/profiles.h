/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclprofile.h"
#include "ops/pictureop.h"

G_BEGIN_DECLS

/* Sums, extremes and differences of each row and each column of the components
 * of a frame: GstClProfile. */

/* The implementations; problems are GstClPictureShape, io is const
 * GstClPictureInput *. Only the method AUTO has a nick. */
extern const GstClOpTable gst_cl_profiles_table;

/* Create and free a GstClPictureOp. A component without samples has no rows and
 * no columns. */
extern const GstClTieredFuncs gst_cl_profiles_tiered;

/* Waits for the read into @slot and returns its results, one per component of
 * the problem. Their arrays are one block of memory, and stay valid until the
 * next read into the slot. FALSE with @error. Any thread, one per slot. */
gboolean gst_cl_profiles_op_result (GstClPictureOp *op, guint slot,
    GstClProfile *profiles, GError **error);

G_END_DECLS
