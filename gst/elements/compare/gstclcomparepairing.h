/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Which frames are pairs. A frame pairs with that of the reference whose
 * running time is less than half a frame away; frames without a partner are
 * left alone: none is repeated. */

/* The next frame of an input. */
typedef struct {
  gboolean has_frame;
  gboolean has_ended;    /* and has no frame any more */
  GstClockTime time;     /* running time of the frame */
  GstClockTime duration; /* of a frame; GST_CLOCK_TIME_NONE: unknown */
} GstClPairHead;

/* How frames are paired: the property `pair`. */
typedef enum {
  GST_CL_PAIR_TIME,
  GST_CL_PAIR_ORDER, /* the first with the first, whatever their times */
} GstClPairing;

/* Chooses the frames to take next: sets takes[i] of the @n @heads. Returns TRUE
 * if the frame of @reference is taken with them: those heads are its partners,
 * the others have none for it. FALSE: the heads that are taken have no partner;
 * if none is taken, a frame is missing, or all inputs have ended. @is_late: do
 * not wait for inputs without a frame. */
gboolean gst_cl_pair_choose (GstClPairing pairing,
    const GstClPairHead *reference, const GstClPairHead *heads, guint n,
    gboolean is_late, gboolean *takes);

G_END_DECLS
