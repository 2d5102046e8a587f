/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "barriersreference.h"
#include "cl/context/gstclcontext.h"

G_BEGIN_DECLS

/* A way to keep the work-groups of a ring in step. */
typedef struct {
  const gchar *name;
  const gchar *barrier; /* what the kernel file calls it */
  gboolean takes_several_launches;
  gboolean needs_scoped_atomics; /* those of OpenCL C 2.0 */
  gboolean expected_wrong;
} BarriersKind;

/* A ring of BARRIERS_RING_LENGTH elements on the device, and the kernels that
 * make its rounds. One thread. */
typedef struct _BarriersRing BarriersRing;

/* A ring for @n_groups work-groups of @n_items work-items: 32, 64, 256 or 1024.
 * NULL with @error: CL_INVALID_VALUE where the device has fewer compute units
 * than groups, or smaller ones, CL_INVALID_DEVICE where it lacks the atomics
 * that @kind needs. transfer full */
BarriersRing *barriers_ring_new (GstClContext *context,
    const BarriersKind *kind, guint n_items, guint n_groups, GError **error);
void barriers_ring_free (BarriersRing *ring);

/* Writes the @elements. */
gboolean barriers_ring_fill (BarriersRing *ring, const guint32 *elements,
    GError **error);

/* Enqueues @n_rounds, with two barriers or launches each; does not wait. */
gboolean barriers_ring_run (BarriersRing *ring, guint n_rounds, GError **error);

/* Rounds that were enqueued since the ring was filled. */
guint64 barriers_ring_n_rounds (const BarriersRing *ring);

/* Waits for the rounds, then copies the elements. *@gave_up receives whether a
 * work-item ever waited in vain; then they are of no use, and the ring is done
 * for. */
gboolean barriers_ring_read (BarriersRing *ring, guint32 *elements,
    gboolean *gave_up, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (BarriersRing, barriers_ring_free)

G_END_DECLS
