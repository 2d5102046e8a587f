/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "scopes.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: scopesanswers.c. */
#define GST_CL_SCOPES_N_ANSWERS 3
extern const GstClAnswer gst_cl_scopes_answers[GST_CL_SCOPES_N_ANSWERS];
gboolean gst_cl_scopes_is_alike (gconstpointer answered, gconstpointer problem);
gboolean gst_cl_scopes_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

G_END_DECLS
