/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that sets properties of an element while frames pass. */

#include "changer.h"

static gpointer
change_until_done (gpointer user_data)
{
  Changer *changer = user_data;

  for (guint i = 0; !g_atomic_int_get (&changer->done); i += 2) {
    if (!changer->settings[i])
      i = 0;
    gst_util_set_object_arg (G_OBJECT (changer->element), changer->settings[i],
        changer->settings[i + 1]);
    if (changer->pause_us > 0)
      g_usleep (changer->pause_us);
  }

  return NULL;
}

void
changer_start (Changer *changer, GstElement *element,
    const gchar *const *settings, gulong pause_us)
{
  *changer = (Changer){ element, settings, pause_us, FALSE, NULL };
  changer->thread = g_thread_new ("changes", change_until_done, changer);
}

void
changer_stop (Changer *changer)
{
  g_atomic_int_set (&changer->done, TRUE);
  g_thread_join (changer->thread);
}
