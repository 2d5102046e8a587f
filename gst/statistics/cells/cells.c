/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells: the table of implementations, their launches, known answers. */

#include "cells.h"

#include "gstclcells.h"
#include "cells/cl_cells.clh"
#include "ops/knownanswer.h"
#include "ops/sample.h"

G_STATIC_ASSERT (CELL_COLUMNS == GST_CL_CELLS_COLUMNS);
G_STATIC_ASSERT (CELL_ROWS == GST_CL_CELLS_ROWS);
G_STATIC_ASSERT (CELL_ONE == GST_CL_CELL_ONE);

typedef struct {
  GstClPictureRow row;
  guint n_groups; /* work-groups for a component */
} Row;

static gchar *
get_options (const GstClPictureOp *op, guint c G_GNUC_UNUSED)
{
  const GstClSampleType *sample = &op->shape->shapes[0].sample;
  g_autofree gchar *type = gst_cl_sample_options (sample);

  return g_strdup_printf ("%s -DDEPTH=%u", type, sample->depth);
}

static gsize
count_result_bytes (const GstClPictureOp *op,
    const GstClPictureSize *sizes G_GNUC_UNUSED)
{
  return op->shape->n_components * GST_CL_N_CELLS * sizeof (guint32);
}

static gboolean
run (GstClPictureOp *op, const GstClPictureInput *input, GError **error)
{
  const Row *row = (const Row *) op->row;
  GstClKernel *measure = op->kernels[0][0];
  GstClArg args[GST_CL_FRAME_ARGUMENTS + 1];

  gst_cl_frame_arguments_get (input->components, op->shape->n_components, args);
  args[GST_CL_FRAME_ARGUMENTS] = (GstClArg) GST_CL_MEM (op->buffers[0]);

  return gst_cl_kernel_launch (measure,
      row->n_groups * gst_cl_kernel_local_size (measure, 0),
      op->shape->n_components, 1, args, G_N_ELEMENTS (args), error);
}

static const GstClPictureOpFuncs funcs = {
  .name = "cells",
  .problem_bytes = sizeof (GstClPictureShape),
  .word_bytes = sizeof (guint32),
  .n_answer_pictures = 1,
  .get_options = get_options,
  .count_result_bytes = count_result_bytes,
  .run = run,
};

/* --- table --------------------------------------------------------------- */

static const Row in_rows = { .row = { .funcs = &funcs,
                                 .kernels = { "cells_cpu_measure" } },
  .n_groups = CELL_ROWS };
static const Row plain = { .row = { .funcs = &funcs,
                               .kernels = { "cells_measure" } },
  .n_groups = N_CELLS };

static const GstClImplementation rows[] = {
  { GST_CL_PICTURE_OP_CPU_ROW ("cells", in_rows) },
  { GST_CL_PICTURE_OP_PLAIN_ROW ("cells", plain),
      .quick_on = GST_CL_FAMILY_BIT (GST_CL_FAMILY_CPU) },
};

static const GstClPictureShape problems[] = {
  { .n_components = 1, .shapes = { GST_CL_ANSWER_8_BITS } },
  { .n_components = 1, .shapes = { GST_CL_ANSWER_10_BITS } },
};

static const GstClAnswer answers[] = {
  { "luma", &problems[0], G_GUINT64_CONSTANT (0x6dfa5f23189d59b8) },
  { "10 bits", &problems[1], G_GUINT64_CONSTANT (0x9da6a7403a82dfa9) },
};

static gchar *
describe (gconstpointer problem)
{
  return gst_cl_picture_shape_describe (problem, "cells", "");
}

const GstClOpTable gst_cl_cells_table = {
  .name = "cells",
  .describe = describe,
  .is_alike = gst_cl_picture_op_is_alike,
  GST_CL_PICTURE_OP_TABLE (rows, answers),
};

const GstClTieredFuncs gst_cl_cells_tiered = {
  .table = &gst_cl_cells_table,
  .problem_bytes = sizeof (GstClPictureShape),
  GST_CL_PICTURE_OP_TIERED,
};
