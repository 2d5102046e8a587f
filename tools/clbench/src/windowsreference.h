/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Means of windows and integral images in plain C, as a reference. */

/* Returns the means, rounded half up, of all whole windows of @size x @size of
 * the tightly packed @samples: (width - size + 1) * (height - size + 1) of
 * them. transfer full */
guint8 *windows_reference_means (const guint8 *samples, gint width, gint height,
    gint size);

/* Returns the integral image with its row and column of zeros, modulo 2^32.
 * transfer full */
guint32 *windows_reference_sums (const guint8 *samples, gint width,
    gint height);

G_END_DECLS
