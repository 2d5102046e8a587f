/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "play.h"

G_BEGIN_DECLS

/* The calls that fail, and the streams in which they fail. */

extern const Setting settings[];
extern const guint n_settings;

/* A stream and its fault. */
typedef struct {
  guint setting; /* of settings */
  gboolean is_unified;
  Phase phase;
  Fault fault;
} Case;

/* Adds to @cases (of Case) those of a stream that @reference has counted: each
 * code of every function that a phase calls, one call after the other, and the
 * failures without a code. Whether a code occurs once, every second time or
 * from a call on changes from stream to stream. */
void cases_add (GArray *cases, guint setting, gboolean is_unified,
    const Reference *reference);

/* Reduces @cases to about @n, chosen by @random: each failure of each function
 * at least once. Cases with the same stream are consecutive. */
void cases_sample (GArray *cases, guint n, GRand *random);

/* Returns a unique description, g_free(). */
gchar *cases_name (const Case *item);

G_END_DECLS
