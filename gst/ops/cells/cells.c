/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells: the table of implementations, their launches, and results. */

#include "cells.h"
#include "cellsprivate.h"

#include "cells/cl_cells.clh"
#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"
#include "common/gstclcells.h"
#include "ops/sample.h"

#include <string.h>

G_STATIC_ASSERT (CELL_COLUMNS == GST_CL_CELLS_COLUMNS);
G_STATIC_ASSERT (CELL_ROWS == GST_CL_CELLS_ROWS);
G_STATIC_ASSERT (CELL_ONE == GST_CL_CELL_ONE);

/* --- instances ------------------------------------------------------------ */

/* The constant of a row. */
typedef struct {
  const gchar *measure;
  guint n_groups; /* work-groups for a component */
} Row;

struct _GstClCellsOp {
  GstClContext *context;
  const Row *row;
  GstClCellsProblem problem;
  GstClKernel *measure;
  cl_mem result;                                /* of the last run */
  GstClReadback *readbacks[GST_CL_CELLS_SLOTS]; /* NULL before the first read */
};

static gsize
count_result_bytes (const GstClCellsOp *self)
{
  return self->problem.n_components * N_CELLS * sizeof (guint32);
}

gpointer
gst_cl_cells_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClCellsOp) self = g_new0 (GstClCellsOp, 1);
  g_autofree gchar *type = NULL, *options = NULL;
  const GstClSampleType *sample;

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = *(const GstClCellsProblem *) problem;
  sample = &self->problem.shapes[0].sample;
  type = gst_cl_sample_options (sample);
  options = g_strdup_printf ("%s -DDEPTH=%u", type, sample->depth);
  self->measure = gst_cl_kernel_new (context,
      candidate->implementation->resource, options, self->row->measure, error);
  if (!self->measure)
    return NULL;
  self->result = gst_cl_buffer_new (context, count_result_bytes (self), error);

  return self->result ? g_steal_pointer (&self) : NULL;
}

void
gst_cl_cells_op_free (gpointer op)
{
  GstClCellsOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_CELLS_SLOTS; i++)
    g_clear_pointer (&self->readbacks[i], gst_cl_readback_free);
  g_clear_pointer (&self->measure, gst_cl_kernel_free);
  g_clear_pointer (&self->result, gst_cl_buffer_free);
  gst_clear_object (&self->context);
  g_free (self);
}

/* --- runs and results ----------------------------------------------------- */

gboolean
gst_cl_cells_op_run (gpointer op, gconstpointer components, GError **error)
{
  const GstClCellsOp *self = op;
  const guint n = self->problem.n_components;
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 1];

  if (!gst_cl_components_check_parts (components, self->problem.shapes, n,
          "cells", error))
    return FALSE;

  gst_cl_frame_arguments_get (components, n, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (self->result);

  return gst_cl_kernel_launch (self->measure,
      self->row->n_groups * gst_cl_kernel_local_size (self->measure, 0), n, 1,
      args, G_N_ELEMENTS (args), error);
}

gboolean
gst_cl_cells_op_fetch (GstClCellsOp *self, guint slot, GError **error)
{
  g_return_val_if_fail (slot < GST_CL_CELLS_SLOTS, FALSE);

  if (!self->readbacks[slot])
    self->readbacks[slot] = gst_cl_readback_new (self->context, 1,
        count_result_bytes (self), error);

  return self->readbacks[slot] &&
         gst_cl_readback_enqueue_part (self->readbacks[slot], 0, self->result,
             count_result_bytes (self), error);
}

const guint32 *
gst_cl_cells_op_result (GstClCellsOp *self, guint slot, GError **error)
{
  g_return_val_if_fail (slot < GST_CL_CELLS_SLOTS && self->readbacks[slot],
      NULL);

  return gst_cl_readback_wait (self->readbacks[slot], 0, error);
}

/* --- table --------------------------------------------------------------- */

/* No element has these methods: the device decides. */
typedef enum { PLAIN = 1, ROWS } Method;

static const Row in_rows = { "cells_cpu_measure", CELL_ROWS };
static const Row plain = { "cells_measure", N_CELLS };

static const GstClInstanceFuncs funcs = {
  .create = gst_cl_cells_op_new,
  .run = gst_cl_cells_op_run,
  .free = gst_cl_cells_op_free,
};

static const GstClImplementation rows[] = {
  {
      .name = "cpu",
      .method = ROWS,
      .resource = "cells/cpu.cl",
      .family = GST_CL_FAMILY_CPU,
      .funcs = &funcs,
      .data = &in_rows,
  },
  {
      .name = "plain",
      .method = PLAIN,
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU),
      .resource = "cells/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &funcs,
      .data = &plain,
  },
};

static gchar *
describe (gconstpointer user_problem)
{
  const GstClCellsProblem *problem = user_problem;
  const GstClSampleType *sample = &problem->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (problem->shapes,
      problem->n_components);

  return g_strdup_printf ("cells of %u+%u bits, %s", sample->depth,
      sample->shift, shapes);
}

static gpointer
make_io (GstClContext *context, gconstpointer user_problem, GError **error)
{
  const GstClCellsProblem *problem = user_problem;

  return gst_cl_components_new_zeroed (context, problem->shapes,
      problem->n_components, error);
}

const GstClOpTable gst_cl_cells_table = {
  .name = "cells",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
  .make_io = make_io,
  .free_io = gst_cl_components_free,
  .answers = gst_cl_cells_answers,
  .n_answers = GST_CL_CELLS_N_ANSWERS,
  .is_alike = gst_cl_cells_is_alike,
  .compute_answer = gst_cl_cells_compute_answer,
};

const GstClTieredFuncs gst_cl_cells_tiered = {
  .table = &gst_cl_cells_table,
  .problem_bytes = sizeof (GstClCellsProblem),
  .create = gst_cl_cells_op_new,
  .free = gst_cl_cells_op_free,
  .run = gst_cl_cells_op_run,
};
