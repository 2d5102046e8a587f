/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "common/gstcltransfer.h"

G_BEGIN_DECLS

/* Zones of exposure and their colours: kind=false-colour. */

typedef struct {
  gdouble low, high; /* percent of the range from black to white, or cd/m2; the
                        second is outside */
  guint32 colour;    /* 0xRRGGBB */
  const gchar *label;
} GstClZone;

/* Returns the zones from the darkest on, and sets *n to their number.
 * @is_light: in cd/m2, else in percent. */
const GstClZone *gst_cl_zones (gboolean is_light, guint *n);

/* Returns 2^depth colours of luma codes on @curve: that of their zone, or grey
 * if they are in none. Transfer full. */
guint32 *gst_cl_zones_make_colours (const GstClLightCurve *curve,
    gboolean is_light);

G_END_DECLS
