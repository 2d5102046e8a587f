/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/series/gstclevents.h"

G_BEGIN_DECLS

/* What the command line says. */
typedef struct {
  GstClEventType types, zone_types;
  GstClEventSettings events;
  gboolean checks_noise; /* freeze_noise was set, and freeze is detected */
  gboolean is_complete;  /* the stream did not break off */
  gboolean shows_version;
} Settings;

/* Reads the options off the command line, --help included, which ends the
 * process. FALSE with @error where one of them is unknown or has no such value.
 */
gboolean settings_parse (Settings *self, gint *argc, gchar ***argv,
    GError **error);

G_END_DECLS
