/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstcldevice.h"

G_BEGIN_DECLS

/* One device with its cl_context, its in-order queue and the programs built for
 * it. All members are constant after construction but those that say so. */
#define GST_TYPE_CL_CONTEXT (gst_cl_context_get_type ())
G_DECLARE_FINAL_TYPE (GstClContext, gst_cl_context, GST, CL_CONTEXT, GstObject)

struct _GstClContext {
  GstObject parent;

  GstClDevice *device;
  cl_context handle;
  cl_command_queue queue; /* in-order: commands run in the order enqueued */

  /*< private >*/
  GMutex program_lock;
  GHashTable *programs; /* gchar *key -> cl_program; program_lock */
  gboolean is_profiling;
  GMutex profile_lock;
  GPtrArray *profile; /* cl_event of each launch; profile_lock */
};

/* Opens @device. @profiling: record the time of every launch (benchmarks). */
GstClContext *gst_cl_context_new (GstClDevice *device, gboolean profiling,
    GError **error);

/* Hands what was enqueued to the device; does not wait. */
gboolean gst_cl_context_flush (GstClContext *context, GError **error);

/* Waits until everything enqueued so far, by any element, is done. */
gboolean gst_cl_context_finish (GstClContext *context, GError **error);

/* Waits, then returns the sum of the device times of all launches since the
 * last call, in nanoseconds; 0 without profiling. */
guint64 gst_cl_context_take_profile_ns (GstClContext *context);

G_END_DECLS
