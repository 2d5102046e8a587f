/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Memory of the CUDA driver that stands in, which others use, too: copies to it
 * and from it have to come after that (cuda_n_out_of_order()). Any thread. */

/* The @size bytes at @data are also OpenCL's, by @file, an inode. */
void cuda_order_note_shared (gpointer data, gsize size, guint64 file);

/* Others use the @size bytes at @data by commands in @stream. */
void cuda_order_note_stream (gpointer data, gsize size, gpointer stream);

/* Nobody else uses what begins at @data any more. */
void cuda_order_forget (gpointer data);

/* A copy from @src to @dst begins in @stream. It has not been waited for before
 * @stream has. */
void cuda_order_begin (guint64 dst, guint64 src, gpointer stream);
void cuda_order_waited (gpointer stream);

G_END_DECLS
