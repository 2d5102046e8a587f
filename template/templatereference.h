/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the op makes of the code @sample: the definition, in plain C. */
guint template_reference (guint sample, gint amount, guint largest_code);

G_END_DECLS
