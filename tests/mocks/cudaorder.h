/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Order of accesses to memory of the mock CUDA driver, which OpenCL or other
 * streams use, too: copies must be ordered after these accesses
 * (cuda_n_out_of_order()). Any thread. */

/* OpenCL also uses the @size bytes at @data; @file: their inode. */
void cuda_order_note_shared (gpointer data, gsize size, guint64 file);

/* Commands in @stream also use the @size bytes at @data. */
void cuda_order_note_stream (gpointer data, gsize size, gpointer stream);

/* The memory at @data has no other user any more. */
void cuda_order_forget (gpointer data);

/* A copy from @src to @dst begins in @stream; it is running until @stream has
 * been waited for. */
void cuda_order_begin (guint64 dst, guint64 src, gpointer stream);
void cuda_order_waited (gpointer stream);

G_END_DECLS
