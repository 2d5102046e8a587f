/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A temporary folder: these functions are fixtures of a suite. */
extern gchar *test_folder;
void test_folder_setup (void);
void test_folder_teardown (void);

/* Removes @folder and its contents, or fails the test. transfer full */
void test_folder_remove (gchar *folder);

G_END_DECLS
