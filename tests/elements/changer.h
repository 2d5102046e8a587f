/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* A thread that sets properties of an element while frames pass. */
typedef struct {
  GstElement *element;
  const gchar *const *settings; /* name, value, name, value, ..., NULL */
  gulong pause_us;              /* after each */
  gint done;                    /* atomic */
  GThread *thread;
} Changer;

/* Sets @settings of @element one after the other, again and again, with
 * @pause_us microseconds between (0: without a pause), until changer_stop().
 * Both must be valid until then. */
void changer_start (Changer *changer, GstElement *element,
    const gchar *const *settings, gulong pause_us);

/* Returns when the thread has ended. */
void changer_stop (Changer *changer);

G_END_DECLS
