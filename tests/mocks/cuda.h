/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Mock of libcuda.so.1 with two GPUs. Device memory is host memory; exported
 * memory is an anonymous file. Copies run at once. Calls without a context
 * fail. */

typedef enum {
  CUDA_WORKS,
  CUDA_EXPORTS_FAIL,
  CUDA_COPIES_OTHER_BYTES, /* linear copies: one bit in the middle is wrong */
  CUDA_COPIES_OTHER_ROWS,  /* 2D copies: one bit of the second row is wrong */
  CUDA_COPIES_FAIL,
  CUDA_WAITS_FAIL,      /* waits for events fail; the copies still run */
  CUDA_HAS_NO_MEMORY,   /* allocations of shareable memory fail */
  CUDA_HIDES_FIRST_GPU, /* the first GPU is not listed */
} CudaFault;

/* Returns TRUE if the mock libraries behave as GStreamer 1.22 and CUDA 11.3:
 * memory has no stream, cuDeviceGetUuid_v2 and cuCtxSetFlags are missing. */
gboolean cuda_is_older (void);

/* Sets the fault of later calls. Any thread. */
void cuda_set_fault (CudaFault fault);

/* Returns the number of objects that were created and not freed: memory,
 * addresses, streams, events, pushed contexts. */
gint cuda_n_alive (void);

/* Returns the number of copies that nobody has waited for, through their stream
 * or an event recorded in the stream. */
gint cuda_n_running (void);

/* Returns the number of copies that were not ordered after the other uses of
 * their memory: OpenCL commands on shared memory, and commands in the stream of
 * the memory. */
gint cuda_n_out_of_order (void);

/* Sets the function that returns whether OpenCL has released shared memory,
 * which the inode of its file identifies. NULL: shared memory is always
 * released. */
typedef gboolean (*CudaIsFree) (guint64 file);
void cuda_set_is_free (CudaIsFree is_free);

/* Returns the number of allocations that failed because of
 * CUDA_HAS_NO_MEMORY. */
gint cuda_n_refused (void);

/* The UUID of a GPU: 16 equal bytes. */
#define CUDA_UUID_BYTE(device) (0x51 + (device))

/* A context: the number of the GPU, and how threads wait in it. */
typedef struct {
  int device;
  guint flags;
} CudaMockContext;

/* Creates a stream of another user in @context; cuda_stream_free() frees it. */
gpointer cuda_stream_new (CudaMockContext *context);
void cuda_stream_free (gpointer stream);

/* Starts @work in @stream: it completes before a copy that is begun there
 * later, or when @stream is waited for. One thread at a time. */
void cuda_stream_start (gpointer stream, void (*work) (gpointer data),
    gpointer data);

/* Makes the host wait for the commands in @stream. */
void cuda_stream_finish (gpointer stream);

/* Returns the number of waits of the host. */
gint cuda_n_waits (void);

G_END_DECLS
