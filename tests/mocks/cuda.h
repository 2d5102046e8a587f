/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Stands in for libcuda.so.1: its device memory is the host's, and memory that
 * it exports is an anonymous file. Copies run at once. A call without a context
 * fails. There are two GPUs. */

typedef enum {
  CUDA_WORKS,
  CUDA_EXPORTS_NOTHING,
  CUDA_COPIES_OTHER_BYTES,
  CUDA_COPIES_OTHER_ROWS,
  CUDA_COPIES_NOT, /* its copies fail */
  CUDA_WAITS_NOT,  /* waits for events fail, and copies go on */
  CUDA_IS_FULL,    /* there is no memory to share */
  CUDA_HIDES_ONE,  /* the first GPU is not listed */
} CudaFault;

/* Returns TRUE if the libraries that stand in are as in GStreamer 1.22 and in
 * CUDA 11.3: memory has no stream, cuDeviceGetUuid_v2 and cuCtxSetFlags are
 * missing. */
gboolean cuda_is_older (void);

/* From now on. Any thread. */
void cuda_set_fault (CudaFault fault);

/* What has been made and not been given back: memory, addresses, streams,
 * events, contexts that were pushed. */
gint cuda_n_alive (void);

/* Copies that were begun and not waited for, by their stream or an event that
 * was recorded in it. */
gint cuda_n_running (void);

/* Copies that did not come after what uses their memory: commands of OpenCL on
 * memory that is shared, and those of the stream that memory has. */
gint cuda_n_out_of_order (void);

/* Who says whether OpenCL has done with memory that is shared, given the inode
 * of the file behind it. NULL: it always has. */
typedef gboolean (*CudaIsFree) (guint64 file);
void cuda_set_is_free (CudaIsFree is_free);

/* How often CUDA_IS_FULL was the answer. */
gint cuda_n_refused (void);

/* The UUID of a GPU: 16 bytes, all this one. */
#define CUDA_UUID_BYTE(device) (0x51 + (device))

/* What a context is: the number of the GPU, and how threads wait in it. */
typedef struct {
  int device;
  guint flags;
} CudaStandinContext;

/* A stream of others in @context. */
gpointer cuda_stream_new (CudaStandinContext *context);
void cuda_stream_free (gpointer stream);

/* Starts @work in @stream: it ends before a copy that is begun there later, or
 * when @stream is waited for. One thread at a time. */
void cuda_stream_start (gpointer stream, void (*work) (gpointer data),
    gpointer data);

/* Has the host wait for what is in @stream. */
void cuda_stream_finish (gpointer stream);

/* How often the host has waited. */
gint cuda_n_waits (void);

G_END_DECLS
