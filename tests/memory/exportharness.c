/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mock elements downstream of cldownload that request CUDA memory. */

#include "memory/exportharness.h"

#include <string.h>

#include "elements/common.h"
#include "elements/frames.h"
#include "memory/cudafixture.h"
#include "memory/cudastream.h"
#include "mocks/gstcuda.h"

/* Answers with the caps of downstream: in the order of the filter, as GstPad
 * does by default, or in the order of downstream. */
static gboolean
answer_caps (GstPad *pad, GstQuery *query)
{
  g_autoptr (GstCaps)
      caps = gst_caps_from_string (g_object_get_data (G_OBJECT (pad), "caps"));
  const gboolean has_own_order = g_object_get_data (G_OBJECT (pad),
                                     "own-order") != NULL;
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  if (filter) {
    GstCaps *filtered = gst_caps_intersect_full (has_own_order ? caps : filter,
        has_own_order ? filter : caps, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (caps);
    caps = filtered;
  }
  gst_query_set_caps_result (query, caps);

  return TRUE;
}

/* Answers with a pool of CUDA memory of the pad's context, if it has one; with
 * EXPORT_OTHER_MEMORY, answers with a pool of other memory. */
static gboolean
answer_allocation (GstPad *pad, GstQuery *query)
{
  GstObject *context = g_object_get_data (G_OBJECT (pad), "context");
  g_autoptr (GstBufferPool) pool = NULL;
  GstVideoInfo info;
  GstCaps *caps;

  if (context == EXPORT_FLUSHING) {
    GST_PAD_SET_FLUSHING (pad);
    return FALSE;
  }

  gst_query_parse_allocation (query, &caps, NULL);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (context && context != EXPORT_NO_POOL) {
    fail_unless (gst_video_info_from_caps (&info, caps));
    pool = context == EXPORT_OTHER_MEMORY ? gst_video_buffer_pool_new ()
                                          : cuda_pool_new (context);
    gst_query_add_allocation_pool (query, pool,
        (guint) GST_VIDEO_INFO_SIZE (&info), 0, 0);
  } else if (context == EXPORT_NO_POOL &&
             !g_object_get_data (G_OBJECT (pad), "no-size")) {
    /* the answer of tee if branches need different pools */
    gst_query_add_allocation_pool (query, NULL, 64, 2, 0);
  }

  return TRUE;
}

/* Answers with the context of the fixture if the pad has EXPORT_NO_POOL. */
static gboolean
answer_context (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstObject *own = g_object_get_data (G_OBJECT (pad), "context");
  g_autoptr (GstContext) context = NULL;
  const gchar *type;

  gst_query_parse_context_type (query, &type);
  if (own != EXPORT_NO_POOL || g_strcmp0 (type, "gst.cuda.context") != 0)
    return gst_pad_query_default (pad, parent, query);

  context = gst_context_new (type, TRUE);
  gst_structure_set (gst_context_writable_structure (context), type,
      GST_TYPE_OBJECT, cuda, NULL);
  gst_query_set_context (query, context);

  return TRUE;
}

static gboolean
answer (GstPad *pad, GstObject *parent, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      return answer_caps (pad, query);
    case GST_QUERY_ALLOCATION:
      return answer_allocation (pad, query);
    case GST_QUERY_CONTEXT:
      return answer_context (pad, parent, query);
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

GstHarness *
export_harness_new_with_caps (const gchar *description, gboolean in_cuda,
    const gchar *out_caps, GstObject *context, GstVideoInfo *info,
    GstVideoFormat format, gint width, gint height)
{
  GstHarness *h = harness_new (description);

  g_object_set_data (G_OBJECT (h->sinkpad), "context", context);
  g_object_set_data (G_OBJECT (h->sinkpad), "no-size",
      strstr (description, "queue") ? h : NULL);
  g_object_set_data (G_OBJECT (h->sinkpad), "caps", (gpointer) out_caps);
  gst_pad_set_query_function (h->sinkpad, answer);
  cuda_set_caps (h, in_cuda ? CUDA_FEATURE : NULL, info, format, width, height);

  return h;
}

GstHarness *
export_harness_new (const gchar *description, gboolean in_cuda,
    GstObject *context, GstVideoInfo *info, GstVideoFormat format, gint width,
    gint height)
{
  return export_harness_new_with_caps (description, in_cuda,
      "video/x-raw(" CUDA_FEATURE ")", context, info, format, width, height);
}

GstHarness *
export_harness_new_small_of (const gchar *description, GstObject *context,
    GstBuffer **frame)
{
  GstVideoInfo info;
  GstHarness *h = export_harness_new (description, FALSE, context, &info,
      GST_VIDEO_FORMAT_NV12, 64, 48);

  *frame = frame_new (&info, 0);

  return h;
}

GstHarness *
export_harness_new_small (GstObject *context, GstBuffer **frame)
{
  return export_harness_new_small_of ("clupload ! cldownload", context, frame);
}
