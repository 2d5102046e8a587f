/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mocks/cuda.h"

G_BEGIN_DECLS

/* What streams of the CUDA driver that stands in are (cuda_stream_new()). */

CudaStandinContext *cuda_stream_context (gpointer stream);

/* Ends what was started in @stream. */
void cuda_stream_end_works (gpointer stream);

G_END_DECLS
