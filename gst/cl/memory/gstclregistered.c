/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory of others that the driver has pinned. */

#include "gstclregistered.h"

#include <unistd.h>

#include "common/gstcldebug.h"
#include "gstclbuffer.h"

GST_CL_DEBUG_CATEGORY (gst_cl_registered_debug, "clregistered",
    "OpenCL registered host memory");
#define GST_CAT_DEFAULT gst_cl_registered_debug ()

/* Less is copied in less time than a transfer takes to begin. */
#define MIN_BYTES (64 * 1024)

/* Uses until memory is registered. A frame without a time may be one of which
 * several planes, or several branches, have been seen. */
#define ENOUGH_USES      24
#define USE_AT_A_TIME    8
#define USE_AT_NO_TIME   1
#define PARTS_OF_THE_RAM 4 /* one of them may be registered */

/* What is known of a memory. The memory has a reference to it as its qdata, and
 * so has the context that it is registered with. */
typedef struct {
  gint n_references; /* atomic */
  guint n_uses;
  GstClockTime last; /* frame */
  GWeakRef owner;    /* GstClContext that it is registered with, or was tried */
  cl_mem mem;        /* NULL: not registered */
  gsize size_bytes;
} Registered;

/* Guards all of them, and the sum of their bytes. */
G_LOCK_DEFINE_STATIC (registered);
static gsize n_bytes;

/* The system is asked once: beyond the limit each frame asks. */
static gsize
max_bytes (void)
{
  static gsize once = 0, limit = 0;

  if (g_once_init_enter (&once)) {
    const glong n_pages = sysconf (_SC_PHYS_PAGES);
    const glong page_bytes = sysconf (_SC_PAGESIZE);

    if (n_pages > 0 && page_bytes > 0)
      limit = (gsize) n_pages / PARTS_OF_THE_RAM * (gsize) page_bytes;
    g_once_init_leave (&once, 1);
  }

  return limit;
}

gboolean
gst_cl_registered_suits (GstMemory *memory)
{
  return memory->maxsize >= MIN_BYTES &&
         gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM);
}

cl_mem
gst_cl_registered_pin (GstClContext *context, gpointer data, gsize size_bytes,
    GError **error)
{
  cl_int code;
  cl_mem mem = gst_cl_buffer_new_over (context, data, size_bytes, &code);

  return gst_cl_check (code, "register host memory", error) ? mem : NULL;
}

static void
unref (Registered *self)
{
  if (!g_atomic_int_dec_and_test (&self->n_references))
    return;

  g_weak_ref_clear (&self->owner);
  g_free (self);
}

/* Under the lock: a context that goes meanwhile, in another thread, waits in
 * context_is_gone() for the end of the release. */
static void
unpin (Registered *self)
{
  G_LOCK (registered);
  gst_cl_buffer_free (g_steal_pointer (&self->mem));
  n_bytes -= self->size_bytes;
  self->size_bytes = 0;
  G_UNLOCK (registered);
}

/* NVIDIA's driver does not survive that buffers go after their context. */
static void
context_is_gone (gpointer data, GObject *where)
{
  unpin (data);
  unref (data);
}

static void
memory_is_gone (gpointer data)
{
  Registered *self = data;
  GstClContext *owner = g_weak_ref_get (&self->owner);
  gboolean was_pinned;

  G_LOCK (registered);
  was_pinned = self->mem != NULL;
  G_UNLOCK (registered);

  unpin (self);
  if (owner && was_pinned) {
    g_object_weak_unref (G_OBJECT (owner), context_is_gone, self);
    unref (self);
  }
  gst_clear_object (&owner);
  unref (self);
}

/* @memory is no part of another. Lock held. */
static Registered *
find_or_add (GstMemory *memory)
{
  static GQuark quark = 0;
  Registered *self;

  if (!quark)
    quark = g_quark_from_static_string ("gst-cl-registered");

  self = gst_mini_object_get_qdata (GST_MINI_OBJECT (memory), quark);
  if (!self) {
    self = g_new0 (Registered, 1);
    self->n_references = 1;
    self->last = GST_CLOCK_TIME_NONE;
    g_weak_ref_init (&self->owner, NULL);
    gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), quark, self,
        memory_is_gone);
  }

  return self;
}

/* Lock held. */
static void
count_use (Registered *self, GstClockTime time)
{
  if (self->n_uses >= ENOUGH_USES)
    return;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    self->n_uses += USE_AT_NO_TIME;
  else if (time != self->last)
    self->n_uses += USE_AT_A_TIME;
  self->last = time;
}

/* TRUE if the calling thread is to register the memory, for a context: it has
 * been used often enough, and a context that goes has let go of it. Lock held.
 */
static gboolean
claim (Registered *self, GstClContext *context, gsize size_bytes)
{
  if (self->mem || self->size_bytes > 0 || self->n_uses < ENOUGH_USES ||
      n_bytes + size_bytes > max_bytes ())
    return FALSE;

  g_weak_ref_set (&self->owner, context);
  n_bytes += size_bytes;
  self->size_bytes = size_bytes;

  return TRUE;
}

/* Half a millisecond and more: the lock is not held. Returns TRUE if the memory
 * is registered then. */
static gboolean
pin (Registered *self, GstClContext *context, gpointer data, gsize size_bytes)
{
  g_autoptr (GError) error = NULL;
  cl_mem mem = gst_cl_registered_pin (context, data, size_bytes, &error);

  gst_cl_registered_debug ();
  if (!mem) {
    GST_INFO_OBJECT (context, "%zu bytes at %p: %s", size_bytes, data,
        error->message);
    unpin (self);
    return FALSE;
  }

  GST_DEBUG_OBJECT (context, "registered %zu bytes at %p", size_bytes, data);
  g_atomic_int_inc (&self->n_references);
  g_object_weak_ref (G_OBJECT (context), context_is_gone, self);
  G_LOCK (registered);
  self->mem = mem;
  G_UNLOCK (registered);

  return TRUE;
}

/* Memory stays with one context as long as that lives: its device may be
 * fetching from it while another context asks. */
gboolean
gst_cl_registered_use (GstClContext *context, GstMemory *memory,
    const guint8 *data, GstClockTime time)
{
  GstMemory *whole = memory->parent ? memory->parent : memory;
  /* parts count their offsets from where the whole begins */
  guint8 *first = (guint8 *) data - memory->offset;
  gboolean is_claimed = FALSE, is_there;
  GstClContext *owner;
  Registered *self;

  G_LOCK (registered);
  self = find_or_add (whole);
  count_use (self, time);
  owner = g_weak_ref_get (&self->owner);
  is_there = owner == context && self->mem;
  if (!owner)
    is_claimed = claim (self, context, whole->maxsize);
  G_UNLOCK (registered);

  gst_clear_object (&owner);

  return is_there || (is_claimed && pin (self, context, first, whole->maxsize));
}

#ifdef GST_CL_INSPECT
#include "cl/gstclinspect.h"

gsize
gst_cl_registered_bytes (void)
{
  gsize now;

  G_LOCK (registered);
  now = n_bytes;
  G_UNLOCK (registered);

  return now;
}
#endif
