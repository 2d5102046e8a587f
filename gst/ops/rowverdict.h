/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* What self-tests (selftest.h) have found out in this process about rows of the
 * ops' tables on devices. Rows and answers are told apart by their addresses.
 * Any thread. */

/* Whether @row gives wrong results on @device. */
gboolean gst_cl_row_has_failed (const GstClDevice *device, gconstpointer row);
void gst_cl_row_set_failed (const GstClDevice *device, gconstpointer row);

/* Whether @row has given @answer on @device. */
gboolean gst_cl_row_has_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer);
void gst_cl_row_set_passed (const GstClDevice *device, gconstpointer row,
    gconstpointer answer);

G_END_DECLS
