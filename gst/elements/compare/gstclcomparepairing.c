/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which frames are pairs. */

#include "gstclcomparepairing.h"

/* Returns less than 0, 0 or more than 0 if the frame of @head is before the one
 * of @reference, its partner, or after it. */
static gint
compare_times (const GstClPairHead *reference, const GstClPairHead *head)
{
  const GstClockTime duration = MIN (reference->duration, head->duration);
  const GstClockTimeDiff distance = GST_CLOCK_DIFF (reference->time,
      head->time);

  if (distance == 0 || (GST_CLOCK_TIME_IS_VALID (duration) &&
                           2 * ABS (distance) < (GstClockTimeDiff) duration))
    return 0;

  return distance < 0 ? -1 : 1;
}

static gboolean
is_missing (const GstClPairHead *head)
{
  return !head->has_frame && !head->has_ended;
}

gboolean
gst_cl_pair_choose (GstClPairing pairing, const GstClPairHead *reference,
    const GstClPairHead *heads, guint n, gboolean is_late, gboolean *takes)
{
  gboolean is_waiting = is_missing (reference), has_early = FALSE;

  for (guint i = 0; i < n; i++) {
    takes[i] = FALSE;
    is_waiting = is_waiting || is_missing (&heads[i]);
  }
  if (is_waiting && !is_late)
    return FALSE;

  for (guint i = 0; i < n; i++) {
    takes[i] = heads[i].has_frame &&
               (!reference->has_frame ||
                   (pairing == GST_CL_PAIR_TIME &&
                       compare_times (reference, &heads[i]) < 0));
    has_early = has_early || takes[i];
  }
  if (has_early || !reference->has_frame)
    return FALSE;

  for (guint i = 0; i < n; i++)
    takes[i] = heads[i].has_frame &&
               (pairing == GST_CL_PAIR_ORDER ||
                   compare_times (reference, &heads[i]) == 0);

  return TRUE;
}
