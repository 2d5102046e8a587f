/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory that a device may still use after a wait has failed. */

#include "gstclquarantine.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY (gst_cl_quarantine_debug, "clquarantine",
    "Memory that an OpenCL device may still use");
#define GST_CAT_DEFAULT gst_cl_quarantine_debug ()

typedef struct {
  GstClContext *context; /* owned */
  gsize n_bytes;
  gpointer data;
  GDestroyNotify free_data;
} Entry;

/* The list is global: entries may outlive the elements that added them. */
G_LOCK_DEFINE_STATIC (entries);
static GSList *entries;

/* Removes the entries of @context from the list and returns them. */
static GSList *
steal_entries (GstClContext *context)
{
  GSList *stolen = NULL;

  G_LOCK (entries);
  for (GSList *link = entries, *next; link; link = next) {
    next = link->next;
    if (((Entry *) link->data)->context == context) {
      entries = g_slist_remove_link (entries, link);
      stolen = g_slist_concat (link, stolen);
    }
  }
  G_UNLOCK (entries);

  return stolen;
}

static void
add_entries (GSList *kept)
{
  G_LOCK (entries);
  entries = g_slist_concat (kept, entries);
  G_UNLOCK (entries);
}

static gsize
count_bytes (GstClContext *context)
{
  gsize n_bytes = 0;

  G_LOCK (entries);
  for (GSList *link = entries; link; link = link->next) {
    const Entry *entry = link->data;

    if (entry->context == context)
      n_bytes += entry->n_bytes;
  }
  G_UNLOCK (entries);

  return n_bytes;
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  entry->free_data (entry->data);
  gst_object_unref (entry->context);
  g_free (entry);
}

/* Returns FALSE if the entries are kept. */
static gboolean
try_to_free (GstClContext *context)
{
  GSList *stolen = steal_entries (context);

  /* commands enqueued before the entries were removed from the list may use
   * them */
  if (stolen && !gst_cl_context_finish (context, NULL)) {
    add_entries (stolen);
    return FALSE;
  }
  g_slist_free_full (stolen, free_entry);

  return TRUE;
}

void
gst_cl_quarantine_add (GstClContext *context, gsize n_bytes, gpointer data,
    GDestroyNotify free_data)
{
  Entry *entry = g_new0 (Entry, 1);

  gst_cl_quarantine_debug ();
  entry->context = gst_object_ref (context);
  entry->n_bytes = n_bytes;
  entry->data = data;
  entry->free_data = free_data;
  add_entries (g_slist_prepend (NULL, entry));

  if (!try_to_free (context))
    GST_DEBUG_OBJECT (context, "%zu more bytes are in quarantine", n_bytes);
}

void
gst_cl_quarantine_release (GstClContext *context)
{
  if (count_bytes (context) > 0 && !try_to_free (context))
    GST_WARNING_OBJECT (context,
        "%s does not report whether it is done: %zu bytes that it may still "
        "use "
        "are kept until the process ends",
        context->device->name, count_bytes (context));
}
