/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes the OpenCL device the first GPU of the mock CUDA driver, with import of
 * its memory (cl_khr_external_memory_opaque_fd). These functions precede the
 * loader's in symbol resolution: the plugin calls them, the driver does not. */

typedef enum {
  EXTERNAL_WORKS,
  EXTERNAL_IS_MISSING, /* without import, as other devices */
  EXTERNAL_IMPORTS_NOTHING,
  EXTERNAL_IS_OF_TWO,          /* contexts have two devices; the memory is on
                                * one */
  EXTERNAL_IS_NOT_READ,        /* launches fail */
  EXTERNAL_IS_NOT_ACQUIRED,    /* commands that acquire it fail */
  EXTERNAL_COPIES_NOTHING,     /* rows from one buffer to another */
  HOST_MEMORY_IS_COPIED,       /* imported memory has other bytes */
  HOST_MEMORY_ARRIVES_NOT,     /* writes have no effect */
  REGISTERED_MEMORY_IS_KEPT,   /* contents of the time when a buffer was created
                                * over it */
  REGISTERED_MEMORY_IS_REFUSED /* no buffer can be created over host memory */
} ExternalFault;

/* Sets the fault from now on. Any thread. */
void external_set_fault (ExternalFault fault);

/* Number of acquisitions, and of those not yet released. */
gint external_n_acquired (void);
gint external_n_held (void);

/* The largest number of memories that one command has acquired. */
gint external_n_acquired_together (void);

/* From now on, a CPU device reports itself as a GPU: must be called before its
 * first query. The second function returns whether one was queried. */
void external_pass_for_gpu (void);
gboolean external_has_passed_for_gpu (void);

/* Returns TRUE unless commands of OpenCL have acquired the memory of @file, an
 * inode, and not released it, or the release is not complete. */
gboolean external_is_free (guint64 file);

G_END_DECLS
