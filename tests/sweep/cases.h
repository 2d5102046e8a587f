/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "play.h"

G_BEGIN_DECLS

/* The calls that fail, and the streams in which they fail. */

/* Elements and environments of the streams. */
extern const Setting settings[];
extern const guint n_settings;

/* A stream and its fault. */
typedef struct {
  guint setting; /* of settings */
  gboolean is_unified;
  Phase phase;
  Fault fault;
} Case;

/* Adds the cases of a stream to @cases (of Case). @reference has the number of
 * calls of each function in each phase of this stream. The cases are: each
 * error code of each function that a phase calls; one case for each of up to
 * MAX_CALLS of its calls; and the faults that return no error code. Whether a
 * call fails once, at every second call, or from a call on differs between
 * streams. */
void cases_add (GArray *cases, guint setting, gboolean is_unified,
    const Reference *reference);

/* Reduces @cases to about @n random cases, with each kind of fault of each
 * function at least once. Cases of the same stream are consecutive. */
void cases_sample (GArray *cases, guint n, GRand *random);

/* Returns a unique name of the case, g_free(). */
gchar *cases_name (const Case *item);

G_END_DECLS
