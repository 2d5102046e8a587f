/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclbatchqueue.h"

G_BEGIN_DECLS

/* For gstclbatchqueue.c, and for tests of code that signals fences. */
struct _GstClFence {
  GMutex lock;
  GCond settled;
  gboolean is_settled; /* lock */
  guint n_waiting;     /* threads; lock */
  GError *error;       /* the reason of the failure; NULL: signalled */
};

G_END_DECLS
