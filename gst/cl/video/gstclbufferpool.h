/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gst/opencl/opencl.h"

G_BEGIN_DECLS

/* Sets *size_bytes to the buffer size of these fixed caps in the default
 * layout. Returns FALSE if they are neither raw video nor an integral image. */
gboolean gst_cl_buffer_pool_size (const GstCaps *caps, gsize *size_bytes);

G_END_DECLS
