/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/analytics/gstanalyticsbatchmeta.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* One stream of batches: the clframesum that measures it, and two pads linked
 * to that element. The batch's part for this stream (sticky events and objects)
 * is pushed into the element, and its output frames are put back into the part.
 * Streaming thread, unless a function says otherwise. */
typedef struct _GstClBatchStream GstClBatchStream;

GstClBatchStream *gst_cl_batch_stream_new (guint index);
GstClBatchStream *gst_cl_batch_stream_ref (GstClBatchStream *self);
void gst_cl_batch_stream_unref (GstClBatchStream *self);

/* Sets @element (referenced), which was created for this stream, is in the bin
 * and has not changed state yet. */
void gst_cl_batch_stream_set_element (GstClBatchStream *self,
    GstElement *element);

/* Returns the element (borrowed); NULL: none yet. Any thread. */
GstElement *gst_cl_batch_stream_element (GstClBatchStream *self);

/* Returns TRUE if @part has caps that a clframesum can measure. */
gboolean gst_cl_batch_stream_has_frames (const GstAnalyticsBatchStream *part);

/* Pushes @part into the element, which removes the frames from @part. Objects
 * that the element does not measure stay in @part. At most three frames are in
 * progress when this returns; a fourth waits for the first. */
GstFlowReturn gst_cl_batch_stream_push (GstClBatchStream *self,
    GstAnalyticsBatchStream *part);

/* Waits for the frames of @part, which was pushed, and puts them back. Returns
 * FALSE if frames are missing after an error or in a flush; the rest of @part
 * is complete. */
gboolean gst_cl_batch_stream_collect (GstClBatchStream *self,
    GstAnalyticsBatchStream *part);

/* Waits for the results of all frames that were pushed. */
void gst_cl_batch_stream_drain (GstClBatchStream *self);

/* Pushes @event (borrowed), a FLUSH_START or FLUSH_STOP that flushes all
 * streams, into this stream. Any thread for FLUSH_START. */
void gst_cl_batch_stream_flush (GstClBatchStream *self, GstEvent *event);

/* Pushes EOS with @seqnum into this stream, unless it has ended already. The
 * bin calls it for each stream when it receives EOS. */
void gst_cl_batch_stream_end (GstClBatchStream *self, guint32 seqnum);

/* Adds `stream-index` and, if known, `stream-id` to a result. Any thread. */
void gst_cl_batch_stream_label_result (GstClBatchStream *self,
    GstStructure *result);

G_END_DECLS
