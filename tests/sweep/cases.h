/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "play.h"

G_BEGIN_DECLS

/* Which calls fail, in which streams. */

extern const Setting settings[];
extern const guint n_settings;

/* A stream and its fault. */
typedef struct {
  guint setting; /* of settings */
  gboolean is_unified;
  Phase phase;
  Fault fault;
} Case;

/* Adds to @cases (of Case) those of a stream that @reference has counted: of
 * every function that a phase calls each code, one call after the other, and
 * the ways that are no codes. Whether a code comes once, each second time or
 * from then on changes from stream to stream. */
void cases_add (GArray *cases, guint setting, gboolean is_unified,
    const Reference *reference);

/* Leaves about @n of @cases, chosen by @random: each way of each function at
 * least once. Streams alike follow each other. */
void cases_sample (GArray *cases, guint n, GRand *random);

/* In words that cases_name() of no other case has, g_free(). */
gchar *cases_name (const Case *item);

G_END_DECLS
