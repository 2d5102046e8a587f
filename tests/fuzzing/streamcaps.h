/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "buffers.h"

G_BEGIN_DECLS

/* Fixed caps as upstream might send them: frames of few pixels in one of a few
 * formats, integral images, each with memory of the system or of the device;
 * and caps that are wrong, or of sizes that nobody has. Sets all of @shape but
 * the context. transfer full */
GstCaps *fuzz_stream_caps_new (FuzzBytes *bytes, FuzzShape *shape);

G_END_DECLS
