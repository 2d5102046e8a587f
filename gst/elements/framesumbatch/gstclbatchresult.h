/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns TRUE if @message is what a clframesum tells of its stream: a result,
 * an event, the pooled result. */
gboolean gst_cl_batch_result_is (GstMessage *message);

/* Returns the result in @message as one of @source, with the stream of @streams
 * (GstClBatchStream) that it is of; as it is if it is of none of them. Transfer
 * full both. */
GstMessage *gst_cl_batch_result_sign (GstMessage *message, GstObject *source,
    GPtrArray *streams);

G_END_DECLS
