/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Removes @folder and its contents, or fails the test. transfer full */
void test_folder_remove (gchar *folder);

G_END_DECLS
