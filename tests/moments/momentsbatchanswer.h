/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/implementation.h"

/* The known answer of @implementation, which has launches of several frames, is
 * right where its kernels for one frame and for several are, and only there. */
void moments_batch_check_answer (Harness *h,
    const GstClImplementation *implementation);
