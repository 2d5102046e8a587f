/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The OpenCL objects that the plugin holds, counted by their kinds. A release
 * that the driver refuses counts as a release: more than to ask for it nobody
 * can do. All functions may be called from any thread. */

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

/* One more reference of @object (may be NULL: none). */
void objects_add (ObjectKind kind, gconstpointer object);

typedef enum {
  OBJECT_MISSING, /* nobody holds it; objects_describe() tells */
  OBJECT_HELD,    /* somebody still does */
  OBJECT_LAST     /* nobody does any more */
} ObjectRelease;

/* One less. */
ObjectRelease objects_remove (ObjectKind kind, gconstpointer object);

/* What is left and what was released too often, in words, g_free(); NULL:
 * neither. */
gchar *objects_describe (void);

/* Begins anew. */
void objects_forget (void);

G_END_DECLS
