/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/scopes/scopes.h"

G_BEGIN_DECLS

/* Counts a picture of @problem, sample by sample, into @words, which are
 * arranged as in a result; returns their number. @words: at least as many as
 * the shapes of @problem need. @bytes: host copies of the memory of the
 * components; their cl_mem is not used. */
gsize ref_scopes (const GstClScopesProblem *problem, const guint8 *const *bytes,
    const GstClPictureInput *input, guint32 *words);

G_END_DECLS
