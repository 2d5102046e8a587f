/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mock of libcuda.so.1: its device memory is host memory, and exported memory
 * is an anonymous file. Copies run at once. Calls without a context fail. There
 * are two GPUs. */

typedef enum {
  CUDA_WORKS,
  CUDA_EXPORTS_NOTHING,
  CUDA_COPIES_OTHER_BYTES,
  CUDA_COPIES_OTHER_ROWS,
  CUDA_COPIES_NOT, /* its copies fail */
  CUDA_WAITS_NOT,  /* waits for events fail, and copies continue */
  CUDA_IS_FULL,    /* no memory can be shared */
  CUDA_HIDES_ONE,  /* the first GPU is not listed */
} CudaFault;

/* Returns TRUE if the mock libraries behave as GStreamer 1.22 and CUDA 11.3:
 * memory has no stream, cuDeviceGetUuid_v2 and cuCtxSetFlags are missing. */
gboolean cuda_is_older (void);

/* Sets the fault from now on. Any thread. */
void cuda_set_fault (CudaFault fault);

/* Number of objects that were created and not freed: memory, addresses,
 * streams, events, contexts that were pushed. */
gint cuda_n_alive (void);

/* Number of copies that were begun and not waited for, through their stream or
 * an event that was recorded in it. */
gint cuda_n_running (void);

/* Number of copies that were not ordered after the other uses of their memory:
 * OpenCL commands on shared memory, and commands in the stream of the
 * memory. */
gint cuda_n_out_of_order (void);

/* Sets the function that returns whether OpenCL has released shared memory, by
 * the inode of its file. NULL: it always has. */
typedef gboolean (*CudaIsFree) (guint64 file);
void cuda_set_is_free (CudaIsFree is_free);

/* Number of CUDA_IS_FULL results. */
gint cuda_n_refused (void);

/* The UUID of a GPU: 16 equal bytes. */
#define CUDA_UUID_BYTE(device) (0x51 + (device))

/* A context: the number of the GPU, and how threads wait in it. */
typedef struct {
  int device;
  guint flags;
} CudaStandinContext;

/* Creates a stream of other users in @context. */
gpointer cuda_stream_new (CudaStandinContext *context);
void cuda_stream_free (gpointer stream);

/* Starts @work in @stream: it completes before a copy that is begun there
 * later, or when @stream is waited for. One thread at a time. */
void cuda_stream_start (gpointer stream, void (*work) (gpointer data),
    gpointer data);

/* Makes the host wait for the commands in @stream. */
void cuda_stream_finish (gpointer stream);

/* Number of waits of the host. */
gint cuda_n_waits (void);

G_END_DECLS
