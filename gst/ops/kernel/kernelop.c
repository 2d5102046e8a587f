/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of a user's file: source text, arguments, launches. */

#include "kernelop.h"

#include <string.h>

#include "cl/context/gstclkernel.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/memory/gstclreadback.h"
#include "cl/video/gstclframe.h"
#include "expression.h"
#include "guard.h"

#define HEADER "kernel/gst_cl.clh"

/* A frame as it is, for frames of GST_CL_PREVIOUS and GST_CL_IN_OUT. */
static const gchar copy_text[] =
    "//!WORK samples16\n"
    "__kernel void copy (GST_CL_IN (in), GST_CL_OUT (out))\n"
    "{\n"
    "  const int x = 16 * (int) get_global_id (0);\n"
    "  const int y = (int) get_global_id (1), c = (int) get_global_id (2);\n"
    "  if (gst_cl_contains (out, c, x, y))\n"
    "    gst_cl_store16 (out, c, x, y, gst_cl_load16 (in, c, x, y));\n"
    "}\n";

/* What a frame takes of a kernel's arguments: four planes and the view. */
#define FRAME_ARGUMENTS 5

/* GstClView of gst_cl.clh. */
typedef struct {
  cl_ulong offset[GST_VIDEO_MAX_COMPONENTS];
  cl_long time;
  cl_ulong number;
  cl_int width[GST_VIDEO_MAX_COMPONENTS], height[GST_VIDEO_MAX_COMPONENTS];
  cl_int stride[GST_VIDEO_MAX_COMPONENTS];
} View;

/* A value as an argument. */
typedef union {
  cl_int i[4];
  cl_uint u[4];
  cl_float f[4];
} Numbers;

/* A parameter that is an argument. */
typedef struct {
  GstClParameterValue value; /* of the next launch */
  Numbers numbers;           /* of no array */
  cl_mem array;              /* NULL: no array */
} Parameter;

typedef struct {
  GstClKernel *kernel;
  const GstClKernelFunction *function;
  gsize items[3];
  gint samples; /* of a work-item; 0: items are in two dimensions */
  guint n_args;
} Pass;

/* The memory between guard zones on which kernels run. */
typedef struct {
  guint n_inputs;
  GstClGuard **in_guards, *out_guard;
  GstClKernelFrame *in, out;
  GstClKernelOp **copy_in, *copy_out;
  GstClGuard **buffers, **statistics; /* of the file */
} Checks;

struct _GstClKernelOp {
  GstClContext *context;
  GstClKernelFile *file;
  GstVideoInfo in, out; /* in: of the first input */
  Parameter *parameters;
  GArray *passes;       /* Pass */
  cl_mem *buffers;      /* of file->buffers */
  cl_mem *statistics;   /* of file->statistics */
  gsize *counts;        /* of file->statistics */
  gsize *buffer_counts; /* of file->buffers */
  GstClReadback **reads;

  GstClKernelOp *copy; /* of the first input; NULL: no frame is copied */
  Checks *checks;      /* NULL: kernels are not checked */
  /* The frames of GST_CL_PREVIOUS, a ring: the frame n back is that of
   * (n_frames - n) modulo file->n_previous. */
  GstClKernelFrame *previous;
  gint *regions; /* of the next launch */
  guint n_regions;
  guint64 n_frames;  /* so far */
  gboolean is_reset; /* the next frame begins with empty buffers */
};

/* --- sizes ---------------------------------------------------------------- */

gboolean
gst_cl_kernel_size (const gchar *text, gint in_width, gint in_height,
    gint initial, gint *size, GError **error)
{
  const GstClVariable variables[] = { { "iw", in_width }, { "ih", in_height } };
  gint64 value = initial;

  if (text && !gst_cl_expression_evaluate (text, variables,
                  G_N_ELEMENTS (variables), &value, error))
    return FALSE;
  if (value < 1) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "The size \"%s\" of the output is %" G_GINT64_FORMAT
        " for an input of %dx%d.",
        text ? text : "", value, in_width, in_height);
    return FALSE;
  }
  *size = (gint) value;

  return TRUE;
}

static gsize
divide_up (gsize size, gint by)
{
  return (size + (gsize) by - 1) / (gsize) by;
}

/* Evaluates @text, a number of @what; at least 1. */
static gboolean
evaluate (GstClKernelOp *self, const gchar *text, const gchar *what,
    gsize *count, GError **error)
{
  const GstClVariable variables[] = {
    { "iw", GST_VIDEO_INFO_WIDTH (&self->in) },
    { "ih", GST_VIDEO_INFO_FIELD_HEIGHT (&self->in) },
    { "ow", GST_VIDEO_INFO_WIDTH (&self->out) },
    { "oh", GST_VIDEO_INFO_FIELD_HEIGHT (&self->out) },
    { "components", GST_VIDEO_INFO_N_COMPONENTS (&self->out) },
    { "codes", 1 << gst_cl_component_of_info (&self->in, 0).sample.depth },
  };
  gint64 value;

  if (!gst_cl_expression_evaluate (text, variables, G_N_ELEMENTS (variables),
          &value, error)) {
    g_prefix_error (error, "%s: %s: ", self->file->name, what);
    return FALSE;
  }
  if (value < 1) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s: %s: \"%s\" is %" G_GINT64_FORMAT ", less than 1.",
        self->file->name, what, text, value);
    return FALSE;
  }
  *count = (gsize) value;

  return TRUE;
}

/* Sets the work-items of @pass to @work. */
static gboolean
set_items (GstClKernelOp *self, const gchar *work, Pass *pass, GError **error)
{
  gsize *items = pass->items;
  const gsize width = (gsize) GST_VIDEO_INFO_WIDTH (&self->out),
              height = (gsize) GST_VIDEO_INFO_FIELD_HEIGHT (&self->out);
  g_auto (GStrv) sizes = NULL;
  guint n;

  items[0] = width;
  items[1] = height;
  items[2] = 1;
  if (!work || g_str_equal (work, "pixels"))
    return TRUE;
  if (g_str_equal (work, "samples") || g_str_equal (work, "samples16")) {
    pass->samples = g_str_has_suffix (work, "16") ? 16 : 1;
    items[0] = divide_up (items[0], pass->samples);
    items[2] = GST_VIDEO_INFO_N_COMPONENTS (&self->out);
    return TRUE;
  }
  if (g_str_equal (work, "rows")) {
    items[0] = height;
    items[1] = 1;
    return TRUE;
  }

  sizes = g_strsplit (work, "x", -1);
  n = g_strv_length (sizes);
  if (n < 2 || n > 3) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s: the work size \"%s\" is not pixels, samples, samples16, rows, or "
        "WxH with "
        "expressions of iw, ih, ow, oh.",
        self->file->name, work);
    return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    if (!evaluate (self, sizes[i], "work size", &items[i], error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
is_cpu (GstClContext *context)
{
  return (context->device->type & CL_DEVICE_TYPE_CPU) != 0;
}

/* --- source text ---------------------------------------------------------- */

/* Appends what gst_cl.clh needs to know about frames of @info called @name. */
static void
append_frame (GString *text, const gchar *name, const GstVideoInfo *info)
{
  const GstClSampleType sample = gst_cl_component_of_info (info, 0).sample;
  const guint n = GST_VIDEO_INFO_N_COMPONENTS (info);

  g_string_append_printf (text,
      "#define GST_CL_%s_COMPONENTS %u\n"
      "#define GST_CL_%s_BYTES %u\n"
      "#define GST_CL_%s_DEPTH %u\n"
      "#define GST_CL_%s_SHIFT %u\n"
      "#define GST_CL_%s_IS_RGB %d\n",
      name, n, name, sample.bytes, name, sample.depth, name, sample.shift, name,
      GST_VIDEO_INFO_IS_RGB (info) ? 1 : 0);
  for (guint c = 0; c < GST_VIDEO_MAX_COMPONENTS; c++)
    g_string_append_printf (text, "#define GST_CL_%s_STEP_%u %d\n", name, c,
        gst_cl_component_of_info (info, MIN (c, n - 1)).pixel_stride_bytes);
}

/* Returns the frames of @problem that a kernel calls @name. */
static const GstVideoInfo *
info_of (const GstClKernelProblem *problem, const GstClKernelArgument *argument)
{
  if (argument->kind == GST_CL_ARGUMENT_PREVIOUS)
    return &problem->in[0];
  if (argument->kind != GST_CL_ARGUMENT_IN)
    return problem->out;

  return &problem->in[gst_cl_kernel_file_input (problem->file, argument->name)];
}

/* Appends the frames of @function that are not in @names yet. */
static void
append_frames_of (GString *text, const GstClKernelProblem *problem,
    const GstClKernelFunction *function, GHashTable *names)
{
  const GArray *arguments = function->arguments;

  for (guint i = 0; i < arguments->len; i++) {
    const GstClKernelArgument *argument = &g_array_index (arguments,
        GstClKernelArgument, i);

    if (argument->kind <= GST_CL_ARGUMENT_PREVIOUS &&
        g_hash_table_add (names, argument->name))
      append_frame (text, argument->name, info_of (problem, argument));
  }
}

/* A name is one frame in all kernels that are launched; others only have to
 * compile. */
static void
append_frames (GString *text, const GstClKernelProblem *problem)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  const GArray *functions = problem->file->functions;
  const GArray *passes = problem->file->passes;

  for (guint i = 0; i < passes->len; i++)
    append_frames_of (text, problem,
        &g_array_index (functions, GstClKernelFunction,
            g_array_index (passes, GstClKernelPass, i).function),
        names);
  for (guint i = 0; i < functions->len; i++)
    append_frames_of (text, problem,
        &g_array_index (functions, GstClKernelFunction, i), names);
}

/* Returns the text for the compiler; NULL with @error. */
static gchar *
make_text (GstClContext *context, const GstClKernelProblem *problem,
    GError **error)
{
  const GstClKernelFile *file = problem->file;
  g_autofree gchar *header = gst_cl_source_load (HEADER, error);
  g_autofree gchar *name = g_strescape (file->name, NULL);
  GString *text;

  if (!header)
    return NULL;

  text = g_string_new (is_cpu (context) ? "#define GST_CL_CPU_\n" : NULL);
  append_frames (text, problem);
  g_string_append (text, header);
  for (guint i = 0; i < file->parameters->len; i++) {
    const GstClParameter *parameter = &g_array_index (file->parameters,
        GstClParameter, i);
    g_autofree gchar *literal = NULL;

    if (!parameter->is_constant)
      continue;
    literal = gst_cl_parameter_literal (parameter, &problem->values[i]);
    g_string_append_printf (text, "#define %s %s\n", parameter->name, literal);
  }
  g_string_append_printf (text, "#line 1 \"%s\"\n%s", name, file->text);

  return g_string_free (text, FALSE);
}

/* --- kernels -------------------------------------------------------------- */

/* Sets @local to the sizes of work-groups for kernels that declare none: on a
 * CPU, as long in x as the launch is, because a thread runs one after the
 * other. */
static void
choose_local (GstClContext *context, const gsize items[3], gsize local[3])
{
  const gsize longest = is_cpu (context) ? 1024 : items[1] > 1 ? 32 : 64;

  local[0] = 1;
  while (local[0] < longest && local[0] < items[0])
    local[0] *= 2;
  local[1] = !is_cpu (context) && items[1] > 1 ? 8 : 1;
  local[2] = 1;
}

static guint
count_arguments (const GstClKernelFile *file,
    const GstClKernelFunction *function)
{
  guint n = 0;

  for (guint i = 0; i < function->arguments->len; i++) {
    const GstClKernelArgument *argument = &g_array_index (function->arguments,
        GstClKernelArgument, i);

    if (argument->kind <= GST_CL_ARGUMENT_PREVIOUS)
      n += FRAME_ARGUMENTS;
    else if (argument->kind == GST_CL_ARGUMENT_PARAMETER &&
             gst_cl_parameter_is_array (&g_array_index (file->parameters,
                 GstClParameter, argument->index)))
      n += 2;
    else
      n++;
  }

  return n;
}

/* Returns TRUE if the kernel of @pass has the arguments that the file's text
 * shows: a macro of the user's could add some. */
static gboolean
check_arguments (GstClKernelOp *self, Pass *pass, GError **error)
{
  guint n;

  pass->n_args = count_arguments (self->file, pass->function);
  if (!gst_cl_kernel_get_n_args (pass->kernel, &n, error))
    return FALSE;
  if (n == pass->n_args)
    return TRUE;

  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "%s:%u: kernel %s has %u arguments, its text %u.", self->file->name,
      pass->function->line, pass->function->name, n, pass->n_args);

  return FALSE;
}

static gboolean
add_passes (GstClKernelOp *self, const GstClKernelProblem *problem,
    GError **error)
{
  g_autofree gchar *text = make_text (self->context, problem, error);
  g_autoptr (GstClProgram) program = NULL;

  if (!text)
    return FALSE;

  program = gst_cl_program_new (text, self->file->name);
  for (guint i = 0; i < self->file->passes->len; i++) {
    const GstClKernelPass *from = &g_array_index (self->file->passes,
        GstClKernelPass, i);
    Pass pass = { .function = &g_array_index (self->file->functions,
                      GstClKernelFunction, from->function) };
    const gchar *work = problem->work ? problem->work
                        : from->work  ? from->work
                                      : self->file->work;
    gsize local[3];

    if (!set_items (self, work, &pass, error))
      return FALSE;
    choose_local (self->context, pass.items, local);
    pass.kernel = gst_cl_kernel_new_of_program (self->context, program,
        problem->options ? problem->options : "", pass.function->name, local,
        error);
    if (!pass.kernel)
      return FALSE;
    g_array_append_val (self->passes, pass);
    if (!check_arguments (self, &g_array_index (self->passes, Pass, i), error))
      return FALSE;
  }

  return TRUE;
}

/* Returns the kernel that copies frames of @info, as a file of its own. */
static GstClKernelOp *
new_copy (GstClContext *context, const GstVideoInfo *info, GError **error)
{
  g_autoptr (GstClKernelFile) file = gst_cl_kernel_file_new (copy_text, "copy",
      NULL, NULL, NULL, error);
  const GstClKernelProblem problem = { .file = file,
    .in = info,
    .n_inputs = 1,
    .out = info };

  g_return_val_if_fail (file, NULL);

  return gst_cl_kernel_op_new (context, &problem, error);
}

/* --- memory --------------------------------------------------------------- */

/* Creates the memory of @from. @counts: receives the numbers of each.
 * @guards: receives what is around them, and owns them; NULL: they have no
 * guard zones. */
static gboolean
add_memories (GstClKernelOp *self, const GArray *from, cl_mem *memories,
    gsize *counts, GstClGuard **guards, GError **error)
{
  for (guint i = 0; i < from->len; i++) {
    const GstClKernelMemory *memory = &g_array_index (from, GstClKernelMemory,
        i);
    gsize count;

    if (!evaluate (self, memory->count, memory->name, &count, error))
      return FALSE;
    if (guards)
      guards[i] = gst_cl_guard_new_memory (self->context, 4 * count,
          &memories[i], error);
    else
      memories[i] = gst_cl_buffer_new_zeroed (self->context, 4 * count, error);
    if (!memories[i]) {
      g_prefix_error (error, "%s:%u: %s: ", self->file->name, memory->line,
          memory->name);
      return FALSE;
    }
    counts[i] = count;
  }

  return TRUE;
}

static gboolean
add_reads (GstClKernelOp *self, GError **error)
{
  for (guint i = 0; i < self->file->statistics->len; i++) {
    self->reads[i] = gst_cl_readback_new (self->context, 1, 4 * self->counts[i],
        error);
    if (!self->reads[i])
      return FALSE;
  }

  return TRUE;
}

/* Sets @frame to new memory for frames of @info. */
static gboolean
add_frame (GstClKernelOp *self, const GstVideoInfo *info,
    GstClKernelFrame *frame, GError **error)
{
  gsize end = 0;
  cl_mem mem;

  frame->n_components = GST_VIDEO_INFO_N_COMPONENTS (info);
  for (guint c = 0; c < frame->n_components; c++) {
    GstClComponent *component = &frame->components[c];

    *component = gst_cl_component_of_info (info, c);
    end = MAX (end,
        component->offset_bytes +
            (gsize) component->height * (gsize) component->stride_bytes);
  }
  mem = gst_cl_buffer_new_zeroed (self->context, end, error);
  for (guint c = 0; c < frame->n_components; c++)
    frame->components[c].mem = mem;

  return mem != NULL;
}

static gboolean
add_previous (GstClKernelOp *self, GError **error)
{
  for (guint i = 0; i < self->file->n_previous; i++) {
    if (!add_frame (self, &self->in, &self->previous[i], error))
      return FALSE;
  }

  return TRUE;
}

/* --- checks --------------------------------------------------------------- */

static gboolean
add_checks (GstClKernelOp *self, const GstClKernelProblem *problem,
    GError **error)
{
  const guint n = problem->n_inputs;
  Checks *checks = self->checks = g_new0 (Checks, 1);

  checks->n_inputs = n;
  checks->in_guards = g_new0 (GstClGuard *, n);
  checks->in = g_new0 (GstClKernelFrame, n);
  checks->copy_in = g_new0 (GstClKernelOp *, n);
  checks->buffers = g_new0 (GstClGuard *, self->file->buffers->len);
  checks->statistics = g_new0 (GstClGuard *, self->file->statistics->len);
  for (guint i = 0; i < n; i++) {
    checks->in_guards[i] = gst_cl_guard_new_frame (self->context,
        &problem->in[i], &checks->in[i], error);
    if (!checks->in_guards[i])
      return FALSE;
    checks->copy_in[i] = new_copy (self->context, &problem->in[i], error);
    if (!checks->copy_in[i])
      return FALSE;
  }
  checks->out_guard = gst_cl_guard_new_frame (self->context, problem->out,
      &checks->out, error);
  if (checks->out_guard)
    checks->copy_out = new_copy (self->context, problem->out, error);

  return checks->copy_out != NULL;
}

static void
free_checks (GstClKernelOp *self)
{
  Checks *checks = self->checks;

  if (!checks)
    return;

  for (guint i = 0; i < checks->n_inputs; i++) {
    gst_cl_guard_free (checks->in_guards[i]);
    gst_cl_kernel_op_free (checks->copy_in[i]);
  }
  gst_cl_guard_free (checks->out_guard);
  gst_cl_kernel_op_free (checks->copy_out);
  for (guint i = 0; i < self->file->buffers->len; i++) {
    gst_cl_guard_free (checks->buffers[i]);
    self->buffers[i] = NULL;
  }
  for (guint i = 0; i < self->file->statistics->len; i++) {
    gst_cl_guard_free (checks->statistics[i]);
    self->statistics[i] = NULL;
  }
  g_free (checks->in_guards);
  g_free (checks->in);
  g_free (checks->copy_in);
  g_free (checks->buffers);
  g_free (checks->statistics);
  g_free (checks);
}

/* Returns the guard of the memory of @argument; NULL: it has none. */
static GstClGuard *
guard_of (GstClKernelOp *self, const GstClKernelArgument *argument)
{
  switch (argument->kind) {
    case GST_CL_ARGUMENT_IN:
      return self->checks
          ->in_guards[gst_cl_kernel_file_input (self->file, argument->name)];
    case GST_CL_ARGUMENT_OUT:
    case GST_CL_ARGUMENT_IN_OUT:
      return self->checks->out_guard;
    case GST_CL_ARGUMENT_BUFFER:
      return self->checks->buffers[argument->index];
    case GST_CL_ARGUMENT_STATISTIC:
      return self->checks->statistics[argument->index];
    default:
      return NULL;
  }
}

/* Checks the memory of @pass, which is enqueued. */
static gboolean
check_pass (GstClKernelOp *self, const Pass *pass, GError **error)
{
  const GArray *arguments = pass->function->arguments;

  for (guint i = 0; i < arguments->len; i++) {
    const GstClKernelArgument *argument = &g_array_index (arguments,
        GstClKernelArgument, i);
    GstClGuard *guard = guard_of (self, argument);

    if (guard && !gst_cl_guard_check (guard, pass->function->name,
                     argument->name, error)) {
      g_prefix_error (error, "%s:%u: ", self->file->name, pass->function->line);
      return FALSE;
    }
  }

  return TRUE;
}

/* --- life cycle ----------------------------------------------------------- */

GstClKernelOp *
gst_cl_kernel_op_new (GstClContext *context, const GstClKernelProblem *problem,
    GError **error)
{
  g_autoptr (GstClKernelOp) self = g_new0 (GstClKernelOp, 1);
  GstClKernelFile *file = problem->file;

  self->context = gst_object_ref (context);
  self->file = gst_cl_kernel_file_ref (file);
  self->in = problem->in[0];
  self->out = *problem->out;
  self->parameters = g_new0 (Parameter, file->parameters->len);
  self->passes = g_array_new (FALSE, TRUE, sizeof (Pass));
  self->buffers = g_new0 (cl_mem, file->buffers->len);
  self->statistics = g_new0 (cl_mem, file->statistics->len);
  self->counts = g_new0 (gsize, file->statistics->len);
  self->buffer_counts = g_new0 (gsize, file->buffers->len);
  self->reads = g_new0 (GstClReadback *, file->statistics->len);
  self->previous = g_new0 (GstClKernelFrame, file->n_previous);

  if ((problem->is_checked && !add_checks (self, problem, error)) ||
      !add_passes (self, problem, error) ||
      !add_memories (self, file->buffers, self->buffers, self->buffer_counts,
          self->checks ? self->checks->buffers : NULL, error) ||
      !add_memories (self, file->statistics, self->statistics, self->counts,
          self->checks ? self->checks->statistics : NULL, error) ||
      !add_reads (self, error) || !add_previous (self, error) ||
      ((file->is_in_place || file->n_previous > 0) &&
          !(self->copy = new_copy (context, &self->in, error))) ||
      !gst_cl_kernel_op_set_values (self, problem->values, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_kernel_op_free (GstClKernelOp *self)
{
  if (!self)
    return;

  for (guint i = 0; i < self->passes->len; i++)
    gst_cl_kernel_free (g_array_index (self->passes, Pass, i).kernel);
  g_array_unref (self->passes);
  for (guint i = 0; i < self->file->parameters->len; i++) {
    gst_cl_parameter_value_clear (&self->parameters[i].value);
    gst_cl_buffer_free (self->parameters[i].array);
  }
  g_free (self->parameters);
  g_free (self->regions);
  free_checks (self);
  for (guint i = 0; i < self->file->buffers->len; i++)
    gst_cl_buffer_free (self->buffers[i]);
  g_free (self->buffers);
  for (guint i = 0; i < self->file->statistics->len; i++) {
    gst_cl_readback_free (self->reads[i]);
    gst_cl_buffer_free (self->statistics[i]);
  }
  g_free (self->reads);
  g_free (self->statistics);
  g_free (self->counts);
  g_free (self->buffer_counts);
  for (guint i = 0; i < self->file->n_previous; i++)
    gst_cl_buffer_free (self->previous[i].components[0].mem);
  g_free (self->previous);
  gst_cl_kernel_op_free (self->copy);
  gst_cl_kernel_file_unref (self->file);
  gst_object_unref (self->context);
  g_free (self);
}

GstClKernelFile *
gst_cl_kernel_op_file (const GstClKernelOp *self)
{
  return self->file;
}

void
gst_cl_kernel_op_reset (GstClKernelOp *self)
{
  self->n_frames = 0;
  self->is_reset = TRUE;
}

/* --- values --------------------------------------------------------------- */

static const GstClParameter *
parameter_at (const GstClKernelOp *self, guint i)
{
  return &g_array_index (self->file->parameters, GstClParameter, i);
}

static gboolean
is_equal (const GstClParameterValue *a, const GstClParameterValue *b)
{
  return a->n == b->n && (a->n == 0 || memcmp (a->numbers, b->numbers,
                                           a->n * sizeof (gdouble)) == 0);
}

gboolean
gst_cl_kernel_op_has_constants (const GstClKernelOp *self,
    const GstClParameterValue *values)
{
  for (guint i = 0; i < self->file->parameters->len; i++) {
    if (parameter_at (self, i)->is_constant &&
        !is_equal (&self->parameters[i].value, &values[i]))
      return FALSE;
  }

  return TRUE;
}

/* Writes number @i of @value to @numbers; all are of 32 bits. */
static void
write_number (GstClNumber type, const GstClParameterValue *value, guint i,
    Numbers *numbers, guint at)
{
  switch (type) {
    case GST_CL_NUMBER_INT:
      numbers->i[at] = (cl_int) value->numbers[i];
      break;
    case GST_CL_NUMBER_UINT:
      numbers->u[at] = (cl_uint) value->numbers[i];
      break;
    case GST_CL_NUMBER_FLOAT:
      numbers->f[at] = (cl_float) value->numbers[i];
      break;
  }
}

/* Returns the numbers of an array: those of its value, and those of regions. */
static guint
count_numbers (const GstClKernelOp *self, guint i)
{
  return self->parameters[i].value.n +
         (parameter_at (self, i)->takes_regions ? self->n_regions : 0);
}

/* Sets the memory of array @i. Enqueued commands keep the one that they use. */
static gboolean
set_array (GstClKernelOp *self, guint i, GError **error)
{
  Parameter *parameter = &self->parameters[i];
  const guint n = count_numbers (self, i), n_values = parameter->value.n;
  g_autofree cl_uint *words = g_new (cl_uint, n);

  for (guint k = 0; k < n; k++) {
    Numbers number = { .u = { 0 } };

    if (k < n_values)
      write_number (parameter_at (self, i)->number, &parameter->value, k,
          &number, 0);
    else
      number.i[0] = self->regions[k - n_values];
    words[k] = number.u[0];
  }
  gst_cl_buffer_free (parameter->array);
  parameter->array = gst_cl_buffer_new_filled (self->context, n * sizeof *words,
      words, error);

  return parameter->array != NULL;
}

gboolean
gst_cl_kernel_op_set_regions (GstClKernelOp *self, const gint *numbers, guint n,
    GError **error)
{
  if (n == self->n_regions &&
      (n == 0 || memcmp (numbers, self->regions, n * sizeof *numbers) == 0))
    return TRUE;

  g_free (self->regions);
  self->regions = g_memdup2 (numbers, n * sizeof *numbers);
  self->n_regions = n;
  for (guint i = 0; i < self->file->parameters->len; i++) {
    if (parameter_at (self, i)->takes_regions && !set_array (self, i, error))
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_kernel_op_set_values (GstClKernelOp *self,
    const GstClParameterValue *values, GError **error)
{
  for (guint i = 0; i < self->file->parameters->len; i++) {
    const GstClParameter *from = parameter_at (self, i);
    Parameter *parameter = &self->parameters[i];

    if (is_equal (&parameter->value, &values[i]) ||
        (from->is_constant && parameter->value.n > 0))
      continue;
    gst_cl_parameter_value_clear (&parameter->value);
    parameter->value.n = values[i].n;
    parameter->value.numbers = g_memdup2 (values[i].numbers,
        values[i].n * sizeof (gdouble));
    if (from->is_constant)
      continue;
    if (gst_cl_parameter_is_array (from)) {
      if (!set_array (self, i, error))
        return FALSE;
      continue;
    }
    for (guint k = 0; k < values[i].n; k++)
      write_number (from->number, &values[i], k, &parameter->numbers, k);
  }

  return TRUE;
}

/* --- launches ------------------------------------------------------------- */

static View
view_of (const GstClKernelFrame *frame)
{
  View view = { .time = frame->time, .number = frame->number };

  for (guint c = 0; c < frame->n_components; c++) {
    const GstClComponent *component = &frame->components[c];

    view.offset[c] = component->offset_bytes;
    view.width[c] = component->width;
    view.height[c] = component->height;
    view.stride[c] = component->stride_bytes;
  }

  return view;
}

/* Sets the FRAME_ARGUMENTS of @frame. @view: exists until the launch. */
static void
set_frame (const GstClKernelFrame *frame, View *view, GstClArg *args)
{
  *view = view_of (frame);
  for (guint c = 0; c < GST_VIDEO_MAX_COMPONENTS; c++)
    args[c] = (GstClArg) GST_CL_MEM (
        frame->components[MIN (c, frame->n_components - 1)].mem);
  args[GST_VIDEO_MAX_COMPONENTS] = (GstClArg) GST_CL_BYTES (*view);
}

/* Sets the arguments of parameter @i; returns their number. */
static guint
set_parameter (GstClKernelOp *self, guint i, GstClArg *args)
{
  const Parameter *parameter = &self->parameters[i];
  const guint n = parameter->value.n;

  if (gst_cl_parameter_is_array (parameter_at (self, i))) {
    args[0] = (GstClArg) GST_CL_MEM (parameter->array);
    args[1] = (GstClArg) GST_CL_INT (count_numbers (self, i));
    return 2;
  }

  args[0] = (GstClArg){ .type = GST_CL_ARG_BYTES,
    .value.bytes = { &parameter->numbers,
        sizeof (cl_uint) * (n == 3 ? 4 : n) } };

  return 1;
}

/* Returns the frame @n back, or the oldest one; @in if it is the first. */
static const GstClKernelFrame *
previous_frame (GstClKernelOp *self, const GstClKernelFrame *in, guint n)
{
  const guint64 back = MIN (n, self->n_frames);

  return back == 0 ? in
                   : &self->previous[(self->n_frames - back) %
                                     self->file->n_previous];
}

static const GstClKernelFrame *
frame_of (GstClKernelOp *self, const GstClKernelArgument *argument,
    const GstClKernelFrame *in, const GstClKernelFrame *out)
{
  switch (argument->kind) {
    case GST_CL_ARGUMENT_IN:
      return &in[gst_cl_kernel_file_input (self->file, argument->name)];
    case GST_CL_ARGUMENT_PREVIOUS:
      return previous_frame (self, in, argument->n);
    default:
      return out;
  }
}

/* On CPUs, a launch for each component of @out: its number is the third global
 * id. Work-items outside subsampled components would cost more than launches;
 * on GPUs they cost less. */
static gboolean
launch_components (const Pass *pass, const GstClKernelFrame *out,
    const GstClArg *args, GError **error)
{
  for (guint c = 0; c < out->n_components; c++) {
    const GstClComponent *component = &out->components[c];
    const GstClLaunch launch = {
      .items = { divide_up ((gsize) component->width, pass->samples),
          (gsize) component->height, 1 },
      .args = args,
      .n_args = pass->n_args,
      .offset = { 0, 0, c },
    };

    if (!gst_cl_kernel_launch_after (pass->kernel, &launch, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
run_pass (GstClKernelOp *self, const Pass *pass, const GstClKernelFrame *in,
    const GstClKernelFrame *out, GError **error)
{
  const GArray *arguments = pass->function->arguments;
  GstClArg *args = g_newa (GstClArg, pass->n_args);
  View *views = g_newa (View, arguments->len);
  guint n = 0;

  for (guint i = 0; i < arguments->len; i++) {
    const GstClKernelArgument *argument = &g_array_index (arguments,
        GstClKernelArgument, i);

    switch (argument->kind) {
      case GST_CL_ARGUMENT_PARAMETER:
        n += set_parameter (self, argument->index, args + n);
        break;
      case GST_CL_ARGUMENT_BUFFER:
        args[n++] = (GstClArg) GST_CL_MEM (self->buffers[argument->index]);
        break;
      case GST_CL_ARGUMENT_STATISTIC:
        args[n++] = (GstClArg) GST_CL_MEM (self->statistics[argument->index]);
        break;
      default:
        set_frame (frame_of (self, argument, in, out), &views[i], args + n);
        n += FRAME_ARGUMENTS;
    }
  }

  return pass->samples > 0 && is_cpu (self->context)
             ? launch_components (pass, out, args, error)
             : gst_cl_kernel_launch (pass->kernel, pass->items[0],
                   pass->items[1], pass->items[2], args, n, error);
}

/* Copies the input for the frames that follow. */
static gboolean
keep_frame (GstClKernelOp *self, const GstClKernelFrame *in, GError **error)
{
  GstClKernelFrame *kept;

  if (self->file->n_previous == 0)
    return TRUE;

  kept = &self->previous[self->n_frames % self->file->n_previous];
  kept->time = in->time;
  kept->number = in->number;

  return gst_cl_kernel_op_run (self->copy, in, kept, error);
}

static gboolean
run_passes (GstClKernelOp *self, const GstClKernelFrame *in,
    const GstClKernelFrame *out, GError **error)
{
  for (guint i = 0; i < self->passes->len; i++) {
    const Pass *pass = &g_array_index (self->passes, Pass, i);

    if (!run_pass (self, pass, in, out, error) ||
        (self->checks && !check_pass (self, pass, error)))
      return FALSE;
  }

  return TRUE;
}

/* Runs the passes on copies between guard zones. */
static gboolean
run_checked (GstClKernelOp *self, const GstClKernelFrame *in,
    const GstClKernelFrame *out, GError **error)
{
  Checks *checks = self->checks;

  for (guint i = 0; i < checks->n_inputs; i++) {
    checks->in[i].time = in[i].time;
    checks->in[i].number = in[i].number;
    if (!gst_cl_kernel_op_run (checks->copy_in[i], &in[i], &checks->in[i],
            error))
      return FALSE;
  }
  checks->out.time = out->time;
  checks->out.number = out->number;

  /* what a kernel does not write, and the frame in place */
  return gst_cl_kernel_op_run (checks->copy_out, out, &checks->out, error) &&
         run_passes (self, checks->in, &checks->out, error) &&
         gst_cl_kernel_op_run (checks->copy_out, &checks->out, out, error);
}

static gboolean
clear_memories (GstClKernelOp *self, const GArray *from, cl_mem *memories,
    const gsize *counts, GError **error)
{
  for (guint i = 0; i < from->len; i++) {
    if (!gst_cl_buffer_clear (self->context, memories[i], 4 * counts[i], error))
      return FALSE;
  }

  return TRUE;
}

gboolean
gst_cl_kernel_op_run (GstClKernelOp *self, const GstClKernelFrame *in,
    const GstClKernelFrame *out, GError **error)
{
  if (!clear_memories (self, self->file->statistics, self->statistics,
          self->counts, error) ||
      (self->is_reset && !clear_memories (self, self->file->buffers,
                             self->buffers, self->buffer_counts, error)))
    return FALSE;
  self->is_reset = FALSE;
  if (self->file->is_in_place &&
      !gst_cl_kernel_op_run (self->copy, in, out, error))
    return FALSE;
  if (!(self->checks ? run_checked : run_passes) (self, in, out, error))
    return FALSE;
  if (!keep_frame (self, in, error))
    return FALSE;
  self->n_frames++;

  return TRUE;
}

/* --- results -------------------------------------------------------------- */

static void
init_number (GValue *value, GstClNumber type, const void *words, gsize i)
{
  switch (type) {
    case GST_CL_NUMBER_INT:
      g_value_init (value, G_TYPE_INT);
      g_value_set_int (value, ((const cl_int *) words)[i]);
      break;
    case GST_CL_NUMBER_UINT:
      g_value_init (value, G_TYPE_UINT);
      g_value_set_uint (value, ((const cl_uint *) words)[i]);
      break;
    case GST_CL_NUMBER_FLOAT:
      g_value_init (value, G_TYPE_DOUBLE);
      g_value_set_double (value, (gdouble) ((const cl_float *) words)[i]);
      break;
  }
}

static void
add_statistic (GstStructure *structure, const GstClKernelMemory *memory,
    const void *words, gsize count)
{
  GValue field = G_VALUE_INIT;

  if (count == 1) {
    init_number (&field, memory->number, words, 0);
  } else {
    g_value_init (&field, GST_TYPE_ARRAY);
    for (gsize i = 0; i < count; i++) {
      GValue number = G_VALUE_INIT;

      init_number (&number, memory->number, words, i);
      gst_value_array_append_and_take_value (&field, &number);
    }
  }
  gst_structure_take_value (structure, memory->name, &field);
}

gboolean
gst_cl_kernel_op_add_statistics (GstClKernelOp *self, GstStructure *structure,
    GError **error)
{
  const GArray *statistics = self->file->statistics;

  for (guint i = 0; i < statistics->len; i++) {
    if (!gst_cl_readback_enqueue (self->reads[i], 0, self->statistics[i],
            error))
      return FALSE;
  }
  for (guint i = 0; i < statistics->len; i++) {
    const void *words = gst_cl_readback_wait (self->reads[i], 0, error);

    if (!words)
      return FALSE;
    add_statistic (structure, &g_array_index (statistics, GstClKernelMemory, i),
        words, self->counts[i]);
  }

  return TRUE;
}
