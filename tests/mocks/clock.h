/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The monotonic clock of the plugin. g_get_monotonic_time() of the program
 * precedes that of GLib in symbol resolution; GLib itself uses its own. */

/* Advances the clock by @us microseconds. Any thread. */
void clock_advance (gint64 us);

/* Stops the clock: only clock_advance() advances it. Any thread. */
void clock_hold (void);

G_END_DECLS
