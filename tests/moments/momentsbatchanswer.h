/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/implementation.h"

/* Checks that the known-answer test of @implementation, which supports launches
 * of several frames, passes if its kernels for one frame and for several are
 * correct, and only then. */
void moments_batch_check_answer (Harness *h,
    const GstClImplementation *implementation);
