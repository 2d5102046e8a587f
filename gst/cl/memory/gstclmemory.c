/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Device memory as GstMemory. */

#include "gstclmemory.h"

#include <gst/allocators/gstdmabuf.h>

#include "common/gstcldebug.h"
#include "gstclbuffer.h"
#include "gstclhostcopy.h"
#include "gstclquarantine.h"

GST_CL_DEBUG_CATEGORY (gst_cl_memory_debug, "clmemory", "OpenCL memory");
#define GST_CAT_DEFAULT gst_cl_memory_debug ()

typedef struct {
  GstMemory parent;
  GstClContext *context;
  cl_mem handle;
  GstClSync sync;

  /* the wrapped host memory; NULL if none */
  GstBuffer *host;
  GstMemory *host_memory;
  GstMapInfo host_map;

  GDestroyNotify notify; /* of an application's buffer; NULL: none */
  gpointer user_data;

  gint n_uses;     /* by applications, that have not ended; atomic */
  GMutex lock;     /* protects the members below */
  guint n_maps;    /* CPU maps that have not been unmapped */
  gpointer mapped; /* host pointer while n_maps > 0 */
  GError *error;   /* of the last map; NULL: success */

  GstClHostCopy copy; /* the CPU's copy on a discrete device */
} GstClMemory;

struct _GstClAllocator {
  GstAllocator parent;
  GstClContext *context;
  GError *error; /* of the last allocation that failed; object lock */
};

G_DEFINE_TYPE (GstClAllocator, gst_cl_allocator, GST_TYPE_ALLOCATOR)

gboolean
gst_is_cl_memory (GstMemory *memory)
{
  g_return_val_if_fail (memory, FALSE);

  return GST_IS_CL_ALLOCATOR (memory->allocator);
}

gpointer
gst_cl_memory_get_handle (GstMemory *memory)
{
  g_return_val_if_fail (gst_is_cl_memory (memory), NULL);

  return ((GstClMemory *) memory)->handle;
}

GstClContext *
gst_cl_memory_get_context (GstMemory *memory)
{
  g_return_val_if_fail (gst_is_cl_memory (memory), NULL);

  return ((GstClMemory *) memory)->context;
}

GError *
gst_cl_memory_take_error (GstMemory *memory)
{
  GstClMemory *self = (GstClMemory *) memory;
  GError *error;

  g_mutex_lock (&self->lock);
  error = g_steal_pointer (&self->error);
  g_mutex_unlock (&self->lock);

  return error;
}

GError *
gst_cl_allocator_take_error (GstClAllocator *self)
{
  GError *error;

  GST_OBJECT_LOCK (self);
  error = g_steal_pointer (&self->error);
  GST_OBJECT_UNLOCK (self);

  return error;
}

GstBuffer *
gst_cl_memory_wrapped_buffer (GstMemory *memory)
{
  return ((GstClMemory *) memory)->host;
}

/* --- allocation ---------------------------------------------------------- */

static GstClMemory *
new_memory (GstAllocator *allocator, GstMemoryFlags flags, cl_mem handle,
    gsize size)
{
  GstClMemory *self = g_new0 (GstClMemory, 1);

  gst_memory_init (GST_MEMORY_CAST (self), flags, allocator, NULL, size, 0, 0,
      size);
  self->context = gst_object_ref (GST_CL_ALLOCATOR (allocator)->context);
  self->handle = handle;
  g_mutex_init (&self->lock);

  return self;
}

/* Transfer full: kept until gst_cl_memory_take_error(). */
static GstMemory *
fail_alloc (GstClAllocator *self, GError *error)
{
  GST_INFO_OBJECT (self, "%s", error->message);
  GST_OBJECT_LOCK (self);
  g_clear_error (&self->error);
  self->error = error;
  GST_OBJECT_UNLOCK (self);

  return NULL;
}

static GstMemory *
gst_cl_allocator_alloc (GstAllocator *allocator, gsize size,
    GstAllocationParams *params)
{
  GstClContext *context = GST_CL_ALLOCATOR (allocator)->context;
  GError *error = NULL;
  GstClMemory *self;
  GstClAccess access;
  cl_mem handle = gst_cl_buffer_new (context, size, &error);

  if (!handle)
    return fail_alloc (GST_CL_ALLOCATOR (allocator), error);

  /* Kernels write samples only: the bytes between rows must be defined. */
  self = new_memory (allocator, params->flags, handle, size);
  access = (GstClAccess){ &self->sync, TRUE };
  if (!gst_cl_buffer_clear (context, handle, MAX (size, 1), &error) ||
      !gst_cl_sync_end (context, GST_CL_QUEUE_COMPUTE, &access, 1, NULL,
          &error)) {
    gst_memory_unref (GST_MEMORY_CAST (self));
    return fail_alloc (GST_CL_ALLOCATOR (allocator), error);
  }

  return GST_MEMORY_CAST (self);
}

GstMemory *
gst_cl_allocator_wrap (GstClAllocator *allocator, GstBuffer *buffer,
    guint index)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, index);
  GstClMemory *self;
  GstMapInfo map;
  cl_mem handle;

  /* mapping memory on a discrete GPU would transfer it to the host */
  if (!gst_cl_import_check_may_pass (&gst_cl_wrap_check, allocator->context) ||
      !gst_memory_map (memory, &map, GST_MAP_READ))
    return NULL;
  handle = gst_cl_wrap_memory (allocator->context, memory, map.data, map.size);
  if (!handle) {
    gst_memory_unmap (memory, &map);
    return NULL;
  }

  self = new_memory (GST_ALLOCATOR (allocator), GST_MEMORY_FLAG_READONLY,
      handle, map.size);
  self->sync.always = TRUE;
  self->host = gst_buffer_ref (buffer);
  self->host_memory = gst_memory_ref (memory);
  self->host_map = map;

  return GST_MEMORY_CAST (self);
}

/* Sets *size_bytes to the size of @handle, a buffer of @context. */
static gboolean
check_buffer (GstClContext *context, cl_mem handle, gsize *size_bytes,
    GError **error)
{
  cl_context owner = NULL;
  cl_mem_object_type type = 0;
  cl_int code = clGetMemObjectInfo (handle, CL_MEM_CONTEXT, sizeof owner,
      &owner, NULL);

  if (code == CL_SUCCESS)
    code = clGetMemObjectInfo (handle, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code == CL_SUCCESS)
    code = clGetMemObjectInfo (handle, CL_MEM_SIZE, sizeof *size_bytes,
        size_bytes, NULL);
  if (code == CL_SUCCESS && owner != context->handle)
    code = CL_INVALID_CONTEXT;
  else if (code == CL_SUCCESS && type != CL_MEM_OBJECT_BUFFER)
    code = CL_INVALID_MEM_OBJECT;

  return gst_cl_check (code, "use the application's buffer", error);
}

GstMemory *
gst_cl_allocator_alloc_wrapped (GstClAllocator *allocator, gpointer handle,
    gpointer user_data, GDestroyNotify notify, GError **error)
{
  GstClMemory *self;
  gsize size_bytes;

  if (!check_buffer (allocator->context, handle, &size_bytes, error) ||
      !gst_cl_check (clRetainMemObject (handle), "retain a buffer", error))
    return NULL;

  self = new_memory (GST_ALLOCATOR (allocator), 0, handle, size_bytes);
  self->sync.always = notify != NULL;
  self->notify = notify;
  self->user_data = user_data;

  return GST_MEMORY_CAST (self);
}

static void
destroy (gpointer data)
{
  GstClMemory *self = data;

  if (self->host) {
    gst_memory_unmap (self->host_memory, &self->host_map);
    gst_memory_unref (self->host_memory);
    gst_buffer_unref (self->host);
  }
  gst_cl_sync_clear (self->context, &self->sync);
  gst_cl_buffer_free (self->handle);
  if (self->notify)
    self->notify (self->user_data);
  gst_object_unref (self->context);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
gst_cl_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  GstClMemory *self = (GstClMemory *) memory;

  if (g_atomic_int_get (&self->n_uses) > 0)
    g_critical ("gst_cl_memory_begin() without gst_cl_memory_end()");
  gst_cl_host_copy_clear (&self->copy, self->context);
  if ((self->host || self->notify) &&
      !gst_cl_sync_wait (self->context, &self->sync))
    gst_cl_quarantine_add (self->context, memory->maxsize, self, destroy);
  else
    destroy (self);
}

/* --- access from the CPU ------------------------------------------------- */

/* Maps the cl_mem itself: every map on a host-unified device, and maps for
 * writing on a discrete device. Lock held. */
static gboolean
begin_mapping (GstClMemory *self, GstMapFlags flags, GError **error)
{
  GstClContext *context = self->context;
  const GstClAccess access = { &self->sync, (flags & GST_MAP_WRITE) != 0 };
  cl_map_flags cl_flags = 0;

  if (flags & GST_MAP_READ)
    cl_flags |= CL_MAP_READ;
  if (flags & GST_MAP_WRITE)
    cl_flags |= CL_MAP_WRITE; /* never INVALIDATE: callers may write a part */

  if (!gst_cl_sync_begin (context, GST_CL_QUEUE_UPLOAD, &access, 1, error))
    return FALSE;

  self->mapped = gst_cl_buffer_map (context, GST_CL_QUEUE_UPLOAD, self->handle,
      cl_flags, self->parent.maxsize, "map device memory", error);
  if (!self->mapped)
    return FALSE;
  if (context->is_discrete)
    gst_cl_context_count (context, 0, self->parent.maxsize);

  return TRUE;
}

/* Makes the CPU's writes visible to later commands. Lock held. */
static gboolean
end_mapping (GstClMemory *self, GError **error)
{
  GstClContext *context = self->context;
  const GstClAccess access = { &self->sync, TRUE };

  if (context->is_discrete)
    gst_cl_context_count (context, self->parent.maxsize, 0);

  return gst_cl_check (
             clEnqueueUnmapMemObject (
                 gst_cl_context_find_queue (context, GST_CL_QUEUE_UPLOAD),
                 self->handle, self->mapped, 0, NULL, NULL),
             "unmap device memory", error) &&
         gst_cl_sync_end (context, GST_CL_QUEUE_UPLOAD, &access, 1, NULL,
             error);
}

/* For discrete devices. Lock held. */
static gboolean
fetch_copy (GstClMemory *self, GError **error)
{
  return gst_cl_host_copy_fetch (&self->copy, self->context, self->handle,
      &self->sync, self->parent.maxsize, error);
}

/* The first map; lock held. */
static gboolean
map_for_cpu (GstClMemory *self, GstMapFlags flags, GError **error)
{
  if (!self->context->is_discrete || (flags & GST_MAP_WRITE)) {
    gst_cl_host_copy_invalidate (&self->copy);
    return begin_mapping (self, flags, error);
  }

  if (fetch_copy (self, error))
    self->mapped = gst_cl_host_copy_wait (&self->copy, self->context, error);

  return self->mapped != NULL;
}

/* The last unmap; lock held. */
static gboolean
unmap_for_cpu (GstClMemory *self, GError **error)
{
  gboolean unmapped = self->mapped == self->copy.pinned.data ||
                      end_mapping (self, error);

  self->mapped = NULL;

  return unmapped;
}

gboolean
gst_cl_memory_prefetch (GstBuffer *buffer, GError **error)
{
  gboolean done = TRUE;

  for (guint i = 0; i < gst_buffer_n_memory (buffer) && done; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstClMemory *self = (GstClMemory *) memory;

    if (!gst_is_cl_memory (memory) || !self->context->is_discrete)
      continue;

    g_mutex_lock (&self->lock);
    done = self->n_maps > 0 || fetch_copy (self, error);
    g_mutex_unlock (&self->lock);
  }

  return done;
}

/* --- access from the device ---------------------------------------------- */

GstClSync *
gst_cl_memory_begin_write (GstMemory *memory)
{
  GstClMemory *self = (GstClMemory *) memory;

  g_mutex_lock (&self->lock);
  gst_cl_host_copy_invalidate (&self->copy);
  g_mutex_unlock (&self->lock);

  return &self->sync;
}

static gboolean
map_for_device (GstClMemory *self, GstMapFlags flags, GError **error)
{
  const GstClAccess access = { &self->sync, (flags & GST_MAP_WRITE) != 0 };

  if (access.writes)
    gst_cl_memory_begin_write (GST_MEMORY_CAST (self));

  return gst_cl_sync_begin (self->context, GST_CL_QUEUE_COMPUTE, &access, 1,
      error);
}

static gboolean
check_use (GstMemory *memory, cl_command_queue queue, gboolean writes,
    GError **error)
{
  cl_context context = NULL;

  if (clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof context, &context,
          NULL) != CL_SUCCESS ||
      context != ((GstClMemory *) memory)->context->handle) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_CONTEXT,
        "The queue is none of the memory's cl_context.");
    return FALSE;
  }
  if (writes && !gst_memory_is_writable (memory)) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION,
        "The memory is shared by several buffers, write to a copy "
        "(gst_memory_copy()).");
    return FALSE;
  }
  if (writes && GST_MEMORY_IS_READONLY (memory)) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION,
        "The memory is read-only, write to a copy (gst_memory_copy()).");
    return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_memory_begin (GstMemory *memory, gpointer queue, GstMapFlags flags,
    GError **error)
{
  GstClMemory *self = (GstClMemory *) memory;
  const GstClAccess access = { &self->sync, (flags & GST_MAP_WRITE) != 0 };

  g_return_val_if_fail (gst_is_cl_memory (memory), FALSE);

  if (!check_use (memory, queue, access.writes, error))
    return FALSE;
  if (access.writes)
    gst_cl_memory_begin_write (memory);
  if (!gst_cl_sync_begin_foreign (self->context, queue, &access, error))
    return FALSE;
  g_atomic_int_inc (&self->n_uses);

  return TRUE;
}

gboolean
gst_cl_memory_end (GstMemory *memory, gpointer queue, GstMapFlags flags,
    gpointer event, GError **error)
{
  GstClMemory *self = (GstClMemory *) memory;
  const GstClAccess access = { &self->sync, (flags & GST_MAP_WRITE) != 0 };

  g_return_val_if_fail (gst_is_cl_memory (memory), FALSE);
  g_return_val_if_fail (g_atomic_int_get (&self->n_uses) > 0, FALSE);

  g_atomic_int_add (&self->n_uses, -1);

  return gst_cl_sync_end_foreign (self->context, queue, &access, event, error);
}

/* GstMemory allows a nested map only with flags of the first map, so that one
 * mapping is enough. */
static gpointer
gst_cl_memory_map (GstMemory *memory, GstMapInfo *info, gsize max_size)
{
  GstClMemory *self = (GstClMemory *) memory;
  const gboolean for_device = (info->flags & GST_MAP_OPENCL) != 0;
  GError *error = NULL;
  gpointer data = NULL;

  if (for_device && map_for_device (self, info->flags, &error))
    data = self->handle;

  g_mutex_lock (&self->lock);
  if (!for_device &&
      (self->n_maps > 0 || map_for_cpu (self, info->flags, &error))) {
    self->n_maps++;
    data = self->mapped;
  }
  g_clear_error (&self->error);
  self->error = error;
  g_mutex_unlock (&self->lock);

  if (error)
    GST_INFO_OBJECT (self->context, "%s", error->message);

  return data;
}

static void
gst_cl_memory_unmap (GstMemory *memory, GstMapInfo *info)
{
  GstClMemory *self = (GstClMemory *) memory;
  g_autoptr (GError) error = NULL;

  if (info->flags & GST_MAP_OPENCL) {
    const GstClAccess access = { &self->sync,
      (info->flags & GST_MAP_WRITE) != 0 };

    gst_cl_sync_end (self->context, GST_CL_QUEUE_COMPUTE, &access, 1, NULL,
        &error);
  } else {
    g_mutex_lock (&self->lock);
    if (--self->n_maps == 0)
      unmap_for_cpu (self, &error);
    g_mutex_unlock (&self->lock);
  }

  /* the next user of the memory gets the error */
  if (error)
    GST_INFO_OBJECT (self->context, "%s", error->message);
}

/* --- copies -------------------------------------------------------------- */

static gboolean
enqueue_copy (GstClMemory *from, gsize offset_bytes, gsize size_bytes,
    GstClMemory *to, GError **error)
{
  GstClContext *context = from->context;
  const GstClAccess accesses[] = { { &from->sync, FALSE },
    { &to->sync, TRUE } };
  const guint n = G_N_ELEMENTS (accesses);

  return gst_cl_sync_begin (context, GST_CL_QUEUE_COMPUTE, accesses, n,
             error) &&
         gst_cl_check (clEnqueueCopyBuffer (gst_cl_context_find_queue (context,
                                                GST_CL_QUEUE_COMPUTE),
                           from->handle, to->handle, offset_bytes, 0,
                           size_bytes, 0, NULL, NULL),
             "copy device memory", error) &&
         gst_cl_sync_end (context, GST_CL_QUEUE_COMPUTE, accesses, n, NULL,
             error);
}

static GstMemory *
gst_cl_memory_copy (GstMemory *memory, gssize offset, gssize size)
{
  GstAllocationParams params = { 0 };
  GError *error = NULL;
  GstMemory *copy;

  if (size == -1)
    size = (gssize) memory->size > offset ? memory->size - offset : 0;

  copy = gst_allocator_alloc (memory->allocator, size, &params);
  if (!copy)
    return NULL;

  if (size > 0 &&
      !enqueue_copy ((GstClMemory *) memory, memory->offset + offset, size,
          (GstClMemory *) copy, &error)) {
    gst_memory_unref (copy);
    return fail_alloc (GST_CL_ALLOCATOR (memory->allocator), error);
  }

  return copy;
}

/* A part of the memory is copied instead: a cl_mem handle has no offset. */
static GstMemory *
gst_cl_memory_share (GstMemory *memory, gssize offset, gssize size)
{
  return NULL;
}

/* --- life cycle ---------------------------------------------------------- */

GstAllocator *
gst_cl_allocator_new (GstClContext *context)
{
  GstClAllocator *self = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_ALLOCATOR, NULL));

  self->context = gst_object_ref (context);

  return GST_ALLOCATOR (self);
}

static void
gst_cl_allocator_finalize (GObject *object)
{
  gst_clear_object (&GST_CL_ALLOCATOR (object)->context);
  g_clear_error (&GST_CL_ALLOCATOR (object)->error);

  G_OBJECT_CLASS (gst_cl_allocator_parent_class)->finalize (object);
}

static void
gst_cl_allocator_init (GstClAllocator *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_type = GST_CL_MEMORY_TYPE;
  allocator->mem_map_full = gst_cl_memory_map;
  allocator->mem_unmap_full = gst_cl_memory_unmap;
  allocator->mem_copy = gst_cl_memory_copy;
  allocator->mem_share = gst_cl_memory_share;
}

static void
gst_cl_allocator_class_init (GstClAllocatorClass *klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  gst_cl_memory_debug ();
  G_OBJECT_CLASS (klass)->finalize = gst_cl_allocator_finalize;
  allocator_class->alloc = gst_cl_allocator_alloc;
  allocator_class->free = gst_cl_allocator_free;
}

/* --- host memory in place ------------------------------------------------- */

/* The alignment that drivers of integrated GPUs require to use a host pointer
 * in place instead of a hidden copy: a page, and whole cache lines. */
#define GPU_WRAP_ALIGN_BYTES 4096
#define GPU_WRAP_SIZE_BYTES  64

/* The cl_mem over a GstMemory's bytes; stored as qdata of that GstMemory, which
 * may outlive all objects of the plugin. */
typedef struct {
  guint context_serial;
  cl_mem mem;
  gconstpointer data;
  gsize size_bytes;
} Wrap;

G_LOCK_DEFINE_STATIC (wraps);

static void
free_wrap (gpointer data)
{
  Wrap *wrap = data;

  clReleaseMemObject (wrap->mem);
  g_free (wrap);
}

static gboolean
can_wrap (const GstClDevice *device, gconstpointer data, gsize size_bytes)
{
  if (!device->is_host_unified)
    return FALSE;
  if (device->type & CL_DEVICE_TYPE_CPU)
    return (guintptr) data % sizeof (gpointer) == 0;

  return (guintptr) data % GPU_WRAP_ALIGN_BYTES == 0 &&
         size_bytes % GPU_WRAP_SIZE_BYTES == 0;
}

static cl_mem
create_wrap (GstClContext *context, gpointer data, gsize size_bytes)
{
  cl_int code;
  cl_mem mem = gst_cl_buffer_new_over (context, data, size_bytes, &code);

  if (code == CL_SUCCESS)
    return mem;

  GST_INFO_OBJECT (context, "wrapping %zu bytes at %p: %s", size_bytes, data,
      gst_cl_error_name (code));

  return NULL;
}

/* Copies @size_bytes of @from to @back, on the device, which reads them as
 * kernels do. */
static gboolean
read_on_device (GstClContext *context, cl_command_queue queue, cl_mem from,
    gsize size_bytes, guint8 *back, GError **error)
{
  cl_mem to = gst_cl_buffer_new (context, size_bytes, error);
  cl_int code;

  if (!to)
    return FALSE;

  code = clEnqueueCopyBuffer (queue, from, to, 0, 0, size_bytes, 0, NULL, NULL);
  if (code == CL_SUCCESS)
    code = clEnqueueReadBuffer (queue, to, CL_FALSE, 0, size_bytes, back, 0,
        NULL, NULL);
  if (code == CL_SUCCESS)
    code = gst_cl_finish (queue);
  gst_cl_buffer_free (to);

  return gst_cl_check (code, "read host memory in place", error);
}

/* The bytes are written after the memory is wrapped and the device has read it:
 * a device that reports unified memory, but reads a copy, does not see them. */
static gboolean
try_wrap (GstClContext *context, const GstClImportCheckRun *run, gpointer data,
    GError **error)
{
  const gsize size_bytes = run->size_bytes;
  guint8 *memory = g_malloc0 (size_bytes + GPU_WRAP_ALIGN_BYTES);
  guint8 *aligned = memory + GPU_WRAP_ALIGN_BYTES -
                    (guintptr) memory % GPU_WRAP_ALIGN_BYTES;
  gboolean is_read;
  cl_int code;
  cl_mem from = gst_cl_buffer_new_over (context, aligned, size_bytes, &code);

  g_ptr_array_add (run->lent, memory);
  if (!gst_cl_check (code, "wrap host memory", error))
    return FALSE;

  is_read = read_on_device (context, run->queue, from, size_bytes, run->back,
      error);
  if (is_read) {
    memcpy (aligned, run->bytes, size_bytes);
    is_read = read_on_device (context, run->queue, from, size_bytes, run->back,
        error);
  }
  gst_cl_buffer_free (from);

  return is_read;
}

static const gchar *
find_obstacle (GstClContext *context)
{
  return context->device->is_host_unified
             ? NULL
             : "memory of its own, apart from the host's";
}

const GstClImportCheck gst_cl_wrap_check = {
  .name = "host memory in place",
  .find_obstacle = find_obstacle,
  .try = try_wrap,
};

/* The pages of a dma_buf may be the memory of another device, which a GPU's
 * driver may not be able to use in place; for a processor, all mapped memory is
 * the same. @data: the GstMemory of a frame. */
static gboolean
try_wrap_dmabuf (GstClContext *context, const GstClImportCheckRun *run,
    gpointer data, GError **error)
{
  GstMemory *memory = data;
  guint8 *read = g_malloc (memory->size);
  gboolean is_read = FALSE;
  GstMapInfo map;
  cl_mem from;
  cl_int code;

  g_ptr_array_add (run->lent, read);
  if (!gst_memory_map (memory, &map, GST_MAP_READ)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "A DMABuf could not be mapped.");
    return FALSE;
  }
  from = gst_cl_buffer_new_over (context, map.data, map.size, &code);
  if (gst_cl_check (code, "wrap a DMABuf", error))
    is_read = read_on_device (context, run->queue, from, map.size, read, error);
  gst_cl_buffer_free (from);
  gst_memory_unmap (memory, &map);

  return is_read && gst_cl_import_check_compare (memory, read, run, error);
}

static const GstClImportCheck wrap_dmabuf_check = {
  .name = "DMABuf in place",
  .try = try_wrap_dmabuf,
};

static gboolean
wrap_checks_pass (GstClContext *context, GstMemory *memory)
{
  return gst_cl_import_check_passes (&gst_cl_wrap_check, context, NULL, NULL) &&
         (context->device->type & CL_DEVICE_TYPE_CPU ||
             !gst_is_dmabuf_memory (memory) ||
             gst_cl_import_check_passes (&wrap_dmabuf_check, context, memory,
                 NULL));
}

/* A GPU's driver may keep the contents from the time when the cl_mem was
 * created, though the check has found none that does, so on a GPU it is created
 * for each use; on a CPU once. The branches
 * of a tee may request one memory at the same time. */
cl_mem
gst_cl_wrap_memory (GstClContext *context, GstMemory *memory, gpointer data,
    gsize size_bytes)
{
  static GQuark quark = 0;
  cl_mem mem = NULL;
  Wrap *wrap;

  if (!can_wrap (context->device, data, size_bytes) ||
      !wrap_checks_pass (context, memory))
    return NULL;
  if (!(context->device->type & CL_DEVICE_TYPE_CPU))
    return create_wrap (context, data, size_bytes);

  G_LOCK (wraps);
  if (!quark)
    quark = g_quark_from_static_string ("gst-cl-wrap");

  wrap = gst_mini_object_get_qdata (GST_MINI_OBJECT (memory), quark);
  if (!wrap || wrap->context_serial != context->serial || wrap->data != data ||
      wrap->size_bytes != size_bytes) {
    mem = create_wrap (context, data, size_bytes);
    if (mem) {
      wrap = g_new0 (Wrap, 1);
      wrap->context_serial = context->serial;
      wrap->mem = mem;
      wrap->data = data;
      wrap->size_bytes = size_bytes;
      gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), quark, wrap,
          free_wrap);
    } else {
      wrap = NULL;
    }
  }
  mem = wrap && clRetainMemObject (wrap->mem) == CL_SUCCESS ? wrap->mem : NULL;
  G_UNLOCK (wraps);

  return mem;
}
