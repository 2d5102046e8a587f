/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns TRUE if @message is a result, an event or a pooled result of a
 * clframesum. */
gboolean gst_cl_batch_result_is (GstMessage *message);

/* Returns the result in @message as a message of @source, with the index and id
 * of its stream among @streams (GstClBatchStream). Returns @message unchanged
 * if no stream matches. @message is transfer full, and so is the result. */
GstMessage *gst_cl_batch_result_label (GstMessage *message, GstObject *source,
    GPtrArray *streams);

G_END_DECLS
