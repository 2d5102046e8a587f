/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclerror.h"

G_BEGIN_DECLS

/* PoCL cannot compile without a writable folder, and its error codes and logs
 * do not name that folder. These functions inspect the folder at each call.
 * They are for error paths, except gst_cl_pocl_check_room(). */

/* Returns TRUE if @platform_name is PoCL's. */
gboolean gst_cl_pocl_is (const gchar *platform_name);

/* Returns what is wrong with the folder and how to correct it, in whole
 * sentences. NULL if nothing is wrong, or @platform_name is not PoCL's.
 * Transfer full. */
gchar *gst_cl_pocl_find_fault (const gchar *platform_name);

/* Appends the result of gst_cl_pocl_find_fault() to the message of *error,
 * which is set unless @error is NULL. */
void gst_cl_pocl_explain (const gchar *platform_name, GError **error);

/* Returns FALSE with GST_RESOURCE_ERROR_NO_SPACE_LEFT if the folder has no room
 * for one more program: PoCL then ends the process. TRUE for other platforms.
 * Called before each compilation; takes some microseconds. Any thread. */
gboolean gst_cl_pocl_check_room (const gchar *platform_name, GError **error);

G_END_DECLS
