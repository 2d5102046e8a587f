/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"
#include "ops/implementation.h"

/* Frames that share launches of @implementation are measured as the bytes that
 * their transfers bring, each of which is enqueued once, and one whose transfer
 * is refused fails alone. */
void moments_batch_check_writes (Harness *h,
    const GstClImplementation *implementation);
