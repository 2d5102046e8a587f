/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ops that measure pictures: kernels, buffers, runs, results, known answers. */

#include "pictureop.h"

#include "cl/memory/gstclbuffer.h"
#include "ops/knownanswer.h"
#include "ops/sample.h"

#include <string.h>

/* --- instances ------------------------------------------------------------ */

static gboolean
build_kernels (GstClPictureOp *self, const GstClCandidate *candidate, guint c,
    GError **error)
{
  const GstClPictureOpFuncs *funcs = self->row->funcs;
  g_autofree gchar *options = funcs->get_options (self, c);
  GstClNamedKernel kernels[GST_CL_PICTURE_OP_KERNELS];

  for (guint k = 0; k < G_N_ELEMENTS (kernels); k++) {
    const gboolean is_needed = !funcs->needs_kernel ||
                               funcs->needs_kernel (self, k);

    kernels[k] = (GstClNamedKernel){ is_needed ? self->row->kernels[k] : NULL,
      &self->kernels[c][k] };
  }

  return gst_cl_candidate_build (candidate, self->context, options, kernels,
      G_N_ELEMENTS (kernels), error);
}

/* Returns the most bytes of a result. */
static gsize
count_most_result_bytes (const GstClPictureOp *self)
{
  const GstClPictureOpFuncs *funcs = self->row->funcs;
  GstClPictureSize sizes[GST_CL_PICTURE_MAX_COMPONENTS] = { { 0 } };

  if (funcs->count_most_result_bytes)
    return funcs->count_most_result_bytes (self);

  for (guint c = 0; c < self->shape->n_components; c++)
    sizes[c] = (GstClPictureSize){ (guint) self->shape->shapes[c].width,
      (guint) self->shape->shapes[c].height };

  return funcs->count_result_bytes (self, sizes);
}

/* Allocates all buffers but the result. */
static gboolean
allocate (GstClPictureOp *self, GError **error)
{
  const GstClPictureOpFuncs *funcs = self->row->funcs;

  for (guint b = 1; b < GST_CL_PICTURE_OP_BUFFERS; b++) {
    const gsize n_bytes = funcs->count_buffer_bytes
                              ? funcs->count_buffer_bytes (self, b)
                              : 0;

    if (n_bytes == 0)
      continue;
    self->buffers[b] = gst_cl_buffer_new (self->context, n_bytes, error);
    if (!self->buffers[b])
      return FALSE;
  }

  return TRUE;
}

gpointer
gst_cl_picture_op_new (GstClContext *context, const GstClCandidate *candidate,
    gconstpointer problem, GError **error)
{
  g_autoptr (GstClPictureOp) self = g_new0 (GstClPictureOp, 1);
  guint n;

  self->context = gst_object_ref (context);
  self->row = candidate->implementation->data;
  self->problem = g_memdup2 (problem, self->row->funcs->problem_bytes);
  self->shape = self->problem;
  n = self->row->is_by_component ? self->shape->n_components : 1;
  for (guint c = 0; c < n; c++) {
    if (!build_kernels (self, candidate, c, error))
      return NULL;
  }
  if (!allocate (self, error) ||
      (self->row->funcs->init && !self->row->funcs->init (self, error)))
    return NULL;

  return g_steal_pointer (&self);
}

void
gst_cl_picture_op_free (gpointer op)
{
  GstClPictureOp *self = op;

  if (!self)
    return;

  for (guint i = 0; i < GST_CL_PICTURE_OP_SLOTS; i++)
    g_clear_pointer (&self->slots[i].own, gst_cl_readback_free);
  for (guint c = 0; c < GST_CL_PICTURE_MAX_COMPONENTS; c++) {
    for (guint k = 0; k < GST_CL_PICTURE_OP_KERNELS; k++)
      g_clear_pointer (&self->kernels[c][k], gst_cl_kernel_free);
  }
  for (guint b = 1; b < GST_CL_PICTURE_OP_BUFFERS; b++)
    gst_cl_buffer_free (self->buffers[b]);
  gst_cl_buffer_free (self->own_result);
  g_free ((gpointer) self->problem);
  gst_object_unref (self->context);
  g_free (self);
}

/* --- runs and results ----------------------------------------------------- */

/* Checks the picture with which that of @input is compared. */
static gboolean
check_compared (const GstClPictureOp *self, const GstClPictureInput *input,
    GError **error)
{
  const gchar *name = self->row->funcs->name;

  if (!input->compared) {
    g_autofree gchar *text = g_strdup_printf ("%s: no second frame", name);

    return gst_cl_check (CL_INVALID_VALUE, text, error);
  }

  return gst_cl_components_check_shapes (input->compared, input->components,
      self->shape->n_components, name, error);
}

/* Checks the components of @input, and sets the sizes of the next run. */
static gboolean
set_sizes (GstClPictureOp *self, const GstClPictureInput *input, GError **error)
{
  if (!gst_cl_components_check_parts (input->components, self->shape->shapes,
          self->shape->n_components, self->row->funcs->name, error) ||
      (self->row->funcs->compares && !check_compared (self, input, error)))
    return FALSE;

  for (guint c = 0; c < self->shape->n_components; c++)
    self->sizes[c] = (GstClPictureSize){ (guint) input->components[c].width,
      (guint) input->components[c].height };

  return TRUE;
}

gboolean
gst_cl_picture_op_run (gpointer op, gconstpointer user_input, GError **error)
{
  GstClPictureOp *self = op;
  const GstClPictureInput *input = user_input;

  if (!set_sizes (self, input, error))
    return FALSE;
  if (!self->buffers[0])
    self->buffers[0] = self->own_result = gst_cl_buffer_new (self->context,
        count_most_result_bytes (self), error);

  return self->buffers[0] && self->row->funcs->run (self, input, error);
}

void
gst_cl_picture_op_forget (GstClPictureOp *self)
{
  self->has_state = FALSE;
}

/* The result of the last run will be in @readback. */
static void
set_readback (GstClPictureOp *self, guint slot, GstClReadback *readback,
    gsize offset_bytes)
{
  self->slots[slot].readback = readback;
  self->slots[slot].offset_bytes = offset_bytes;
  memcpy (self->slots[slot].sizes, self->sizes, sizeof self->sizes);
}

gboolean
gst_cl_picture_op_fetch (GstClPictureOp *self, guint slot, GError **error)
{
  GstClReadback **own;

  g_return_val_if_fail (slot < GST_CL_PICTURE_OP_SLOTS && self->own_result,
      FALSE);

  own = &self->slots[slot].own;
  if (!*own)
    *own = gst_cl_readback_new (self->context, 1,
        count_most_result_bytes (self), error);
  if (!*own)
    return FALSE;
  set_readback (self, slot, *own, 0);

  return gst_cl_readback_enqueue_part (*own, 0, self->own_result,
      self->row->funcs->count_result_bytes (self, self->sizes), error);
}

gconstpointer
gst_cl_picture_op_result (GstClPictureOp *self, guint slot,
    const GstClPictureSize **sizes, GError **error)
{
  const guint8 *words;

  g_return_val_if_fail (
      slot < GST_CL_PICTURE_OP_SLOTS && self->slots[slot].readback, NULL);

  if (sizes)
    *sizes = self->slots[slot].sizes;

  words = gst_cl_readback_wait (self->slots[slot].readback, 0, error);

  return words ? words + self->slots[slot].offset_bytes : NULL;
}

/* --- results of several ops ----------------------------------------------- */

struct _GstClPictureResults {
  GstClContext *context;
  cl_mem mem; /* NULL before the first op */
  gsize size_bytes;

  /* of the picture that was begun last */
  guint n_ops;
  gsize end_bytes; /* of the results so far */
  struct {
    GstClPictureOp *op; /* NULL: none */
    gsize offset_bytes, size_bytes;
    cl_mem mem; /* sub-buffer, which later pictures use again; NULL: none */
  } parts[GST_CL_PICTURE_RESULTS_OPS];

  struct {
    GstClReadback *readback; /* NULL: none yet */
    gsize size_bytes;
  } slots[GST_CL_PICTURE_OP_SLOTS];
};

GstClPictureResults *
gst_cl_picture_results_new (GstClContext *context)
{
  GstClPictureResults *self = g_new0 (GstClPictureResults, 1);

  self->context = gst_object_ref (context);

  return self;
}

/* Frees part @first and all later ones. The driver keeps the memory for
 * enqueued kernels and reads. */
static void
free_parts (GstClPictureResults *self, guint first)
{
  for (guint i = first; i < G_N_ELEMENTS (self->parts); i++)
    g_clear_pointer (&self->parts[i].mem, gst_cl_buffer_free);
}

static void
free_buffers (GstClPictureResults *self)
{
  free_parts (self, 0);
  g_clear_pointer (&self->mem, gst_cl_buffer_free);
  self->size_bytes = 0;
}

void
gst_cl_picture_results_free (GstClPictureResults *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->slots); i++)
    gst_cl_readback_free (self->slots[i].readback);
  free_buffers (self);
  gst_object_unref (self->context);
  g_free (self);
}

/* Returns the bytes of a result of @n_bytes up to the next one. */
static gsize
align (const GstClPictureResults *self, gsize n_bytes)
{
  const gsize alignment = gst_cl_buffer_alignment (self->context);

  return (n_bytes + alignment - 1) / alignment * alignment;
}

gboolean
gst_cl_picture_results_begin (GstClPictureResults *self,
    GstClPictureOp *const *ops, guint n, GError **error)
{
  gsize size_bytes = 0;

  g_return_val_if_fail (n <= G_N_ELEMENTS (self->parts), FALSE);

  for (guint i = 0; i < n; i++) {
    self->parts[i].op = ops[i];
    if (ops[i])
      size_bytes += align (self, count_most_result_bytes (ops[i]));
    else
      g_clear_pointer (&self->parts[i].mem, gst_cl_buffer_free);
  }
  self->n_ops = n;
  self->end_bytes = 0;
  if (size_bytes <= self->size_bytes)
    return TRUE;

  free_buffers (self);
  self->mem = gst_cl_buffer_new (self->context, size_bytes, error);
  self->size_bytes = self->mem ? size_bytes : 0;

  return self->mem != NULL;
}

/* Places the result of op @i, of @size_bytes, behind the results of the ops
 * before it. */
static gboolean
set_part (GstClPictureResults *self, guint i, gsize size_bytes, GError **error)
{
  const gsize offset_bytes = align (self, self->end_bytes);

  self->end_bytes = offset_bytes + size_bytes;
  if (self->parts[i].mem && self->parts[i].offset_bytes == offset_bytes &&
      self->parts[i].size_bytes == size_bytes)
    return TRUE;

  /* NVIDIA's driver 580 uses freed memory when one of two sub-buffers is
   * released that overlap */
  free_parts (self, i);
  self->parts[i].mem = gst_cl_buffer_new_part (self->mem, offset_bytes,
      size_bytes, error);
  self->parts[i].offset_bytes = offset_bytes;
  self->parts[i].size_bytes = size_bytes;

  return self->parts[i].mem != NULL;
}

gboolean
gst_cl_picture_results_run (GstClPictureResults *self, guint i,
    const GstClPictureInput *input, GError **error)
{
  GstClPictureOp *op = self->parts[i].op;
  const GstClPictureOpFuncs *funcs = op->row->funcs;

  op->buffers[0] = NULL; /* its part may be freed */
  if (!set_sizes (op, input, error) ||
      !set_part (self, i, funcs->count_result_bytes (op, op->sizes), error))
    return FALSE;

  /* a run before the first picture has had a result of its own */
  g_clear_pointer (&op->own_result, gst_cl_buffer_free);
  op->buffers[0] = self->parts[i].mem;

  return funcs->run (op, input, error);
}

/* Returns the readback of @slot, of which nobody waits for a read. */
static GstClReadback *
reserve_readback (GstClPictureResults *self, guint slot, GError **error)
{
  if (self->slots[slot].size_bytes < self->size_bytes) {
    g_clear_pointer (&self->slots[slot].readback, gst_cl_readback_free);
    self->slots[slot].readback = gst_cl_readback_new (self->context, 1,
        self->size_bytes, error);
    self->slots[slot].size_bytes = self->slots[slot].readback ? self->size_bytes
                                                              : 0;
  }

  return self->slots[slot].readback;
}

gboolean
gst_cl_picture_results_fetch (GstClPictureResults *self, guint slot,
    GError **error)
{
  GstClReadback *readback;

  g_return_val_if_fail (slot < GST_CL_PICTURE_OP_SLOTS, FALSE);

  if (self->end_bytes == 0)
    return TRUE;
  readback = reserve_readback (self, slot, error);
  if (!readback)
    return FALSE;

  for (guint i = 0; i < self->n_ops; i++) {
    if (self->parts[i].op)
      set_readback (self->parts[i].op, slot, readback,
          self->parts[i].offset_bytes);
  }

  return gst_cl_readback_enqueue_first (readback, 0, self->mem, self->end_bytes,
      error);
}

/* --- tables --------------------------------------------------------------- */

const GstClInstanceFuncs gst_cl_picture_op_instance = {
  .create = gst_cl_picture_op_new,
  .run = gst_cl_picture_op_run,
  .free = gst_cl_picture_op_free,
};

gchar *
gst_cl_picture_shape_describe (const GstClPictureShape *shape,
    const gchar *name, const gchar *more)
{
  const GstClSampleType *sample = &shape->shapes[0].sample;
  g_autofree gchar *shapes = gst_cl_components_describe (shape->shapes,
      shape->n_components);

  return g_strdup_printf ("%s of %u+%u bits, %s%s", name, sample->depth,
      sample->shift, more, shapes);
}

gpointer
gst_cl_picture_op_make_io (GstClContext *context, gconstpointer problem,
    GError **error)
{
  const GstClPictureShape *shape = problem;

  return gst_cl_picture_input_new_zeroed (context, shape->shapes,
      shape->n_components, error);
}

gboolean
gst_cl_picture_op_is_alike (gconstpointer answered, gconstpointer problem)
{
  const GstClPictureShape *a = answered, *b = problem;

  return a->shapes[0].sample.bytes == b->shapes[0].sample.bytes;
}

static gboolean
add_words (GstClPictureOp *self, guint slot, guint64 *digest, GError **error)
{
  const GstClPictureOpFuncs *funcs = self->row->funcs;
  const GstClPictureSize *sizes;
  gconstpointer words = gst_cl_picture_op_result (self, slot, &sizes, error);

  if (!words)
    return FALSE;
  *digest = gst_cl_answer_digest (*digest, words,
      funcs->count_result_bytes (self, sizes) / funcs->word_bytes,
      funcs->word_bytes);

  return TRUE;
}

/* Measures picture @index, and adds its numbers to *@digest. */
static gboolean
answer_picture (GstClPictureOp *self, guint index, guint64 *digest,
    GError **error)
{
  const GstClPictureOpFuncs *funcs = self->row->funcs;
  const guint n = self->shape->n_components;
  const guint seed = index * GST_CL_PIXEL_COMPONENTS;
  GstClComponent components[2][GST_CL_PICTURE_MAX_COMPONENTS];
  GstMemory *memories[2 * GST_CL_PICTURE_MAX_COMPONENTS + 1] = { NULL };
  const GstClPictureInput input = { components[0], TRUE, components[1] };
  const gboolean is_measured = gst_cl_answer_components (self->context,
                                   self->shape->shapes, n, seed, components[0],
                                   memories, error) &&
                               (!funcs->compares ||
                                   gst_cl_answer_components (self->context,
                                       self->shape->shapes, n,
                                       GST_CL_ANSWER_COMPARED_SEED (seed),
                                       components[1], &memories[n], error)) &&
                               gst_cl_answer_run (gst_cl_picture_op_run, self,
                                   &input, memories, error) &&
                               gst_cl_picture_op_fetch (self, 0, error);
  gboolean is_done = FALSE;

  if (is_measured)
    is_done = funcs->add_digest ? funcs->add_digest (self, 0, digest, error)
                                : add_words (self, 0, digest, error);
  for (guint i = 0; i < G_N_ELEMENTS (memories); i++)
    g_clear_pointer (&memories[i], gst_memory_unref);

  return is_done;
}

gboolean
gst_cl_picture_op_compute_answer (GstClContext *context,
    const GstClCandidate *candidate, gconstpointer answered, guint64 *digest,
    GError **error)
{
  g_autoptr (GstClPictureOp)
      op = gst_cl_picture_op_new (context, candidate, answered, error);

  if (!op)
    return FALSE;
  *digest = GST_CL_ANSWER_DIGEST;
  for (guint i = 0; i < op->row->funcs->n_answer_pictures; i++) {
    if (!answer_picture (op, i, digest, error))
      return FALSE;
  }

  return TRUE;
}
