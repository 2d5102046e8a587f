/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Reads a line of JSON from left to right, as fast as histograms of every frame
 * ask for. Each function reads one thing at *@at, after white space, and moves
 * *@at behind it. FALSE: something else is there, and *@at is anywhere before
 * the next NUL, which ends the text. */

/* The character @c outside of strings. */
gboolean json_read_character (const gchar **at, gchar c);

/* A string: *@text is where it begins, and *@length how many bytes it has, as
 * they are written. Escapes are left as they are. Borrowed. */
gboolean json_read_string (const gchar **at, const gchar **text, gsize *length);

/* Returns whether that string is @name, which needs no escape. */
gboolean json_is_name (const gchar *name, const gchar *text, gsize length);

/* An integer from 0 to 2^64 - 1. */
gboolean json_read_uint64 (const gchar **at, guint64 *n);

/* A number from @least to @greatest, rounded to the nearest double. */
gboolean json_read_double (const gchar **at, gdouble least, gdouble greatest,
    gdouble *x);

/* The most levels of json_read_table(). */
#define JSON_MAX_LEVELS 3

/* An array of integers, or an array of such arrays, and so on: @n_levels in
 * all. Sets @numbers, of guint32 or guint64, to the integers in their order.
 * sizes[i] is the number of entries of each array of level i, the same for all;
 * level 0 is the outermost one. */
gboolean json_read_table (const gchar **at, guint n_levels, GArray *numbers,
    guint *sizes);

/* The word @word: null, true or false. */
gboolean json_read_word (const gchar **at, const gchar *word);

/* Any value. What is between brackets is not looked at. */
gboolean json_skip_value (const gchar **at);

/* Goes on in an array or object that @close ends, from just behind its opening
 * bracket, with @n entries read so far: TRUE where another entry follows; FALSE
 * at its end, which is read, and where the text is wrong, which *@is_right
 * says. */
gboolean json_read_next (const gchar **at, gchar close, guint n,
    gboolean *is_right);

G_END_DECLS
