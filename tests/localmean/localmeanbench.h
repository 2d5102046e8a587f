/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "localmeancase.h"

G_BEGIN_DECLS

/* The mean of 8-bit samples in a window of @size x @size around each. */
MeanCase mean_case_square (const GstClImplementation *row, gint width,
    gint height, gint size);

/* Times @c; the result is named after the current case and @suffix. */
void mean_case_bench (Harness *h, const MeanCase *c, const gchar *suffix);

G_END_DECLS
