/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "statistics/blockiness/blocks.h"

G_BEGIN_DECLS

/* Computes the sums of @component, sample by sample. @bytes: host copy of its
 * memory; its cl_mem is not used. @columns and @rows have width and height
 * numbers. */
void ref_blocks (const guint8 *bytes, const GstClComponent *component,
    guint64 *columns, guint64 *rows);

G_END_DECLS
