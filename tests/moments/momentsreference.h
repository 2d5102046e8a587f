/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/moments/moments.h"

G_BEGIN_DECLS

/* Computes the statistics of @component, sample by sample. @bytes: host copy of
 * its memory; its cl_mem is not used. */
GstClMoments ref_frame_stats (const guint8 *bytes,
    const GstClComponent *component);

G_END_DECLS
