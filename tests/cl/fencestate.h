/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclbatchqueueprivate.h"

G_BEGIN_DECLS

/* Returns whether @fence is signalled or has failed. */
static inline gboolean
fence_is_settled (GstClFence *fence)
{
  gboolean is_settled;

  g_mutex_lock (&fence->lock);
  is_settled = fence->is_settled;
  g_mutex_unlock (&fence->lock);

  return is_settled;
}

G_END_DECLS
