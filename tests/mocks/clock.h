/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The monotonic clock of the plugin. g_get_monotonic_time() of the program
 * stands before that of GLib, which goes on by its own. */

/* It is @us microseconds later now. Any thread. */
void clock_advance (gint64 us);

/* From now on only clock_advance() moves the clock. Any thread. */
void clock_hold (void);

G_END_DECLS
