/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of a fuzz target. */

#include "bytes.h"

#include <string.h>

void
fuzz_bytes_init (FuzzBytes *self, const guint8 *data, gsize n_bytes)
{
  *self = (FuzzBytes){ .data = data, .n_bytes = n_bytes };
}

gboolean
fuzz_bytes_are_used_up (const FuzzBytes *self)
{
  return self->position >= self->n_bytes;
}

guint8
fuzz_bytes_u8 (FuzzBytes *self)
{
  return fuzz_bytes_are_used_up (self) ? 0 : self->data[self->position++];
}

guint16
fuzz_bytes_u16 (FuzzBytes *self)
{
  const guint16 low = fuzz_bytes_u8 (self);

  return low | (guint16) (fuzz_bytes_u8 (self) << 8);
}

guint32
fuzz_bytes_u32 (FuzzBytes *self)
{
  const guint32 low = fuzz_bytes_u16 (self);

  return low | (guint32) fuzz_bytes_u16 (self) << 16;
}

guint64
fuzz_bytes_u64 (FuzzBytes *self)
{
  const guint64 low = fuzz_bytes_u32 (self);

  return low | (guint64) fuzz_bytes_u32 (self) << 32;
}

guint
fuzz_bytes_below (FuzzBytes *self, guint n)
{
  return fuzz_bytes_u8 (self) % n;
}

gsize
fuzz_bytes_below_many (FuzzBytes *self, gsize n)
{
  return fuzz_bytes_u16 (self) % n;
}

gboolean
fuzz_bytes_chance (FuzzBytes *self, guint n_of_256)
{
  return fuzz_bytes_u8 (self) >= 256 - n_of_256;
}

gchar *
fuzz_bytes_text (FuzzBytes *self, guint max_bytes)
{
  const guint n_bytes = fuzz_bytes_below (self, max_bytes + 1);
  gchar *text = g_malloc0 (n_bytes + 1);

  for (guint i = 0; i < n_bytes; i++)
    text[i] = (gchar) (1 + fuzz_bytes_below (self, 255));

  return text;
}

void
fuzz_bytes_fill (FuzzBytes *self, guint8 *destination, gsize n_bytes)
{
  if (self->n_bytes == 0) {
    memset (destination, 0, n_bytes);
    return;
  }

  while (n_bytes > 0) {
    const gsize n = MIN (n_bytes, self->n_bytes - self->pixel);

    memcpy (destination, self->data + self->pixel, n);
    destination += n;
    n_bytes -= n;
    self->pixel = (self->pixel + n) % self->n_bytes;
  }
}
