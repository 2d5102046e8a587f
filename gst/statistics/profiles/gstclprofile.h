/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers of each row and each column of one component. A difference is the sum
 * of absolute differences to the row above, or to the column on the left; 0 for
 * the first one. A field difference is that to the row two above, the row
 * before in the same field; 0 for the first two. Arrays are borrowed. Sums of
 * up to 65536 samples of 16 bits fit 32 bits. */
typedef struct {
  guint n_rows, n_columns;
  const guint32 *row_sum, *row_min, *row_max, *row_difference,
      *row_field_difference;
  const guint32 *column_sum, *column_min, *column_max, *column_difference;
} GstClProfile;

G_END_DECLS
