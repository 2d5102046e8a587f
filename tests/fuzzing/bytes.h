/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The input of a fuzz target, read from its start: what decides. Pixels and
 * contents of files take the whole of it, over and over, and consume nothing.
 * Beyond the end every decision is 0. */
typedef struct {
  const guint8 *data;
  gsize n_bytes;
  gsize position; /* of the next decision */
  gsize pixel;    /* of the next byte of a filling */
} FuzzBytes;

void fuzz_bytes_init (FuzzBytes *self, const guint8 *data, gsize n_bytes);

/* TRUE where every decision that is left is 0. */
gboolean fuzz_bytes_are_used_up (const FuzzBytes *self);

/* The next byte, or the next bytes as one little-endian number. */
guint8 fuzz_bytes_u8 (FuzzBytes *self);
guint16 fuzz_bytes_u16 (FuzzBytes *self);
guint32 fuzz_bytes_u32 (FuzzBytes *self);
guint64 fuzz_bytes_u64 (FuzzBytes *self);

/* 0 .. @n - 1 by one byte; @n is 1 .. 256. */
guint fuzz_bytes_below (FuzzBytes *self, guint n);

/* 0 .. @n - 1 by two bytes; @n is 1 or more, and what is beyond 65535 is not
 * reached. */
gsize fuzz_bytes_below_many (FuzzBytes *self, gsize n);

/* TRUE for @n_of_256 of the 256 values of the next byte: the highest. */
gboolean fuzz_bytes_chance (FuzzBytes *self, guint n_of_256);

/* A text of at most @max_bytes, which may be no UTF-8: one byte for its length,
 * then the bytes, without any zero. transfer full */
gchar *fuzz_bytes_text (FuzzBytes *self, guint max_bytes);

/* Fills @n_bytes at @destination. */
void fuzz_bytes_fill (FuzzBytes *self, guint8 *destination, gsize n_bytes);

G_END_DECLS
