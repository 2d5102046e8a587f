/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barriers across work-groups: the ring that shows whether they hold. */

#include "devicesync.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/context/gstclkernel.h"
#include "common/gstcldebug.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_op_debug);
#define GST_CAT_DEFAULT gst_cl_op_debug ()

/* The kernel has the same numbers: words before those of the groups, and for
 * each. */
#define SHARED_WORDS           2
#define SHARED_WORDS_PER_GROUP 2

/* What rows differ in: GstClImplementation.data. */
typedef struct {
  const gchar *barrier; /* what the kernel calls it */
  gboolean takes_several_launches;
} Row;

struct _GstClDeviceSyncOp {
  GstClContext *context;
  GstClKernel *ring, *read, *write;
  guint n_groups;
  guint ring_length;

  cl_mem shared;                  /* what work-groups tell each other */
  cl_mem sums;                    /* of a round in two launches */
  guint32 n_launches, n_barriers; /* so far */
  guint32 n_checked;              /* launches when last asked */
  gboolean takes_several_launches;
};

/* ---- life cycle ---- */

static gboolean
build_kernels (GstClDeviceSyncOp *op, const GstClImplementation *implementation,
    GError **error)
{
  const Row *row = implementation->data;
  g_autofree gchar *options = g_strconcat ("-DBARRIER=", row->barrier, NULL);

  op->ring = gst_cl_kernel_new (op->context, implementation->resource, options,
      "devicesync_ring", error);
  if (!op->ring)
    return FALSE;

  op->read = gst_cl_kernel_new (op->context, implementation->resource, options,
      "devicesync_read", error);
  if (!op->read)
    return FALSE;

  op->write = gst_cl_kernel_new (op->context, implementation->resource, options,
      "devicesync_write", error);

  return op->write != NULL;
}

static gboolean
allocate (GstClDeviceSyncOp *op, GError **error)
{
  const gsize size_bytes = (SHARED_WORDS +
                               SHARED_WORDS_PER_GROUP * op->n_groups) *
                           sizeof (guint32);
  g_autofree guint8 *zeros = g_malloc0 (size_bytes);

  op->sums = gst_cl_buffer_new (op->context, op->ring_length * sizeof (guint32),
      error);
  if (!op->sums)
    return FALSE;

  op->shared = gst_cl_buffer_new (op->context, size_bytes, error);

  return op->shared && gst_cl_buffer_write (op->context, op->shared, 0,
                           size_bytes, zeros, error);
}

void
gst_cl_device_sync_op_free (gpointer instance)
{
  GstClDeviceSyncOp *op = instance;

  if (!op)
    return;

  gst_cl_kernel_free (op->ring);
  gst_cl_kernel_free (op->read);
  gst_cl_kernel_free (op->write);
  gst_cl_buffer_free (op->shared);
  gst_cl_buffer_free (op->sums);
  gst_object_unref (op->context);
  g_free (op);
}

gpointer
gst_cl_device_sync_op_new (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer user_problem, GError **error)
{
  const GstClImplementation *implementation = candidate->implementation;
  const GstClDeviceSyncProblem *problem = user_problem;
  const Row *row = implementation->data;
  g_autoptr (GstClDeviceSyncOp) op = NULL;

  if (!gst_cl_implementation_supports (implementation, problem,
          context->device)) {
    g_set_error (error, GST_CL_ERROR, CL_INVALID_VALUE,
        "%u work-groups cannot wait for each other on %s: it runs %u at once.",
        problem->n_groups, context->device->name,
        context->device->compute_units);
    return NULL;
  }

  op = g_new0 (GstClDeviceSyncOp, 1);
  op->context = gst_object_ref (context);
  op->n_groups = problem->n_groups;
  op->takes_several_launches = row->takes_several_launches;
  if (!build_kernels (op, implementation, error))
    return NULL;

  op->ring_length = op->n_groups * gst_cl_kernel_local_size (op->ring, 0);
  if (!allocate (op, error))
    return NULL;

  return g_steal_pointer (&op);
}

/* ---- rounds ---- */

static gboolean
run_several_launches (GstClDeviceSyncOp *op, cl_mem ring, guint n_rounds,
    GError **error)
{
  const GstClArg args[] = { GST_CL_MEM (ring), GST_CL_MEM (op->sums) };

  for (guint i = 0; i < n_rounds; i++) {
    if (!gst_cl_kernel_launch (op->read, op->ring_length, 1, 1, args,
            G_N_ELEMENTS (args), error) ||
        !gst_cl_kernel_launch (op->write, op->ring_length, 1, 1, args,
            G_N_ELEMENTS (args), error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
run (gpointer instance, gconstpointer user_io, GError **error)
{
  GstClDeviceSyncOp *op = instance;
  const GstClDeviceSyncIo *io = user_io;
  const GstClArg args[] = {
    GST_CL_MEM (io->ring),
    GST_CL_UINT (io->n_rounds),
    GST_CL_MEM (op->shared),
    GST_CL_UINT (op->n_barriers),
    GST_CL_UINT (op->n_launches + 1),
    GST_CL_UINT (gst_cl_device_spin_limit (op->context->device)),
  };

  if (op->takes_several_launches)
    return run_several_launches (op, io->ring, io->n_rounds, error);

  if (!gst_cl_kernel_launch (op->ring, op->ring_length, 1, 1, args,
          G_N_ELEMENTS (args), error))
    return FALSE;

  op->n_launches++;
  op->n_barriers += 2 * io->n_rounds;

  return TRUE;
}

/* ---- table ---- */

static gboolean
runs_all_groups_at_once (const GstClImplementation *row,
    gconstpointer user_problem, const GstClDevice *device)
{
  const GstClDeviceSyncProblem *problem = user_problem;

  return problem->n_groups >= 1 && problem->n_groups <= device->compute_units;
}

#define ROW(name_, method_, ...)                                               \
  {                                                                            \
    .name = name_, .method = method_, .resource = "devicesync/plain.cl",       \
    .family = GST_CL_FAMILY_ANY, .supports = runs_all_groups_at_once,          \
    .create = gst_cl_device_sync_op_new, .run = run,                           \
    .free = gst_cl_device_sync_op_free, .data = &(const Row)                   \
    {                                                                          \
      __VA_ARGS__                                                              \
    }                                                                          \
  }

static const GstClImplementation rows[] = {
  ROW ("leader", GST_CL_DEVICE_SYNC_LEADER, "LEADER", FALSE),
  ROW ("every-item", GST_CL_DEVICE_SYNC_EVERY_ITEM, "EVERY_ITEM", FALSE),
  ROW ("flags", GST_CL_DEVICE_SYNC_FLAGS, "FLAGS", FALSE),
  ROW ("launches", GST_CL_DEVICE_SYNC_LAUNCHES, "NO_BARRIER", TRUE),
  ROW ("none", GST_CL_DEVICE_SYNC_NONE, "NO_BARRIER", FALSE),
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClDeviceSyncProblem *problem = user_problem;

  return g_strdup_printf ("barriers of %u work-groups", problem->n_groups);
}

const GstClOpTable gst_cl_device_sync_table = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
};

/* ---- public face ---- */

guint
gst_cl_device_sync_op_ring_length (const GstClDeviceSyncOp *op)
{
  return op->ring_length;
}

gboolean
gst_cl_device_sync_op_run (GstClDeviceSyncOp *op, cl_mem ring, guint n_rounds,
    GError **error)
{
  const GstClDeviceSyncIo io = { ring, n_rounds };

  return run (op, &io, error);
}

gboolean
gst_cl_device_sync_op_check (GstClDeviceSyncOp *op, gboolean *is_done,
    GError **error)
{
  guint32 gave_up; /* the launch that did last; 0: none */

  if (!gst_cl_buffer_read (op->context, op->shared, 0, sizeof gave_up, &gave_up,
          error))
    return FALSE;

  *is_done = gave_up <= op->n_checked;
  op->n_checked = op->n_launches;
  if (!*is_done) {
    GST_WARNING_OBJECT (op->context,
        "%u work-groups waited in vain: several launches from now on",
        op->n_groups);
    op->takes_several_launches = TRUE;
  }

  return TRUE;
}
