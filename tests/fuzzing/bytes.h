/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The input of a fuzz target. Decisions are read from its start, each byte
 * once; after the end every decision is 0. Pixels and contents of files repeat
 * the whole input, and consume nothing. */
typedef struct {
  const guint8 *data;
  gsize n_bytes;
  gsize position; /* offset of the next decision */
  gsize pixel;    /* offset of the next byte for fillings */
} FuzzBytes;

void fuzz_bytes_init (FuzzBytes *self, const guint8 *data, gsize n_bytes);

/* Returns TRUE if all remaining decisions are 0. */
gboolean fuzz_bytes_are_used_up (const FuzzBytes *self);

/* Returns the next byte, or the next bytes as one little-endian number. */
guint8 fuzz_bytes_u8 (FuzzBytes *self);
guint16 fuzz_bytes_u16 (FuzzBytes *self);
guint32 fuzz_bytes_u32 (FuzzBytes *self);
guint64 fuzz_bytes_u64 (FuzzBytes *self);

/* Returns 0 .. @n - 1 from one byte; @n is 1 .. 256. */
guint fuzz_bytes_below (FuzzBytes *self, guint n);

/* Returns 0 .. @n - 1 from two bytes; @n is 1 or more; numbers above 65535 are
 * not returned. */
gsize fuzz_bytes_below_many (FuzzBytes *self, gsize n);

/* Returns TRUE for the highest @n_of_256 of the 256 values of the next byte. */
gboolean fuzz_bytes_chance (FuzzBytes *self, guint n_of_256);

/* Returns a text of at most @max_bytes, which may be invalid UTF-8: one byte
 * for its length, then the bytes, without zeros. transfer full */
gchar *fuzz_bytes_text (FuzzBytes *self, guint max_bytes);

/* Fills @n_bytes at @destination with the repeated input. */
void fuzz_bytes_fill (FuzzBytes *self, guint8 *destination, gsize n_bytes);

G_END_DECLS
