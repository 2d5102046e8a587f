/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns a memory of @n_bytes that cannot be mapped. transfer full */
GstMemory *fuzz_broken_memory_new (gsize n_bytes);

G_END_DECLS
