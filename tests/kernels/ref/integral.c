/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Integral images one sum after the other. */

#include "integral.h"

#include <string.h>

static gint
border_of (const GstClIntegralSpec *spec)
{
  return spec->layout == GST_CL_LAYOUT_EXCLUSIVE ? 1 : 0;
}

gsize
ref_integral_size_bytes (const GstClIntegralSpec *spec)
{
  const gint border = border_of (spec);

  return (gsize) (spec->width + border) * (spec->height + border) *
         spec->channels * spec->sum_bytes;
}

/* Stores @exact as @spec asks; conversions of C round to nearest, ties to even,
 * those to a narrower integer wrap. */
static void
store (const GstClIntegralSpec *spec, guint64 exact, guint8 *at)
{
  const guint32 narrow = (guint32) exact;
  const gfloat single = (gfloat) exact;
  const gdouble twice = (gdouble) exact;

  if (spec->is_float && spec->sum_bytes == 4)
    memcpy (at, &single, sizeof single);
  else if (spec->is_float)
    memcpy (at, &twice, sizeof twice);
  else if (spec->sum_bytes == 8)
    memcpy (at, &exact, sizeof exact);
  else
    memcpy (at, &narrow, sizeof narrow);
}

/* Sample (x, y), 0 outside the frame. */
static guint64
get_sample (const guint8 *bytes, const GstClComponent *component, gint x,
    gint y)
{
  if (x < 0 || y < 0 || x >= component->width || y >= component->height)
    return 0;

  return bytes[component->offset_bytes + (gsize) y * component->stride_bytes +
               (gsize) x * component->pixel_stride_bytes];
}

void
ref_integral (const GstClIntegralSpec *spec, gint channel, const guint8 *bytes,
    const GstClComponent *component, guint8 *sums)
{
  const gint border = border_of (spec);
  const gsize length = (gsize) spec->width + border;
  g_autofree guint64 *above = g_new0 (guint64, length);

  for (gint y = 0; y < spec->height + border; y++) {
    guint64 row = 0;

    for (gsize x = 0; x < length; x++) {
      row += y < border
                 ? 0
                 : get_sample (bytes, component, (gint) x - border, y - border);
      above[x] += row;
      store (spec, above[x],
          sums + (((gsize) y * length + x) * spec->channels + channel) *
                     spec->sum_bytes);
    }
  }
}
