/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Lets the OpenCL device be the first GPU of the CUDA driver that stands in,
 * and import its memory (cl_khr_external_memory_opaque_fd). These functions
 * stand before the loader's: the plugin calls them, the driver does not. */

typedef enum {
  EXTERNAL_WORKS,
  EXTERNAL_IS_MISSING, /* as with any other device */
  EXTERNAL_IMPORTS_NOTHING,
  EXTERNAL_IS_OF_TWO,          /* contexts have two devices, memory is on one */
  EXTERNAL_IS_NOT_READ,        /* no kernel is launched */
  EXTERNAL_IS_NOT_ACQUIRED,    /* commands refuse to take it over */
  EXTERNAL_COPIES_NOTHING,     /* rows from one buffer to another */
  HOST_MEMORY_IS_COPIED,       /* what is wrapped holds other bytes */
  HOST_MEMORY_ARRIVES_NOT,     /* what is written does not arrive */
  REGISTERED_MEMORY_IS_KEPT,   /* as it was when a buffer was made of it */
  REGISTERED_MEMORY_IS_REFUSED /* no buffer is made of memory of the host */
} ExternalFault;

/* From now on. Any thread. */
void external_set_fault (ExternalFault fault);

/* How often memory was acquired, and how often that was not released yet. */
gint external_n_acquired (void);
gint external_n_held (void);

/* How many memories one command has acquired, at most. */
gint external_n_acquired_together (void);

/* A device that is a CPU passes for a GPU from now on: to be called before it
 * is looked at. Then, whether one has been looked at. */
void external_pass_for_gpu (void);
gboolean external_has_passed_for_gpu (void);

/* TRUE unless commands of OpenCL have acquired the memory behind @file, an
 * inode, and not released it, or their release is not done. */
gboolean external_is_free (guint64 file);

G_END_DECLS
