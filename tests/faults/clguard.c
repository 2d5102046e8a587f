/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects kernels that leave their buffers, on devices that run in the process
 * (PoCL): a library for LD_PRELOAD.
 *
 * Each buffer has pages of its own. The page after it is protected, so that a
 * kernel that reads or writes there ends the process with SIGSEGV. A buffer
 * starts at a multiple of ALIGNMENT, so that up to ALIGNMENT - 1 bytes may be
 * between its end and that page. These bytes, and the bytes before the buffer,
 * must be unchanged when the buffer is freed, otherwise the process aborts.
 * Fresh memory is filled with bytes that are unlikely as results: a kernel that
 * reads uninitialized memory does not get zeros. */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include "mocks/realfunction.h"

#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64 /* the largest load of a kernel: a ulong8 */
#define FILL      0xA5

typedef struct {
  unsigned char *pages; /* the first and the last are protected */
  size_t n_pages_bytes;
  unsigned char *data;
  size_t n_data_bytes;
} Guarded;

static void
expect_fill (const Guarded *guarded, const unsigned char *start,
    const unsigned char *end)
{
  for (const unsigned char *p = start; p < end; p++) {
    if (*p != FILL) {
      fprintf (stderr,
          "clguard: byte %td of a buffer of %zu bytes was written\n",
          p - guarded->data, guarded->n_data_bytes);
      abort ();
    }
  }
}

static void CL_CALLBACK
release (cl_mem mem, void *user_data)
{
  Guarded *guarded = user_data;
  const size_t page = (size_t) sysconf (_SC_PAGESIZE);
  const unsigned char *end = guarded->pages + guarded->n_pages_bytes - page;

  (void) mem;
  expect_fill (guarded, guarded->pages + page, guarded->data);
  expect_fill (guarded, guarded->data + guarded->n_data_bytes, end);
  munmap (guarded->pages, guarded->n_pages_bytes);
  free (guarded);
}

/* NULL: out of memory. */
static Guarded *
allocate (size_t n_bytes)
{
  const size_t page = (size_t) sysconf (_SC_PAGESIZE);
  const size_t whole = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const size_t inner = (whole + page - 1) / page * page;
  Guarded *guarded = calloc (1, sizeof *guarded);

  if (!guarded)
    return NULL;
  guarded->n_pages_bytes = inner + 2 * page;
  guarded->pages = mmap (NULL, guarded->n_pages_bytes, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (guarded->pages == MAP_FAILED ||
      mprotect (guarded->pages + page, inner, PROT_READ | PROT_WRITE) != 0) {
    if (guarded->pages != MAP_FAILED)
      munmap (guarded->pages, guarded->n_pages_bytes);
    free (guarded);
    return NULL;
  }
  guarded->data = guarded->pages + page + inner - whole;
  guarded->n_data_bytes = n_bytes;
  memset (guarded->pages + page, FILL, inner);

  return guarded;
}

/* A GPU does not use the memory of this process. */
static int
runs_here (cl_context context)
{
  cl_device_id device = NULL;
  cl_device_type type = 0;
  size_t n_bytes = 0;

  clGetContextInfo (context, CL_CONTEXT_DEVICES, 0, NULL, &n_bytes);
  if (n_bytes != sizeof device)
    return 0;
  clGetContextInfo (context, CL_CONTEXT_DEVICES, n_bytes, &device, NULL);
  clGetDeviceInfo (device, CL_DEVICE_TYPE, sizeof type, &type, NULL);

  return (type & CL_DEVICE_TYPE_CPU) != 0;
}

cl_mem
clCreateBuffer (cl_context context, cl_mem_flags flags, size_t n_bytes,
    void *host_ptr, cl_int *errcode)
{
  const cl_mem_flags own = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  Guarded *guarded = NULL;
  cl_mem mem;

  if (!(flags & own) && !host_ptr && n_bytes > 0 && runs_here (context))
    guarded = allocate (n_bytes);
  if (!guarded)
    return REAL (clCreateBuffer) (context, flags, n_bytes, host_ptr, errcode);

  flags &= ~(cl_mem_flags) CL_MEM_ALLOC_HOST_PTR;
  mem = REAL (clCreateBuffer) (context, flags | CL_MEM_USE_HOST_PTR, n_bytes,
      guarded->data, errcode);
  if (mem)
    clSetMemObjectDestructorCallback (mem, release, guarded);
  else
    release (NULL, guarded);

  return mem;
}
