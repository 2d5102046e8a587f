/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bench.h"
#include "common/gstclmoments.h"

G_BEGIN_DECLS

/* The two-buffer ping-pong reduction: round 1 reads the frame and writes buffer
 * A, round 2 reads A and writes B, round 3 reads B and writes A, ... until one
 * partial is left. A partial is the sum of floats, or the GstClMoments of
 * samples of 8 bits. */

#define REDUCTION_MAX_ROUNDS 8

/* Rows of samples, tightly packed. */
typedef struct {
  gboolean is_float; /* float, else guint8 */
  gint width, height;
  gconstpointer samples; /* on the host */
} ReductionFrame;

/* Size of the grid of samples or partials before or after a round. */
typedef struct {
  gint width, height;
} ReductionGrid;

gsize reduction_sample_bytes (const ReductionFrame *frame);
gsize reduction_partial_bytes (const ReductionFrame *frame);
gsize reduction_n_partials (ReductionGrid grid);

/* Returns the grid after a round with blocks of @block x @block on @grid. */
ReductionGrid reduction_after_round (ReductionGrid grid, gint block);

/* --- on a device: reductionsrounds.c -------------------------------------- */

typedef struct _ReductionRounds ReductionRounds;

/* Builds the inner and outer kernels for blocks of @block x @block and
 * allocates A and B. @mem: the frame's samples in the memory of @context.
 * Without @has_inner the inner kernels are not built, and must not be run. NULL
 * with @error. */
ReductionRounds *reduction_rounds_new (GstClContext *context,
    const ReductionFrame *frame, cl_mem mem, gint block, gboolean has_inner,
    GError **error);
void reduction_rounds_free (ReductionRounds *rounds);

guint reduction_rounds_count (const ReductionRounds *rounds);
/* Returns the grid after round @round, counted from 1; 0: the frame. */
ReductionGrid reduction_rounds_grid (const ReductionRounds *rounds,
    guint round);

/* Enqueues one round; does not wait. */
gboolean reduction_rounds_run (ReductionRounds *rounds, guint round,
    gboolean is_outer, GError **error);

/* Waits, and reads all partials of round @round. No later round may have
 * written to the same buffer. */
gboolean reduction_rounds_read (ReductionRounds *rounds, guint round,
    gpointer partials, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReductionRounds, reduction_rounds_free)

/* --- on the host: reductionsreference.c ----------------------------------- */

/* Returns the partials after round 1 of the frame (@partials NULL), or after a
 * later round of @partials, a grid of @before. Floats are added in the order of
 * the kernel. transfer full */
gpointer reduction_reference (const ReductionFrame *frame,
    gconstpointer partials, ReductionGrid before, gint block,
    gboolean is_outer);

/* Returns whether two arrays of partials are equal, bit by bit. */
gboolean reduction_partials_equal (const ReductionFrame *frame, gconstpointer a,
    gconstpointer b, gsize n_partials);

G_END_DECLS
