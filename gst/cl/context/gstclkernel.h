/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclprogram.h"

G_BEGIN_DECLS

/* A cl_kernel. Setting arguments is not thread-safe: each op instance creates
 * its own kernels, which share a program. */
typedef struct _GstClKernel GstClKernel;

/* One argument, typed as the kernel declares it. */
typedef struct {
  enum {
    GST_CL_ARG_MEM,   /* __global pointer */
    GST_CL_ARG_INT,   /* int */
    GST_CL_ARG_UINT,  /* uint */
    GST_CL_ARG_ULONG, /* ulong */
    GST_CL_ARG_INT4,  /* int4 */
    GST_CL_ARG_BYTES, /* any other type */
  } type;
  union {
    cl_mem mem;
    cl_int i;
    cl_uint u;
    cl_ulong ul;
    cl_int4 i4;
    struct {
      gconstpointer data; /* borrowed until the launch */
      gsize n;
    } bytes;
  } value;
} GstClArg;

/* clang-format off */
#define GST_CL_MEM(v)   { .type = GST_CL_ARG_MEM,   .value.mem = (v) }
#define GST_CL_INT(v)   { .type = GST_CL_ARG_INT,   .value.i = (cl_int) (v) }
#define GST_CL_UINT(v)  { .type = GST_CL_ARG_UINT,  .value.u = (cl_uint) (v) }
#define GST_CL_ULONG(v) { .type = GST_CL_ARG_ULONG, .value.ul = (cl_ulong) (v) }
#define GST_CL_INT4(v)  { .type = GST_CL_ARG_INT4,  .value.i4 = (v) }
#define GST_CL_BYTES(v) \
  { .type = GST_CL_ARG_BYTES, .value.bytes = { &(v), sizeof (v) } }
/* clang-format on */

/* Creates the kernel @name of the kernel file @resource ("integral/plain.cl",
 * "integral/cpu.cl"), built with @options (-D..., may be ""). The kernel must
 * declare reqd_work_group_size. Returns NULL with @error; a
 * CL_BUILD_PROGRAM_FAILURE has the first error line of the compiler, and the
 * whole log goes to GST_ERROR. */
GstClKernel *gst_cl_kernel_new (GstClContext *context, const gchar *resource,
    const gchar *options, const gchar *name, GError **error);
void gst_cl_kernel_free (GstClKernel *kernel);

/* Creates the kernel @name of @program. If it does not declare
 * reqd_work_group_size, its work-groups have @local work-items in x, y and z,
 * or fewer if the device has too few for this kernel. */
GstClKernel *gst_cl_kernel_new_of_program (GstClContext *context,
    GstClProgram *program, const gchar *options, const gchar *name,
    const gsize local[3], GError **error);

/* Sets *n_args to the number of arguments that the kernel declares. */
gboolean gst_cl_kernel_get_n_args (GstClKernel *kernel, guint *n_args,
    GError **error);

/* Further launches use @queue, a queue of the context, instead of the compute
 * queue. */
void gst_cl_kernel_set_queue (GstClKernel *kernel, cl_command_queue queue);

/* Returns the size of a work-group in dimension @dim (0..2), as the kernel
 * declares it. */
gsize gst_cl_kernel_local_size (const GstClKernel *kernel, guint dim);

/* Enqueues @kernel over x * y * z work-items, each dimension rounded up to
 * whole work-groups; does not wait. @args has all arguments in the kernel's
 * order. */
gboolean gst_cl_kernel_launch (GstClKernel *kernel, gsize x, gsize y, gsize z,
    const GstClArg *args, guint n_args, GError **error);

/* A launch after the commands of @waits, which may be on any queue of the
 * context; those queues are flushed. */
typedef struct {
  gsize items[3]; /* x, y, z of gst_cl_kernel_launch() */
  const GstClArg *args;
  guint n_args;
  const cl_event *waits;
  guint n_waits;
  gsize offset[3]; /* of the global ids */
} GstClLaunch;

gboolean gst_cl_kernel_launch_after (GstClKernel *kernel,
    const GstClLaunch *launch, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClKernel, gst_cl_kernel_free)

G_END_DECLS
