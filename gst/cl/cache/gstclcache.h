/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/device/gstcldevice.h"

G_BEGIN_DECLS

/* The cache of program binaries on disk: a folder with one file per key, which
 * only the user can write. Calls no OpenCL function. Any thread, any number of
 * processes. */

/* The maximum number of files; the oldest files beyond it are deleted. */
#define GST_CL_CACHE_MAX_FILES 256

/* The maximum size of a file; a larger file is neither read nor written. PoCL's
 * binaries of these programs have up to 0.1 MB. A file a hundred times as large
 * is no such binary; reading and hashing a file of this size takes less time
 * than a compilation. */
#define GST_CL_CACHE_MAX_BYTES (16 * 1024 * 1024)

/* Returns the cache folder: environment variable GST_OPENCL_CACHE_DIR, else
 * gst-opencl/ in the user's cache folder. Returns NULL if the variable is
 * empty, which disables the cache. The folder may not exist yet. Transfer full.
 */
gchar *gst_cl_cache_folder (void);

/* Returns TRUE if binaries can be cached: the cache is enabled, and its folder
 * passes gst_cl_folder_check() or does not exist yet. */
gboolean gst_cl_cache_is_on (void);

/* Returns the SHA-256, in hexadecimal digits, of everything that a binary
 * depends on: @source as passed to the compiler, @options, @device, its driver
 * and its platform. Transfer full. */
gchar *gst_cl_cache_key (const GstClDevice *device, const gchar *source,
    const gchar *options);

/* Returns the SHA-256, in hexadecimal digits, of everything that a measured
 * time depends on except sources and options: @device, its driver, its
 * platform, and its number of compute units. Transfer full. */
gchar *gst_cl_cache_device_key (const GstClDevice *device);

/* Returns the data saved under @key, or NULL with @error of G_FILE_ERROR: NOENT
 * if the file does not exist, INVAL if the file is corrupt, PERM if the file or
 * its folder is rejected (gstclfolder.h). */
GBytes *gst_cl_cache_load (const gchar *folder, const gchar *key,
    GError **error);

/* Saves @binary under @key, and creates @folder if necessary. Replaces the old
 * file atomically: a reader sees the old file or the new one. */
gboolean gst_cl_cache_save (const gchar *folder, const gchar *key,
    GBytes *binary, GError **error);

G_END_DECLS
