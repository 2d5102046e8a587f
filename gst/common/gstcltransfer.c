/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfer functions. */

#include "gstcltransfer.h"

#include <math.h>

static gdouble
srgb (gdouble signal)
{
  return signal <= 0.04045 ? signal / 12.92
                           : pow ((signal + 0.055) / 1.055, 2.4);
}

/* SMPTE ST 2084, equation 4.1 and its constants. */
static gdouble
pq (gdouble signal)
{
  const gdouble m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128;
  const gdouble c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32;
  const gdouble c3 = 2392.0 / 4096 * 32;
  const gdouble root = pow (signal, 1 / m2);

  return 10000.0 * pow (MAX (root - c1, 0.0) / (c2 - c3 * root), 1 / m1);
}

/* Returns the system gamma of BT.2100, table 5, note 5f: outside of 400 ..
 * 2000 cd/m2 that of the extended model, which is above 0 for each peak. */
static gdouble
find_system_gamma (gdouble peak)
{
  if (peak < 400 || peak > 2000)
    return 1.2 * pow (1.111, log2 (peak / 1000));

  return 1.2 + 0.42 * log10 (peak / 1000);
}

/* BT.2100, table 5: the inverse OETF, then the OOTF of a grey pixel. */
static gdouble
hlg (gdouble signal, gdouble peak)
{
  const gdouble a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log (4 * a);
  const gdouble scene = signal <= 0.5 ? signal * signal / 3
                                      : (exp ((signal - c) / a) + b) / 12;

  return peak * pow (scene, find_system_gamma (peak));
}

gdouble
gst_cl_light_of_signal (const GstClLightCurve *curve, gdouble signal)
{
  const gdouble clipped = CLAMP (signal, 0.0, 1.0);

  switch (curve->transfer) {
    case GST_CL_TRANSFER_SRGB:
      return curve->peak * srgb (clipped);
    case GST_CL_TRANSFER_BT1886:
      return curve->peak * pow (clipped, 2.4);
    case GST_CL_TRANSFER_PQ:
      return pq (clipped);
    case GST_CL_TRANSFER_HLG:
      return hlg (clipped, curve->peak);
    default:
      return curve->peak * clipped;
  }
}

gdouble
gst_cl_light_of_code (const GstClLightCurve *curve, gdouble code)
{
  const gdouble step = 1u << (curve->depth - 8);
  const gdouble signal = curve->is_full_range
                             ? code / ((1u << curve->depth) - 1)
                             : (code - 16 * step) / (219 * step);

  return gst_cl_light_of_signal (curve, signal);
}
