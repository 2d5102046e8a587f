/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Sets the size of the largest buffer of all devices; 0: their own. Call it
 * before the device is used. */
void small_device_set_largest_buffer (gsize n_bytes);
