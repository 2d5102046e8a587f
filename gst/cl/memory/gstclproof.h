/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Known bytes that go as rows: so many each, and how far apart rows lie where
 * the way may have them so. Trials have a multiple of the former. */
#define GST_CL_PROOF_ROW_BYTES 64
#define GST_CL_PROOF_STRIDE    80

/* What was not to be had, memory or a file descriptor, is asked for again after
 * so long, in microseconds. */
#define GST_CL_SHORTAGE_US (10 * G_USEC_PER_SEC)

/* A way for bytes to reach a device, and how it is proven before any frame
 * takes it: known bytes go that way, and are read back. */
typedef struct {
  const gchar *name; /* in the log; static, and of one way alone */

  /* Returns what the device or its driver lacks; NULL: nothing, or no function.
   * It asks, and may start a driver for that, but no command. */
  const gchar *(*find_obstacle) (GstClContext *context);

  /* Brings @size_bytes of @bytes to the device as frames would come, and from
   * there to @back, by commands on @queue, which nobody else uses; waits for
   * them. @data: what the way needs, of gst_cl_proof_holds(). */
  gboolean (*try) (GstClContext *context, cl_command_queue queue, gpointer data,
      const guint8 *bytes, gsize size_bytes, guint8 *back, GError **error);
} GstClProof;

/* Returns TRUE if the way is right on the device of @context. Tries it at the
 * first call for a context; where it fails, one line in the log (INFO) says
 * why, and @error is set by this and every later call. A trial for which there
 * was not enough memory is held again after GST_CL_SHORTAGE_US. Any thread;
 * others wait for a trial. */
gboolean gst_cl_proof_holds (const GstClProof *proof, GstClContext *context,
    gpointer data, GError **error);

/* Returns FALSE if an obstacle or a trial has shown that the way cannot be gone
 * on the device of @context. Tries nothing. Any thread. */
gboolean gst_cl_proof_may_hold (const GstClProof *proof, GstClContext *context);

G_END_DECLS
