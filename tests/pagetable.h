/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Compares @table, Markdown that begins with its rows @head, with the table of
 * docs/@page that begins with them, and fails the test if they differ. With
 * WRITE_TABLES=1, writes it to the page instead. */
void page_table_expect (const gchar *page, const gchar *head,
    const gchar *table);

G_END_DECLS
