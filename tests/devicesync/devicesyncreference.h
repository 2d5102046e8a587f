/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One round after the other, every element of it at once. */
void ref_device_sync_ring (guint32 *ring, guint length, guint n_rounds);

G_END_DECLS
