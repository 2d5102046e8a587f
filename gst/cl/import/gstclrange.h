/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclwrite.h"

G_BEGIN_DECLS

/* What has to come before kernels read what lies in a buffer of the importer's
 * own. Zeros: nothing, or it is in the compute queue. */
typedef struct {
  GstClWrite write;     /* to be enqueued; without data: none */
  cl_event upload;      /* the end of one that has been enqueued, or NULL;
                           transfer none, as long as the range lasts */
  gboolean is_external; /* memory is acquired, and released after the kernels
                           (gstclexternal.h) */
} GstClArrival;

/* Sets *upload to arrival->upload (transfer full), which outlasts its range
 * then. Any thread. */
gboolean gst_cl_arrival_keep_upload (const GstClArrival *arrival,
    cl_event *upload, GError **error);

/* A range of bytes on the device, and what it holds on to. Zero-initialised, it
 * may be released. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;   /* of the range within mem */
  gboolean is_host;     /* the device reads the buffer's host memory: release
                         only when it is done */
  cl_event uploaded;    /* the end of its transfer; NULL: there is none, or
                           another thread enqueues it */
  GstClArrival arrival; /* until gst_cl_range_begin_reads() */
  /*< private >*/
  GstClSync *sync; /* of a buffer of the importer, until submitted */
  gboolean owns_mem;
  GstClContext *acquired_by; /* whose compute queue has acquired mem
                                (gstclexternal.h), until reads end; borrowed */
  GstMemory *memory;         /* owned, mapped with map; NULL if none */
  GstMapInfo map;
} GstClRange;

/* Maps @memory for @range, which holds a reference of its own: the buffer may
 * put another memory in its place while the map lasts. */
gboolean gst_cl_range_map (GstClRange *range, GstMemory *memory,
    GstMapFlags flags);

/* Gives the memory back, unless the device reads it. */
void gst_cl_range_release_copied (GstClRange *range);

/* Hands @write to the device; range->uploaded tells when it has ended. */
gboolean gst_cl_range_begin_write (GstClRange *range, const GstClWrite *write,
    GstClContext *context, GError **error);

/* Begins the arrival of @range, and keeps kernels that are enqueued from now on
 * behind it, if that has not been done. */
gboolean gst_cl_range_begin_reads (GstClRange *range, GstClContext *context,
    GError **error);

/* All kernels that use @range have been enqueued: nothing of the buffer is held
 * any more, unless it is is_host. Memory of others is given back by a command,
 * if there is any. */
void gst_cl_range_end_reads (GstClRange *range);

/* Ends the reads, where that has not been done, at the end of a frame. If the
 * kernels have an access that the end of their commands must record
 * (gst_cl_sync_end()), it is added to @accesses. */
void gst_cl_range_submitted (GstClRange *range, GstClAccess *accesses,
    guint *n_accesses);

/* Waits for the transfer that @range came by, if this thread has begun it.
 * FALSE if that has failed. */
gboolean gst_cl_range_wait_for_upload (GstClRange *range, GstClContext *context,
    GError **error);

/* Gives back whatever is held still. */
void gst_cl_range_release (GstClRange *range);

G_END_DECLS
