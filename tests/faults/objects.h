/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The OpenCL objects that the plugin holds, counted by kind. A release that the
 * driver refuses counts as a release: there is no other way to release. Any
 * thread. */

typedef enum {
  OBJECT_CONTEXT,
  OBJECT_QUEUE,
  OBJECT_BUFFER,
  OBJECT_PROGRAM,
  OBJECT_KERNEL,
  OBJECT_EVENT,
  OBJECT_MAPPING, /* by its cl_mem */
  N_OBJECT_KINDS
} ObjectKind;

/* Begins counting; without it no release is refused. */
void objects_watch (void);

/* Counts a reference to @object (may be NULL: none). */
void objects_add (ObjectKind kind, gconstpointer object);

typedef enum {
  OBJECT_MISSING, /* not held; objects_describe() reports it */
  OBJECT_HELD,    /* still held */
  OBJECT_LAST     /* released completely */
} ObjectRelease;

/* Counts a release. */
ObjectRelease objects_remove (ObjectKind kind, gconstpointer object);

/* Returns a description of leaked objects and of excess releases, g_free();
 * NULL: there are none. */
gchar *objects_describe (void);

/* Resets the counts. */
void objects_forget (void);

G_END_DECLS
