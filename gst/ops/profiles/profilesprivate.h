/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiles.h"

G_BEGIN_DECLS

/* GstClOpTable.answers and so on: profilesanswers.c. */
#define GST_CL_PROFILES_N_ANSWERS 2
extern const GstClAnswer gst_cl_profiles_answers[GST_CL_PROFILES_N_ANSWERS];
gboolean gst_cl_profiles_is_alike (gconstpointer answered,
    gconstpointer problem);
gboolean gst_cl_profiles_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error);

/* Adds all numbers of @profile to @digest. */
guint64 gst_cl_profiles_digest (guint64 digest, const GstClProfile *profile);

G_END_DECLS
