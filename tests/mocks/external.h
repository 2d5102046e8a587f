/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes the OpenCL device the first GPU of the mock CUDA driver, which can
 * import CUDA memory (cl_khr_external_memory_opaque_fd), and a device that
 * imports dma_bufs (cl_khr_external_memory_dma_buf); any file that can be
 * mapped is a dma_buf for it. It sees the contents that a dma_buf has when it
 * is acquired. The OpenCL functions of external.c precede those of the loader
 * in symbol resolution: the plugin calls them, the driver does not. */

typedef enum {
  EXTERNAL_WORKS,
  EXTERNAL_IS_MISSING, /* the device cannot import memory */
  EXTERNAL_IMPORTS_FAIL,
  EXTERNAL_HAS_TWO_DEVICES,    /* contexts have two devices; the memory is on
                                * one */
  EXTERNAL_LAUNCHES_FAIL,      /* launches fail */
  EXTERNAL_ACQUIRES_FAIL,      /* commands that acquire it fail */
  EXTERNAL_COPIES_FAIL,        /* from one buffer to another */
  EXTERNAL_HAS_OTHER_BYTES,    /* an acquired dma_buf has no bytes of its own */
  HOST_MEMORY_IS_COPIED,       /* imported memory has other bytes */
  HOST_MEMORY_IS_STALE,        /* contents of the time when a buffer was created
                                * over it: the device reports unified memory,
                                * but does not share it */
  MAPPED_FILES_ARE_COPIED,     /* mapped files have other bytes, and the device
                                * cannot import memory */
  HOST_WRITES_ARE_LOST,        /* writes have no effect */
  REGISTERED_MEMORY_IS_STALE,  /* contents of the time when a buffer was created
                                * over it */
  REGISTERED_MEMORY_IS_REFUSED /* no buffer can be created over host memory */
} ExternalFault;

/* Sets the fault of later calls. Any thread. */
void external_set_fault (ExternalFault fault);

/* The calls of the extension that can fail. */
typedef enum {
  EXTERNAL_NO_CALL,
  EXTERNAL_CREATE,  /* clCreateBufferWithProperties() */
  EXTERNAL_ACQUIRE, /* clEnqueueAcquireExternalMemObjectsKHR() */
  EXTERNAL_RELEASE, /* clEnqueueReleaseExternalMemObjectsKHR() */
  EXTERNAL_COPY,    /* clEnqueueCopyBuffer() and clEnqueueCopyBufferRect() */
  EXTERNAL_N_CALLS
} ExternalCall;

/* Lets @call return @code once, after @n_before calls. EXTERNAL_NO_CALL: no
 * call fails any more. */
void external_set_failure (ExternalCall call, gint code, guint n_before);

/* Returns whether the failure has occurred. */
gboolean external_has_failed (void);

/* Returns the number of imports that the plugin has not released. */
guint external_n_imports (void);

/* Return the number of acquired memories since the start, and of those that are
 * not released. */
gint external_n_acquired (void);
gint external_n_held (void);

/* Returns the largest number of memories that one command has acquired. */
gint external_n_acquired_together (void);

/* Makes a CPU device report itself as a GPU; must be called before its first
 * query. The second function returns whether a CPU device was queried. */
void external_report_cpu_as_gpu (void);
gboolean external_has_reported_gpu (void);

/* Returns FALSE while OpenCL holds the memory of @file, an inode: from the
 * command that acquires it until the command that releases it is complete. */
gboolean external_is_free (guint64 file);

G_END_DECLS
