/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host memory in place. */

#include "gstclwrap.h"

#include "gstclbuffer.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_memory_debug);
#define GST_CAT_DEFAULT gst_cl_memory_debug ()

/* What drivers of integrated GPUs ask of a host pointer before they use it in
 * place instead of making a hidden copy: a page, and whole cache lines. */
#define GPU_WRAP_ALIGN_BYTES 4096
#define GPU_WRAP_SIZE_BYTES  64

/* A GstMemory's bytes as a cl_mem; lives as qdata of that GstMemory, which may
 * outlive all of ours. */
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

/* Copies what is wrapped on the device, as kernels read it. */
static gboolean
try_wrap (GstClContext *context, cl_command_queue queue, gpointer data,
    const guint8 *bytes, gsize size_bytes, guint8 *back, GError **error)
{
  cl_mem to = gst_cl_buffer_new (context, size_bytes, error);
  cl_int code = CL_SUCCESS;
  cl_mem from;

  if (!to)
    return FALSE;

  from = gst_cl_buffer_new_over (context, (gpointer) bytes, size_bytes, &code);
  if (code == CL_SUCCESS)
    code = clEnqueueCopyBuffer (queue, from, to, 0, 0, size_bytes, 0, NULL,
        NULL);
  if (code == CL_SUCCESS)
    code = clEnqueueReadBuffer (queue, to, CL_TRUE, 0, size_bytes, back, 0,
        NULL, NULL);
  gst_cl_buffer_free (from);
  gst_cl_buffer_free (to);

  return gst_cl_check (code, "read host memory in place", error);
}

static const gchar *
find_obstacle (GstClContext *context)
{
  return context->device->is_host_unified
             ? NULL
             : "memory of its own, apart from the host's";
}

const GstClProof gst_cl_wrap_proof = {
  .name = "host memory in place",
  .find_obstacle = find_obstacle,
  .try = try_wrap,
};

/* A GPU's driver may keep what the memory held when the cl_mem was made, so
 * there it is made for each use; on a CPU once. The branches of a tee may ask
 * for one memory at the same time. */
cl_mem
gst_cl_wrap_memory (GstClContext *context, GstMemory *memory, gpointer data,
    gsize size_bytes)
{
  static GQuark quark = 0;
  cl_mem mem = NULL;
  Wrap *wrap;

  if (!can_wrap (context->device, data, size_bytes) ||
      !gst_cl_proof_holds (&gst_cl_wrap_proof, context, NULL, NULL))
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
