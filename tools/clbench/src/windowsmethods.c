/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods to compute the means of windows, ready to run. */

#include "windowsmethods.h"
#include "oprow.h"

#define RESOURCE "clbench/windows.cl"

/* as in windows.cl */
#define ITEMS 64
#define STRIP (4 * ITEMS) /* results of a work-group */
#define SPAN  1088        /* capacity of a work-group in sums of a row */

static const struct {
  const gchar *name;
  const gchar *kernel;         /* kernel of windows.cl, with these options */
  const gchar *options;        /* build options */
  const gchar *implementation; /* row of the plugin's table; NULL: sliding */
  GstClFamily family;          /* family of devices; ANY: all */
} methods[WINDOWS_N_METHODS] = {
  [WINDOWS_ONE_BUFFER] = { "strided copies, one buffer",
      .kernel = "windows_one_buffer", .options = "" },
  [WINDOWS_FOUR_BUFFERS] = { "strided copies, four buffers",
      .kernel = "windows_four_buffers", .options = "" },
  [WINDOWS_CONTIGUOUS] = { "contiguous copies", .kernel = "windows_contiguous",
      .options = "" },
  [WINDOWS_CLLOCALMEAN] = { "strided copies of cllocalmean",
      .implementation = "async-copy-of-sums" },
  [WINDOWS_DIRECT] = { "direct reads", .implementation = "direct-of-sums" },
  [WINDOWS_DIRECT_IN_BANDS] = { "direct reads in bands",
      .implementation = "direct-cpu-of-sums", .family = GST_CL_FAMILY_CPU },
  [WINDOWS_SLIDING] = { .name = "sliding" },
  [WINDOWS_NO_BARRIERS] = { "strided copies, no barriers",
      .kernel = "windows_no_barriers", .options = "-DWITH_BARRIERS=0" },
};

const gchar *
windows_method_name (WindowsMethod method)
{
  return methods[method].name;
}

gboolean
windows_method_exists (WindowsMethod method, const GstClDevice *device)
{
  return methods[method].family == GST_CL_FAMILY_ANY ||
         methods[method].family == device->family;
}

/* --- bytes that must be read ---------------------------------------------- */

/* Number of distinct positions along an axis at which one of @n windows begins
 * or ends. */
static gdouble
count_corners (gint n, gint step)
{
  return WINDOWS_SIZE % step == 0 ? n + MIN (n, WINDOWS_SIZE / step) : 2. * n;
}

/* Number of samples along an axis that are in any of @n windows. */
static gdouble
count_samples (gint n, gint step)
{
  return (n - 1.) * MIN (step, WINDOWS_SIZE) + WINDOWS_SIZE;
}

/* --- preparing ------------------------------------------------------------ */

static gboolean
prepare_kernel (WindowsJob *self, WindowsMethod method, GError **error)
{
  const gint fit = (SPAN - WINDOWS_SIZE - 1) / self->step + 1;
  const gint strip = method == WINDOWS_CONTIGUOUS
                         ? MIN (STRIP, fit / ITEMS * ITEMS)
                         : STRIP;

  self->window = (cl_int4){ .s = { WINDOWS_SIZE, WINDOWS_SIZE, strip } };
  self->grid = (cl_int4){ .s = { self->columns, self->rows, self->step,
                              self->step } };
  self->items = (gsize) (self->columns + strip - 1) / strip * ITEMS;
  self->kernel = gst_cl_kernel_new (self->frame.context, RESOURCE,
      methods[method].options, methods[method].kernel, error);

  return self->kernel != NULL;
}

static const GstClImplementation *
find_row (const GstClLocalMeanProblem *problem, WindowsMethod method,
    const GstClDevice *device)
{
  const GstClOpTable *table = &gst_cl_local_mean_table;
  const GstClImplementation *row;

  if (methods[method].implementation)
    return op_row_find (table, methods[method].implementation);

  row = gst_cl_op_table_first (table, GST_CL_LOCAL_MEAN_METHOD_SLIDING, problem,
      device);

  /* no other implementation may replace sliding */
  return row && row->method == GST_CL_LOCAL_MEAN_METHOD_SLIDING ? row : NULL;
}

static gboolean
prepare_op (WindowsJob *self, WindowsMethod method, GError **error)
{
  GstClContext *context = self->frame.context;
  const GstClImplementation *row = find_row (&self->problem, method,
      context->device);
  GstClCandidate candidate;

  if (!row)
    return FALSE;

  candidate = gst_cl_implementation_untuned (row, &self->problem,
      context->device);
  self->op = gst_cl_local_mean_op_new (context, &candidate, &self->problem,
      error);

  return self->op != NULL;
}

gboolean
windows_job_init (WindowsJob *self, const WindowsFrame *frame,
    WindowsMethod method, gint step, GError **error)
{
  const gboolean from_sums = method != WINDOWS_SLIDING;

  *self = (WindowsJob) {
    .step = step,
    .frame = *frame,
    .problem = {
      .operation = GST_CL_LOCAL_MEAN_OPERATION_MEAN,
      .window = {
        .kernel_width = WINDOWS_SIZE,
        .kernel_height = WINDOWS_SIZE,
        .anchor_x = WINDOWS_SIZE / 2,
        .anchor_y = WINDOWS_SIZE / 2,
        .step_x = step,
        .step_y = step,
        .border = GST_CL_BORDER_VALID,
      },
      .repeat = 1,
      .width = frame->samples.width,
      .height = frame->samples.height,
      .sample = frame->samples.sample,
      .src_pixel_stride_bytes = 1,
      .dst_pixel_stride_bytes = 1,
      .from_sums = from_sums,
      .layout = frame->sums.layout,
      .channels = 1,
      .sum_bytes = frame->sums.sum_bytes,
    },
  };
  gst_cl_local_mean_result_size (&self->problem, &self->columns, &self->rows);
  self->bytes_to_read = from_sums ? count_corners (self->columns, step) *
                                        count_corners (self->rows, step) *
                                        frame->sums.sum_bytes
                                  : count_samples (self->columns, step) *
                                        count_samples (self->rows, step);

  return methods[method].kernel ? prepare_kernel (self, method, error)
                                : prepare_op (self, method, error);
}

void
windows_job_clear (WindowsJob *self)
{
  g_clear_pointer (&self->kernel, gst_cl_kernel_free);
  g_clear_pointer (&self->op, gst_cl_local_mean_op_free);
}

/* --- running -------------------------------------------------------------- */

static gboolean
run_kernel (const WindowsJob *self, GError **error)
{
  const GstClArg args[] = {
    GST_CL_MEM (self->frame.sums.mem),
    GST_CL_INT (self->frame.sums.width + 1),
    GST_CL_MEM (self->frame.results),
    GST_CL_INT4 (self->window),
    GST_CL_INT4 (self->grid),
  };

  return gst_cl_kernel_launch (self->kernel, self->items, self->rows, 1, args,
      G_N_ELEMENTS (args), error);
}

static gboolean
run_op (const WindowsJob *self, GError **error)
{
  const gboolean from_sums = self->problem.from_sums;
  const GstClComponent results = {
    .mem = self->frame.results,
    .stride_bytes = self->columns,
    .pixel_stride_bytes = 1,
    .width = self->columns,
    .height = self->rows,
    .sample = self->frame.samples.sample,
  };
  const GstClLocalMeanIo io = {
    .samples = from_sums ? NULL : &self->frame.samples,
    .sums = from_sums ? &self->frame.sums : NULL,
    .results = &results,
  };

  return gst_cl_local_mean_op_run (self->op, &io, error);
}

gboolean
windows_job_run (gpointer job, GError **error)
{
  const WindowsJob *self = job;

  return self->kernel ? run_kernel (self, error) : run_op (self, error);
}
