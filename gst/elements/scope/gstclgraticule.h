/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclscopeplan.h"

G_BEGIN_DECLS

/* Draws the lines and labels of the panels of @plan on the host: 0xAARRGGBB for
 * each pixel of the scope, not premultiplied; A is 0 where there is nothing.
 * @has_legend: of kind=false-colour. Transfer full. */
guint32 *gst_cl_graticule_draw (const GstClScopePlan *plan,
    gboolean has_legend);

G_END_DECLS
