/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Removes @folder and all that is in it, or the test fails. transfer full */
void test_folder_remove (gchar *folder);

G_END_DECLS
