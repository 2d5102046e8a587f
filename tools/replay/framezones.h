/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/series/gstclseries.h"

G_BEGIN_DECLS

/* The members of zones in a line of the type `frame`. */
typedef struct _FrameZones FrameZones;

FrameZones *frame_zones_new (void);
void frame_zones_free (FrameZones *self);

/* Forgets the members of the line before. */
void frame_zones_reset (FrameZones *self);

/* Returns whether the member @text, @length bytes, is one of zones. */
gboolean frame_zones_has_member (const gchar *text, gsize length);

/* Reads the value of that member, or skips one that events do not need. FALSE:
 * it is wrong. */
gboolean frame_zones_read (FrameZones *self, const gchar *text, gsize length,
    const gchar **at);

/* Sets the zones of @input, which has everything else of the line and borrows
 * from @self; none if the line has none. FALSE with @error if a member that
 * @needs ask for is missing, or has not a value for each zone. */
gboolean frame_zones_set (FrameZones *self, GstClSeriesInput *input,
    GstClStatistics needs, GError **error);

G_END_DECLS
