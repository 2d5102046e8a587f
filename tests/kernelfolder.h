/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Creates a folder that overlays the embedded kernel files: files that it does
 * not have are the embedded ones. Once per process, before the first use of a
 * kernel file, since GLib reads the overlay setting once: use an unchecked
 * fixture. */
void test_kernel_folder_make (void);

/* Writes the kernel file @name, such as "common/x.clh". */
void test_kernel_write (const gchar *name, const gchar *text);

/* Removes the folder. */
void test_kernel_folder_remove (void);

G_END_DECLS
