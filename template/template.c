/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An amount added to every sample: the op's table, and its one
 * implementation. */

#include "template.h"

#include "cl/context/gstclkernel.h"
#include "ops/sample.h"

typedef struct {
  GstClTemplateProblem problem;
  GstClKernel *kernel;
} Plain;

static void
plain_free (gpointer instance)
{
  Plain *self = instance;

  if (!self)
    return;

  gst_cl_kernel_free (self->kernel);
  g_free (self);
}

static gpointer
plain_create (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer data, GError **error)
{
  const GstClTemplateProblem *problem = data;
  g_autofree gchar *options = gst_cl_sample_type_option (&problem->sample);
  Plain *self = g_new0 (Plain, 1);

  self->problem = *problem;
  self->kernel = gst_cl_kernel_new (context,
      candidate->implementation->resource, options, "template_plain", error);
  if (!self->kernel)
    g_clear_pointer (&self, plain_free);

  return self;
}

static gboolean
plain_run (gpointer instance, gconstpointer data, GError **error)
{
  Plain *self = instance;
  const GstClTemplateIo *io = data;
  const GstClSampleType *sample = &self->problem.sample;
  const GstClArg args[] = {
    GST_CL_MEM (io->src.mem),
    GST_CL_ULONG (io->src.offset_bytes),
    GST_CL_INT (io->src.stride_bytes),
    GST_CL_MEM (io->dst.mem),
    GST_CL_ULONG (io->dst.offset_bytes),
    GST_CL_INT (io->dst.stride_bytes),
    GST_CL_INT (self->problem.width),
    GST_CL_INT (self->problem.height),
    GST_CL_INT (self->problem.pixel_stride_bytes / (gint) sample->bytes),
    GST_CL_INT (sample->shift),
    GST_CL_INT ((1u << sample->depth) - 1),
    GST_CL_INT (io->amount),
  };

  return gst_cl_kernel_launch (self->kernel, self->problem.width,
      self->problem.height, 1, args, G_N_ELEMENTS (args), error);
}

static const GstClInstanceFuncs plain = {
  .create = plain_create,
  .run = plain_run,
  .free = plain_free,
};

static const GstClImplementation rows[] = {
  { .name = "plain",
      .method = 1,
      .resource = "template/plain.cl",
      .family = GST_CL_FAMILY_ANY,
      .funcs = &plain },
};

static gchar *
describe (gconstpointer data)
{
  const GstClTemplateProblem *problem = data;

  return g_strdup_printf ("template %dx%d, %u+%u bits every %d bytes",
      problem->width, problem->height, problem->sample.depth,
      problem->sample.shift, problem->pixel_stride_bytes);
}

const GstClOpTable gst_cl_template_table = {
  .name = "template",
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .describe = describe,
};
