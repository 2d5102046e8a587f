/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mocks/cuda.h"

G_BEGIN_DECLS

/* Streams of the mock CUDA driver (cuda_stream_new()). */

/* Returns the context of @stream; borrowed. */
CudaMockContext *cuda_stream_context (gpointer stream);

/* Completes the work in @stream. */
void cuda_stream_complete (gpointer stream);

G_END_DECLS
