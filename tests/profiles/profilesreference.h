/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/profiles/profiles.h"

G_BEGIN_DECLS

/* Computes the profile of @component, sample by sample. @bytes: host copy of
 * its memory; its cl_mem is not used. Free the arrays with
 * ref_profile_clear(). */
GstClProfile ref_profile (const guint8 *bytes, const GstClComponent *component);
void ref_profile_clear (GstClProfile *profile);

G_END_DECLS
