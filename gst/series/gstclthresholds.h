/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Thresholds of users, 0.0 to 1.0, as the integers that samples and sums are
 * compared with: the host and a kernel then decide alike. */

/* Codes up to this one are black: @threshold of the range above its lowest
 * code, rounded down, as FFmpeg's blackdetect has it. @depth is in bits, 8 to
 * 16; a limited range is 16 .. 235 at 8 bits. */
guint gst_cl_black_limit (gdouble threshold, guint depth,
    gboolean is_full_range);

/* Codes from this one on are white: the mirror image of black. */
guint gst_cl_white_limit (gdouble threshold, guint depth,
    gboolean is_full_range);

/* The largest sum of absolute differences over @count samples of @depth bits
 * that freezedetect of FFmpeg calls frozen: mean difference / 2^depth at most
 * @noise, computed in the same order in doubles. */
guint64 gst_cl_freeze_limit (gdouble noise, guint64 count, guint depth);

/* TRUE if a frame that differs by @sad over @count samples from the reference
 * becomes the reference itself: it moves, or there was none (@count 0). A
 * frame that is frozen leaves the reference in place, however long. */
static inline gboolean
gst_cl_freeze_replaces (guint64 sad, guint64 count, guint64 limit)
{
  return count == 0 || sad > limit;
}

G_END_DECLS
