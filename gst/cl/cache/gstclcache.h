/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* Program binaries on disk: a folder of files, one a key, none of which others
 * may write. Knows no OpenCL call; any thread, any number of processes. */

/* Files that are kept; the oldest beyond this are deleted. */
#define GST_CL_CACHE_MAX_FILES 256

/* Bytes of a file; a larger one is neither read nor written. Our programs come
 * to 0.1 MB with PoCL: a hundred times that is no binary of theirs, and is read
 * and digested in less time than one is compiled. */
#define GST_CL_CACHE_MAX_BYTES (16 * 1024 * 1024)

/* Where binaries are kept: environment variable GST_OPENCL_CACHE_DIR, else
 * gst-opencl/ in the user's cache folder. NULL if the variable is empty: the
 * cache is switched off. It may not exist yet. */
gchar *gst_cl_cache_folder (void);

/* Whether binaries may be kept: it is not switched off, and the folder is ours
 * or not made yet (gstclfolder.h). */
gboolean gst_cl_cache_is_on (void);

/* Returns the SHA-256, in hexadecimal digits, of all that a binary depends on:
 * @source as the compiler gets it, @options, @device with its driver and
 * platform. transfer full */
gchar *gst_cl_cache_key (const GstClDevice *device, const gchar *source,
    const gchar *options);

/* Returns a SHA-256 in hexadecimal digits, too: of all that a time depends on
 * but sources and options, which are @device, its driver and platform, and the
 * number of its compute units. transfer full */
gchar *gst_cl_cache_device_key (const GstClDevice *device);

/* What was saved under @key, or NULL with @error of G_FILE_ERROR: NOENT if
 * there is nothing, INVAL if the file is not what was written, PERM if it or
 * its folder is refused (gstclfolder.h). */
GBytes *gst_cl_cache_load (const gchar *folder, const gchar *key,
    GError **error);

/* Saves @binary under @key in place of what was there, making @folder if need
 * be. A reader sees the old file or the new one, never a part. */
gboolean gst_cl_cache_save (const gchar *folder, const gchar *key,
    GBytes *binary, GError **error);

G_END_DECLS
