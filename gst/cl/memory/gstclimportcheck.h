/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* Known bytes are transferred as rows: the bytes of a row, and the stride for
 * paths that support strides. A check transfers whole rows. */
#define GST_CL_IMPORT_CHECK_ROW_BYTES 64
#define GST_CL_IMPORT_CHECK_STRIDE    80

/* A failed request for memory or for a file descriptor is repeated after this
 * number of microseconds. */
#define GST_CL_SHORTAGE_US (10 * G_USEC_PER_SEC)

/* One run of a check. */
typedef struct {
  cl_command_queue queue; /* only this run uses it */
  const guint8 *bytes;    /* known bytes */
  guint8 *back;           /* where they come back to */
  gsize size_bytes;       /* of each */
  GPtrArray *lent;        /* memory that commands use; see below */
} GstClImportCheckRun;

/* The check of an import path (or of an export) before the first frame uses it:
 * known bytes are transferred to the device and read back. */
typedef struct {
  const gchar *name; /* of the path, in the log; static, and unique */

  /* Returns what the device or its driver lacks, or NULL if it lacks nothing.
   * The function queries the device and may start a driver, but enqueues no
   * command. May be NULL. */
  const gchar *(*find_obstacle) (GstClContext *context);

  /* Transfers the bytes of @run to the device as the path transfers frames, and
   * from there back, by commands on the queue of @run; waits for the commands.
   * Host memory that they use is added to `lent`, and freed by g_free() when
   * they have ended: the wait may fail. @data: user data passed to
   * gst_cl_import_check_passes(). */
  gboolean (*try) (GstClContext *context, const GstClImportCheckRun *run,
      gpointer data, GError **error);
} GstClImportCheck;

/* Returns TRUE if the path transfers correctly on the device of @context. The
 * first call for a context runs the check; if it fails, one line in the log
 * (INFO) gives the reason, and this and every later call sets @error. A check
 * that failed for lack of memory is repeated after GST_CL_SHORTAGE_US. Any
 * thread; other threads wait for a running check. */
gboolean gst_cl_import_check_passes (const GstClImportCheck *check,
    GstClContext *context, gpointer data, GError **error);

/* For checks that must not write to @memory, which upstream has filled. @read
 * has the bytes of @memory as the device reads them. If the processor reads the
 * same bytes, copies those of @run to `back`, else other bytes. FALSE with
 * @error if @memory cannot be mapped, or if all its bytes are the same: the
 * latter shows nothing, and the check is repeated after GST_CL_SHORTAGE_US. */
gboolean gst_cl_import_check_compare (GstMemory *memory, const guint8 *read,
    const GstClImportCheckRun *run, GError **error);

/* Returns FALSE if an obstacle or a check has shown that the path cannot be
 * used on the device of @context. Runs no check. Any thread. */
gboolean gst_cl_import_check_may_pass (const GstClImportCheck *check,
    GstClContext *context);

G_END_DECLS
