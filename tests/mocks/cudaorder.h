/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Order of accesses to memory of the mock CUDA driver. OpenCL or other streams
 * may use the same memory: copies must be ordered after these uses
 * (cuda_n_out_of_order()). Any thread. */

/* Records that OpenCL also uses the @size bytes at @data; @file: their
 * inode. */
void cuda_order_note_shared (gpointer data, gsize size, guint64 file);

/* Records that commands in @stream also use the @size bytes at @data. */
void cuda_order_note_stream (gpointer data, gsize size, gpointer stream);

/* Removes the records of the memory at @data. */
void cuda_order_forget (gpointer data);

/* Records that a copy from @src to @dst begins in @stream, and that the host
 * has waited for @stream, which ends its copies. */
void cuda_order_begin (guint64 dst, guint64 src, gpointer stream);
void cuda_order_waited (gpointer stream);

G_END_DECLS
