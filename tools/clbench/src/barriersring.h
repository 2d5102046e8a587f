/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

#define BARRIERS_RING_LENGTH 2048 /* elements; also in the kernels */

/* Computes @n_rounds rounds in place. A round replaces all elements at once:
 * ring[i] = ring[i] + ring[i + 1] + ring[i + 2]. */
void barriers_reference_ring (guint32 *ring, guint n_rounds);

/* Returns every element of a ring of ones after @n_rounds: a power of three. */
guint32 barriers_reference_of_ones (guint64 n_rounds);

/* How the work-groups of a ring are synchronized. */
typedef struct {
  const gchar *name;
  const gchar *barrier; /* its name in the kernel file */
  gboolean takes_several_launches;
  gboolean needs_scoped_atomics; /* atomics of OpenCL C 2.0 */
  gboolean expected_wrong;
} BarriersKind;

/* A ring of BARRIERS_RING_LENGTH elements on the device, and the kernels of its
 * rounds. One thread. */
typedef struct _BarriersRing BarriersRing;

/* Creates a ring for @n_groups work-groups of @n_items work-items: 32, 64, 256
 * or 1024. The device must have as many compute units as groups. transfer full.
 * NULL with @error: CL_INVALID_VALUE if the device has smaller work-groups;
 * CL_INVALID_DEVICE if it lacks the atomics that @kind needs. */
BarriersRing *barriers_ring_new (GstClContext *context,
    const BarriersKind *kind, guint n_items, guint n_groups, GError **error);
void barriers_ring_free (BarriersRing *ring);

/* Writes @elements, BARRIERS_RING_LENGTH of them. FALSE with @error. */
gboolean barriers_ring_fill (BarriersRing *ring, const guint32 *elements,
    GError **error);

/* Enqueues @n_rounds, with two barriers or launches each; does not wait. */
gboolean barriers_ring_run (BarriersRing *ring, guint n_rounds, GError **error);

/* Returns the number of rounds that were enqueued since the ring was filled. */
guint64 barriers_ring_n_rounds (const BarriersRing *ring);

/* Waits for the rounds, then copies the elements. *@gave_up receives whether a
 * work-item ever gave up waiting; the elements are then invalid, and the ring
 * must not be used again. */
gboolean barriers_ring_read (BarriersRing *ring, guint32 *elements,
    gboolean *gave_up, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BarriersRing, barriers_ring_free)

G_END_DECLS
