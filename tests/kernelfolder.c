/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel files that tests create. */

#include "kernelfolder.h"

#include "folder.h"

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

#define RESOURCE_PATH "/org/freedesktop/gstreamer/opencl/kernels"

static gchar *kernels;

void
test_kernel_folder_make (void)
{
  g_autofree gchar *overlay = NULL;

  kernels = g_dir_make_tmp ("kernels-XXXXXX", NULL);
  fail_unless (kernels != NULL);
  overlay = g_strconcat (RESOURCE_PATH, "=", kernels, NULL);
  g_setenv ("G_RESOURCE_OVERLAYS", overlay, TRUE);
}

void
test_kernel_write (const gchar *name, const gchar *text)
{
  g_autofree gchar *path = g_build_filename (kernels, name, NULL);
  g_autofree gchar *folder = g_path_get_dirname (path);

  fail_unless_equals_int (g_mkdir_with_parents (folder, 0700), 0);
  fail_unless (g_file_set_contents (path, text, -1, NULL));
}

void
test_kernel_folder_remove (void)
{
  test_folder_remove (g_steal_pointer (&kernels));
}
