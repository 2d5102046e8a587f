/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "statistics/cells/gstclcells.h"

G_BEGIN_DECLS

/* Finds whether a stream is shifted by a constant number of frames against its
 * reference, from means of cells of the pairs of the last second. */
typedef struct _GstClOffset GstClOffset;

/* @n_frames: of a second. transfer full */
GstClOffset *gst_cl_offset_new (guint n_frames);
void gst_cl_offset_free (GstClOffset *self); /* accepts NULL */

/* Adds the cells of a pair, GST_CL_N_CELLS of each. Returns TRUE if the offset
 * is known anew, which it is twice a second: *offset is the number of frames by
 * which the compared stream is late; less than 0: early. A picture that stands
 * still has no offset: 0. */
gboolean gst_cl_offset_add (GstClOffset *self, const guint32 *reference,
    const guint32 *compared, gint *offset);

/* The next pair does not follow the last one. */
void gst_cl_offset_forget (GstClOffset *self);

G_END_DECLS
