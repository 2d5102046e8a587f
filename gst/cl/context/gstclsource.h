/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Embedded kernel files, includes resolved. Knows no OpenCL; any thread. */

/* The text of the kernel file @name, with every header that it or one of its
 * headers asks for by #include "header" in the place where it is first asked
 * for, once each, and no others. A header lies in the folder of the
 * file that asks for it, else in common/. Directives of
 * #line keep the names and lines of all files in what a compiler says.
 *
 * A line that begins with #include is one, whatever stands around it: includes
 * stand at the top of a file, outside of comments, and under no condition. As
 * each header is taken once, none needs a guard.
 *
 * NULL and an error of G_RESOURCE_ERROR where a file does not exist; the
 * message names the files and lines that asked for it. Transfer full. */
gchar *gst_cl_source_load (const gchar *name, GError **error);

/* A digest of all kernel files, in hexadecimal digits: it changes whenever a
 * file does. Takes a millisecond. transfer full */
gchar *gst_cl_source_digest (void);

G_END_DECLS
