/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstharness.h>

G_BEGIN_DECLS

/* The OpenCL context of elements in tests of imports. */

/* Returns the counter @name of the context of @h, such as "bytes-to-device". */
guint64 import_context_bytes (GstHarness *h, const gchar *name);

/* Returns TRUE if elements run on a CPU. */
gboolean import_context_is_on_cpu (void);

G_END_DECLS
