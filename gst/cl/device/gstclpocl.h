/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclerror.h"

G_BEGIN_DECLS

/* PoCL compiles nothing without a folder that it can write to, and its codes
 * and logs do not name it. Looks at that folder at each call: for failures
 * alone. */

/* What is wrong with the folder and what to do, in whole sentences. NULL if
 * nothing is, or @platform_name is not PoCL's. */
gchar *gst_cl_pocl_find_fault (const gchar *platform_name);

/* Appends that to the message of *error, which is set unless @error is NULL. */
void gst_cl_pocl_explain (const gchar *platform_name, GError **error);

G_END_DECLS
