/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclsync.h"

G_BEGIN_DECLS

/* What has to come before kernels read what lies in a buffer of the importer's
 * own. Zeros: nothing, or it is in the compute queue. */
typedef struct {
  cl_event upload;      /* its end; transfer none, as long as the range lasts */
  gboolean is_external; /* memory is acquired, and released after the kernels
                           (gstclexternal.h) */
} GstClArrival;

/* A range of bytes on the device, and what it holds on to. Zero-initialised, it
 * may be released. */
typedef struct {
  cl_mem mem;
  gsize offset_bytes;   /* of the range within mem */
  gboolean is_host;     /* the device reads the buffer's host memory: release
                         only when it is done */
  cl_event uploaded;    /* of gst_cl_importer_upload(): its end */
  GstClArrival arrival; /* until gst_cl_range_begin_reads() */
  /*< private >*/
  GstClSync *sync; /* of a buffer of the importer, until submitted */
  gboolean owns_mem;
  GstClContext *acquired_by; /* whose compute queue has acquired mem
                                (gstclexternal.h), until reads end; borrowed */
  GstMemory *memory;         /* owned, mapped with map; NULL if none */
  GstMapInfo map;
} GstClRange;

/* Rows of bytes: @row_bytes each, one every @stride_bytes. */
typedef struct {
  gsize row_bytes, n_rows;
  gsize src_stride_bytes, dst_stride_bytes;
} GstClRows;

/* Copies @arrival, which outlasts its range then. FALSE with @error.
 * gst_cl_arrival_clear() frees the copy. Any thread. */
gboolean gst_cl_arrival_copy (const GstClArrival *arrival, GstClArrival *copy,
    GError **error);
void gst_cl_arrival_clear (GstClArrival *copy);

/* From the first byte to the last in the source. */
static inline gsize
gst_cl_rows_source_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->src_stride_bytes + rows->row_bytes;
}

/* From the first byte to the last where they go. */
static inline gsize
gst_cl_rows_target_bytes (const GstClRows *rows)
{
  return (rows->n_rows - 1) * rows->dst_stride_bytes + rows->row_bytes;
}

/* TRUE if the rows and what lies between them go as one piece. */
static inline gboolean
gst_cl_rows_are_packed (const GstClRows *rows)
{
  return rows->n_rows == 1 || rows->src_stride_bytes == rows->dst_stride_bytes;
}

/* Maps @memory for @range, which holds a reference of its own: the buffer may
 * put another memory in its place while the map lasts. */
gboolean gst_cl_range_map (GstClRange *range, GstMemory *memory,
    GstMapFlags flags);

/* Gives the memory back, unless the device reads it. */
void gst_cl_range_release_copied (GstClRange *range);

/* Keeps kernels that are enqueued from now on behind the arrival of @range, if
 * that has not been done. */
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

/* Waits for the transfer that @range came by, if any. FALSE if that has failed.
 */
gboolean gst_cl_range_wait_for_upload (GstClRange *range, GstClContext *context,
    GError **error);

/* Gives back whatever is held still. */
void gst_cl_range_release (GstClRange *range);

G_END_DECLS
