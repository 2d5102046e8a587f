/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness/harness.h"

/* The reference's deviation equals that of real numbers, except for the last
 * place. */
void local_op_check_reference (Harness *h);
