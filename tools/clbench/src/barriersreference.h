/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The elements of the ring of the device-wide barriers, modulo 2^32. */

#define BARRIERS_RING_LENGTH 2048 /* elements; also in the kernels */

/* Computes @n_rounds rounds in place. A round replaces all elements at once:
 * ring[i] = ring[i] + ring[i + 1] + ring[i + 2]. */
void barriers_reference_ring (guint32 *ring, guint n_rounds);

/* Returns every element of a ring of ones after @n_rounds: a power of three. */
guint32 barriers_reference_of_ones (guint64 n_rounds);

G_END_DECLS
