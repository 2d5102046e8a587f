/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Makes a folder that lies over the embedded kernel files: what it lacks is
 * taken from these. One a process, and before the first look at a kernel file,
 * since GLib reads once where such folders are: an unchecked fixture. */
void test_kernel_folder_make (void);

/* Writes the kernel file @name, such as "common/x.clh". */
void test_kernel_write (const gchar *name, const gchar *text);

/* Removes the folder. */
void test_kernel_folder_remove (void);

G_END_DECLS
