/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "barriersring.h"
#include "bench.h"
#include "timing.h"

G_BEGIN_DECLS

/* Result of a ring. */
typedef struct {
  guint n_elements, n_wrong; /* elements that were compared */
  guint64 n_rounds;          /* rounds that were timed */
  Spread round;              /* us, with its two barriers or launches */
} BarriersOutcome;

/* Runs rings of @kind for about @allowed_us, at least a few rounds. *@refusal
 * receives the reason why *@outcome is not set (transfer full): the device does
 * not support the ring, or every ring gave up; otherwise NULL. FALSE with
 * @error if the device failed. */
gboolean barriers_measure (Bench *bench, const BarriersKind *kind,
    guint n_items, guint n_groups, gint64 allowed_us, BarriersOutcome *outcome,
    gchar **refusal, GError **error);

G_END_DECLS
