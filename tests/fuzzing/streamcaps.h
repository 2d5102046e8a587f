/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "buffers.h"

G_BEGIN_DECLS

/* Returns fixed caps as upstream might send them: small frames in one of a few
 * formats, or integral images, each in memory of the system or of the device;
 * also invalid caps, or unrealistic sizes. Sets all of @shape except the
 * context. transfer full */
GstCaps *fuzz_stream_caps_new (FuzzBytes *bytes, FuzzShape *shape);

G_END_DECLS
