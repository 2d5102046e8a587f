/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Set @error and return FALSE. */
gboolean frame_refuse (GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);
gboolean frame_refuse_wrong (GError **error, const gchar *field);
gboolean frame_refuse_missing (GError **error, const gchar *field);

G_END_DECLS
