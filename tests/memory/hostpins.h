/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the bytes of all buffers over host memory (CL_MEM_USE_HOST_PTR) that
 * this program has created and not released. The program must export its
 * symbols. */
guint64 host_pins_bytes (void);

G_END_DECLS
