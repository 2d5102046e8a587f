/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* An unsigned integer of 128 bits. Sums of a stream pass 2^64: that of the
 * squares of white 16-bit samples does so with the 130th frame of 8K. The
 * compiler has no such type on 32-bit machines. Arithmetic is modulo 2^128. */
typedef struct {
  guint64 high, low;
} GstClUint128;

static inline GstClUint128
gst_cl_uint128_add (GstClUint128 a, GstClUint128 b)
{
  const guint64 low = a.low + b.low;

  return (GstClUint128){ a.high + b.high + (low < a.low), low };
}

static inline GstClUint128
gst_cl_uint128_subtract (GstClUint128 a, GstClUint128 b)
{
  return (GstClUint128){ a.high - b.high - (a.low < b.low), a.low - b.low };
}

static inline GstClUint128
gst_cl_uint128_multiply (GstClUint128 a, guint32 factor)
{
  const guint64 first = (a.low & G_MAXUINT32) * factor;
  const guint64 second = (a.low >> 32) * factor + (first >> 32);

  return (GstClUint128){ a.high * factor + (second >> 32),
    second << 32 | (first & G_MAXUINT32) };
}

static inline gboolean
gst_cl_uint128_is_less (GstClUint128 a, GstClUint128 b)
{
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static inline gdouble
gst_cl_uint128_to_double (GstClUint128 a)
{
  return (gdouble) a.high * 18446744073709551616.0 + (gdouble) a.low;
}

G_END_DECLS
