/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/analytics/gstanalyticsbatchmeta.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* One stream of batches: the clframesum that measures it, and the two pads that
 * this has for neighbours. The part that a batch has of the stream, sticky
 * events and objects, is played to the element; frames come back into the part.
 * Streaming thread, but for what says otherwise. */
typedef struct _GstClBatchStream GstClBatchStream;

GstClBatchStream *gst_cl_batch_stream_new (guint index);
GstClBatchStream *gst_cl_batch_stream_ref (GstClBatchStream *self);
void gst_cl_batch_stream_unref (GstClBatchStream *self);

/* Takes a reference to @element, which was made for this stream, is in its bin
 * and in no state yet. */
void gst_cl_batch_stream_set_element (GstClBatchStream *self,
    GstElement *element);

/* Returns the element; NULL: there is none yet. Borrowed. Any thread. */
GstElement *gst_cl_batch_stream_element (GstClBatchStream *self);

/* TRUE if @part has caps that a clframesum can measure. */
gboolean gst_cl_batch_stream_has_frames (const GstAnalyticsBatchStream *part);

/* Plays @part, from which frames are taken out. What the element does not
 * measure stays where it is. Up to three frames are worked on when it returns;
 * a fourth has waited for the first. */
GstFlowReturn gst_cl_batch_stream_play (GstClBatchStream *self,
    GstAnalyticsBatchStream *part);

/* Waits for the frames of the @part that was played, and puts them back. FALSE:
 * some have not come back, after an error or in a flush; @part is whole but for
 * those. */
gboolean gst_cl_batch_stream_collect (GstClBatchStream *self,
    GstAnalyticsBatchStream *part);

/* Waits for all results of the frames that were played. */
void gst_cl_batch_stream_drain (GstClBatchStream *self);

/* For FLUSH_START and FLUSH_STOP of all streams. Any thread, as for pads. */
void gst_cl_batch_stream_flush (GstClBatchStream *self, GstEvent *event);

/* All streams end: this one, too, unless it has. */
void gst_cl_batch_stream_end (GstClBatchStream *self, guint32 seqnum);

/* Adds `stream-index` and, if it is known, `stream-id` to a result. Any thread.
 */
void gst_cl_batch_stream_sign (GstClBatchStream *self, GstStructure *result);

G_END_DECLS
