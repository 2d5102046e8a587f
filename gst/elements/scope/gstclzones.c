/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Zones of exposure. Their colours are of Okabe and Ito's palette, which the
 * colour-blind can tell apart, and of Tol's. */

#include "gstclzones.h"

#include <math.h>

/* Zones of ARRI's ALEXA Mini LF, after its user manual: clipped and nearly
 * clipped codes, 18 % grey, and light skin. */
static const GstClZone of_percent[] = {
  { -INFINITY, 2.5, 0x332288, "<2.5" },
  { 2.5, 4, 0x0072b2, "2.5-4" },
  { 38, 42, 0x009e73, "38-42" },
  { 52, 56, 0xcc79a7, "52-56" },
  { 97, 99, 0xf0e442, "97-99" },
  { 99, INFINITY, 0xd55e00, ">99" },
};

/* Levels of ITU-R BT.2408: 18 % grey is 26 cd/m2, reference white 203. */
static const GstClZone of_light[] = {
  { -INFINITY, 0.05, 0x332288, "<0.05" },
  { 0.05, 1, 0x0072b2, "0.05-1" },
  { 22, 31, 0x009e73, "22-31" },
  { 180, 230, 0xcc79a7, "180-230" },
  { 230, 1000, 0xf0e442, "230-1000" },
  { 1000, 4000, 0xe69f00, "1000-4000" },
  { 4000, INFINITY, 0xd55e00, ">4000" },
};

const GstClZone *
gst_cl_zones (gboolean is_light, guint *n)
{
  *n = is_light ? G_N_ELEMENTS (of_light) : G_N_ELEMENTS (of_percent);

  return is_light ? of_light : of_percent;
}

static const GstClZone *
find_zone (gdouble value, gboolean is_light)
{
  guint n;
  const GstClZone *zones = gst_cl_zones (is_light, &n);

  for (guint i = 0; i < n; i++) {
    if (value >= zones[i].low && value < zones[i].high)
      return &zones[i];
  }

  return NULL;
}

guint32 *
gst_cl_zones_make_colours (const GstClLightCurve *curve, gboolean is_light)
{
  const guint n_codes = 1u << curve->depth;
  const gdouble black = curve->is_full_range ? 0 : 16. * (n_codes / 256);
  const gdouble white = curve->is_full_range ? n_codes - 1.
                                             : 235. * (n_codes / 256);
  guint32 *colours = g_new (guint32, n_codes);

  for (guint code = 0; code < n_codes; code++) {
    const gdouble signal = (code - black) / (white - black);
    const guint grey = (guint) lrint (255 * CLAMP (signal, 0, 1));
    const GstClZone *zone = find_zone (
        is_light ? gst_cl_light_of_code (curve, code) : 100 * signal, is_light);

    colours[code] = zone ? zone->colour : grey << 16 | grey << 8 | grey;
  }

  return colours;
}
