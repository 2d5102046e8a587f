/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/compare/ssim.h"

G_BEGIN_DECLS

/* Returns the sum of the values of all windows of @a and @b, window by window.
 * @a_bytes, @b_bytes: host copies of their memories; their cl_mem is not used.
 */
gint64 ref_ssim (const guint8 *a_bytes, const GstClComponent *a,
    const guint8 *b_bytes, const GstClComponent *b);

G_END_DECLS
