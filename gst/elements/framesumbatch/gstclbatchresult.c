/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of a stream's clframesum as messages of the bin. */

#include "gstclbatchresult.h"

#include "gstclbatchstream.h"

gboolean
gst_cl_batch_result_is (GstMessage *message)
{
  const GstStructure *structure = gst_message_get_structure (message);

  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT && structure &&
         g_str_has_prefix (gst_structure_get_name (structure), "clframesum");
}

GstMessage *
gst_cl_batch_result_label (GstMessage *message, GstObject *source,
    GPtrArray *streams)
{
  GstMessage *result = NULL;

  for (guint i = 0; i < streams->len && !result; i++) {
    GstClBatchStream *stream = g_ptr_array_index (streams, i);
    GstStructure *structure;

    if (GST_MESSAGE_SRC (message) !=
        GST_OBJECT_CAST (gst_cl_batch_stream_element (stream)))
      continue;
    structure = gst_structure_copy (gst_message_get_structure (message));
    gst_cl_batch_stream_label_result (stream, structure);
    result = gst_message_new_element (source, structure);
    gst_message_set_seqnum (result, gst_message_get_seqnum (message));
  }
  if (!result)
    return message;
  gst_message_unref (message);

  return result;
}
