/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words that host and kernel share while the kernel runs. */

#define _GNU_SOURCE /* RTLD_DEFAULT */
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200

#include "sharedwords.h"

#include <dlfcn.h>
#include <string.h>

#include "cl/memory/gstclpinned.h"
#include "cl/memory/gstclquarantine.h"

/* A poll takes nanoseconds: the clock is read after this many polls. After
 * CLOCK_READS_BEFORE_YIELD reads of the clock, the thread yields the processor,
 * because another thread of this processor may set the flag. */
#define POLLS_PER_CLOCK_READ     256
#define CLOCK_READS_BEFORE_YIELD 64

struct _SharedWords {
  GstClContext *context;
  guint n_words;
  guint32 *words;
  gpointer svm;       /* NULL: pinned */
  GstClPinned pinned; /* empty: shared virtual memory */
};

/* --- shared virtual memory ------------------------------------------------ */

/* Functions of OpenCL 2.0 in the loader. An older loader lacks them, so
 * that they are looked up at run time. */
typedef struct {
  void *(CL_API_CALL *alloc) (cl_context context, cl_svm_mem_flags flags,
      size_t size, cl_uint alignment);
  void (CL_API_CALL *free) (cl_context context, void *pointer);
  cl_int (CL_API_CALL *set_argument) (cl_kernel kernel, cl_uint index,
      const void *pointer);
} Functions;

/* Some are NULL with an older loader. */
static const Functions *
find_functions (void)
{
  static Functions functions;
  static gsize is_done = 0;

  if (g_once_init_enter (&is_done)) {
    *(gpointer *) &functions.alloc = dlsym (RTLD_DEFAULT, "clSVMAlloc");
    *(gpointer *) &functions.free = dlsym (RTLD_DEFAULT, "clSVMFree");
    *(gpointer *) &functions.set_argument = dlsym (RTLD_DEFAULT,
        "clSetKernelArgSVMPointer");
    g_once_init_leave (&is_done, 1);
  }

  return &functions;
}

/* Flags of alloc_svm(). */
#define CAPABILITIES (CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS)

/* The CL_DEVICE_SVM_ bits of the device; 0: none, or unknown. */
static cl_device_svm_capabilities
find_capabilities (const GstClDevice *device)
{
  cl_device_svm_capabilities capabilities = 0;

  if (clGetDeviceInfo (device->id, CL_DEVICE_SVM_CAPABILITIES,
          sizeof capabilities, &capabilities, NULL) != CL_SUCCESS)
    return 0;

  return capabilities;
}

/* Returns the reason why @context has no fine-grained shared virtual memory
 * with atomics, static; NULL: it has. Checks the platform's version first,
 * because the function table of an old platform ends before these functions. */
static const gchar *
find_obstacle (GstClContext *context)
{
  const GstClDevice *device = context->device;
  const Functions *functions = find_functions ();
  cl_device_svm_capabilities capabilities;

  if (!device->platform_version ||
      g_str_has_prefix (device->platform_version, "OpenCL 1."))
    return "no shared virtual memory: its platform is older than OpenCL 2.0";
  if (!functions->alloc || !functions->free || !functions->set_argument)
    return "no shared virtual memory: the loader is older than OpenCL 2.0";

  capabilities = find_capabilities (device);
  if (capabilities == 0)
    return "no shared virtual memory";
  if (!(capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
    return "shared virtual memory that is coarse-grained only";
  if ((capabilities & CAPABILITIES) != CAPABILITIES)
    return "fine-grained shared virtual memory without atomics";

  return NULL;
}

static gpointer
alloc_svm (GstClContext *context, gsize size_bytes, GError **error)
{
  const gchar *obstacle = find_obstacle (context);
  gpointer data;

  if (obstacle) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_OPERATION,
        "Fine-grained shared virtual memory with atomics is required; %s has "
        "%s.",
        context->device->name, obstacle);
    return NULL;
  }

  data = find_functions ()->alloc (context->handle,
      CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
      size_bytes, 0);
  gst_cl_check (data ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE,
      "allocate shared virtual memory", error);

  return data;
}

/* --- the words ------------------------------------------------------------ */

static void
destroy (gpointer data)
{
  SharedWords *self = data;

  if (self->svm)
    find_functions ()->free (self->context->handle, self->svm);
  gst_cl_pinned_clear (&self->pinned, self->context);
  gst_object_unref (self->context);
  g_free (self);
}

SharedWords *
shared_words_new (GstClContext *context, SharedWordsKind kind, guint n_words,
    GError **error)
{
  const gsize size_bytes = n_words * sizeof (guint32);
  g_autoptr (SharedWords) self = g_new0 (SharedWords, 1);

  self->context = gst_object_ref (context);
  self->n_words = n_words;

  if (kind == SHARED_WORDS_SVM)
    self->words = self->svm = alloc_svm (context, size_bytes, error);
  else if (gst_cl_pinned_reserve (&self->pinned, context, size_bytes, error))
    self->words = (guint32 *) self->pinned.data;

  if (!self->words)
    return NULL;
  memset (self->words, 0, size_bytes);

  return g_steal_pointer (&self);
}

void
shared_words_free (SharedWords *self)
{
  if (!self)
    return;

  if (gst_cl_context_finish (self->context, NULL))
    destroy (self);
  else
    gst_cl_quarantine_add (self->context, self->n_words * sizeof (guint32),
        self, destroy);
}

cl_int
shared_words_set_argument (const SharedWords *self, cl_kernel kernel,
    cl_uint index)
{
  if (self->svm)
    return find_functions ()->set_argument (kernel, index, self->svm);

  return clSetKernelArg (kernel, index, sizeof self->pinned.mem,
      &self->pinned.mem);
}

guint32
shared_words_get (const SharedWords *self, guint index)
{
  return (guint32) g_atomic_int_get (&self->words[index]);
}

void
shared_words_set (SharedWords *self, guint index, guint32 value)
{
  g_atomic_int_set (&self->words[index], value);
}

gboolean
shared_words_wait (const SharedWords *self, guint index, guint32 value,
    gint64 deadline_us)
{
  for (guint n_clock_reads = 0; g_get_monotonic_time () < deadline_us;
       n_clock_reads++) {
    for (guint i = 0; i < POLLS_PER_CLOCK_READ; i++) {
      if (shared_words_get (self, index) == value)
        return TRUE;
    }
    if (n_clock_reads >= CLOCK_READS_BEFORE_YIELD)
      g_thread_yield ();
  }

  return shared_words_get (self, index) == value;
}
