/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Curves from codes to the light of a display, in doubles. */

typedef enum {
  GST_CL_TRANSFER_SRGB,   /* IEC 61966-2-1, as WCAG has it */
  GST_CL_TRANSFER_BT1886, /* a power of 2.4, black at 0 */
  GST_CL_TRANSFER_PQ,     /* SMPTE ST 2084: absolute, whatever the peak */
  GST_CL_TRANSFER_HLG,    /* BT.2100, with the system gamma of the peak */
  GST_CL_TRANSFER_LINEAR,
} GstClTransfer;

/* From codes to light. */
typedef struct {
  GstClTransfer transfer;
  gboolean is_full_range; /* codes 0 .. 2^depth - 1 are black to white; else
                             16 .. 235 times 2^(depth - 8) */
  guint depth;            /* bits of a code, 8 to 16 */
  gdouble peak;           /* of the display: white, cd/m2; without effect on
                             PQ */
} GstClLightCurve;

/* Returns the light of @signal, 0 (black) to 1 (white), in cd/m2; values beyond
 * are clipped. For HLG it is that of a grey pixel. */
gdouble gst_cl_light_of_signal (const GstClLightCurve *curve, gdouble signal);

/* Returns the light of R, G or B with @code, which may be between two codes, in
 * cd/m2. */
gdouble gst_cl_light_of_code (const GstClLightCurve *curve, gdouble code);

G_END_DECLS
