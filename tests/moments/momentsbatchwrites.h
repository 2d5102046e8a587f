/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/implementation.h"

/* Checks that frames that share launches of @implementation have the results of
 * the bytes that their transfers write, that each transfer is enqueued once,
 * and that a frame whose transfer is refused fails alone. */
void moments_batch_check_writes (Harness *h,
    const GstClImplementation *implementation);
