/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of ops that measure frames. */

#include "frametest.h"

#include "rows.h"

#include <string.h>

#define N_RANDOM_FRAMES 15

static const FrameTest *tested; /* of this process */

/* --- one op --------------------------------------------------------------- */

static void
use_whole_frame (FrameRun *self)
{
  self->input = (GstClPictureInput){ self->parts, FALSE, NULL };
  for (guint i = 0; i < self->n_components; i++)
    self->parts[i] = self->components[i];
  if (!self->compared)
    return;

  self->input.compared = self->compared_parts;
  for (guint i = 0; i < self->n_components; i++)
    self->compared_parts[i] = self->compared->components[self->first + i];
}

gboolean
frame_run_init (FrameRun *self, Harness *h, TestFrame *frame, guint variant,
    gconstpointer problem)
{
  const GstClImplementation *row = harness_row (h, tested->funcs->table);
  const guint first = tested->n_components == 1 ? variant : 0;
  GstClCandidate candidate;
  g_autoptr (GError) error = NULL;

  *self = (FrameRun){
    .h = h,
    .frame = frame,
    .first = first,
    .compared = tested->compares
                    ? test_frame_new (h, frame->format, frame->sample,
                          frame->width, frame->height, test_spacing_random (h))
                    : NULL,
    .problem = g_malloc0 (tested->funcs->problem_bytes),
    .components = &frame->components[first],
    .n_components = MIN (frame->format->n_components, tested->n_components),
  };
  use_whole_frame (self);
  for (guint i = 0; i < self->n_components; i++) {
    self->bytes[i] = test_frame_bytes (frame, first + i);
    if (self->compared)
      self->compared_bytes[i] = test_frame_bytes (self->compared, first + i);
  }
  if (problem)
    memcpy (self->problem, problem, tested->funcs->problem_bytes);
  else if (!tested->get_problem (frame, variant, self->problem))
    return FALSE;
  if (row->supports && !row->supports (row, self->problem, h->context->device))
    return FALSE;

  candidate = gst_cl_implementation_untuned (row, self->problem,
      h->context->device);
  self->op = tested->funcs->create (h->context, &candidate, self->problem,
      &error);
  if (!self->op)
    harness_fail (h, error, "cannot create an op for %s of %u bits, %dx%d",
        frame->format->name, frame->sample.depth, frame->width, frame->height);
  if (tested->forget)
    tested->forget ();

  return self->op != NULL;
}

void
frame_run_clear (FrameRun *self)
{
  if (self->op)
    tested->funcs->free (self->op);
  if (self->compared)
    test_frame_free (self->compared);
  g_free (self->problem);
}

/* Reports @what of the measured parts. */
static void
fail (const FrameRun *self, guint c, GError *error, const gchar *what)
{
  const TestFrame *frame = self->frame;
  const GstClComponent *part = &self->parts[c];

  harness_fail (self->h, error,
      "%s of %u bits, %dx%d pad %d guard %d%s%s, component %u, part %dx%d at "
      "byte %" G_GSIZE_FORMAT ", slot %u: %s",
      frame->format->name, frame->sample.depth, frame->width, frame->height,
      frame->spacing.pad_bytes, frame->spacing.guard_bytes,
      frame->spacing.is_joined ? " joined" : "",
      self->input.is_interlaced ? " interlaced" : "", c, part->width,
      part->height, part->offset_bytes, self->slot, what);
}

void
frame_run_compare (const FrameRun *self, guint c, const gchar *what,
    gconstpointer found, gconstpointer expected, gsize n, guint n_bytes)
{
  const guint8 *a = found, *b = expected;

  for (gsize i = 0; i < n; i++, a += n_bytes, b += n_bytes) {
    g_autofree gchar *numbers = NULL;
    guint64 number = 0, right = 0;

    if (memcmp (a, b, n_bytes) == 0)
      continue;
    memcpy (&number, a, n_bytes);
    memcpy (&right, b, n_bytes);
    numbers = g_strdup_printf ("%s %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                               ": found (expected) %" G_GUINT64_FORMAT
                               " (%" G_GUINT64_FORMAT ")",
        what, i, n, number, right);
    fail (self, c, NULL, numbers);
    return;
  }
}

void
frame_run_check (FrameRun *self, guint slot)
{
  g_autoptr (GError) error = NULL;

  self->slot = slot;
  if (!tested->funcs->run (self->op, &self->input, &error) ||
      !gst_cl_picture_op_fetch (self->op, slot, &error) ||
      !tested->compare (self, &error))
    fail (self, 0, error, "cannot be measured");
}

/* Returns a code near @code, or, of a few samples, any one. */
static guint
change_code (Harness *h, guint code, guint depth)
{
  const gint reach = 1 << (depth - 5);
  const gint max = (1 << depth) - 1;
  const guint32 random = g_rand_int (h->rand);

  if (random % 64 == 0)
    return random >> (32 - depth);

  return CLAMP ((gint) code + (gint) (random >> 16) % (2 * reach) - reach, 0,
      max);
}

/* Gives the other frame samples near those of the frame, or equal to them. */
static void
fill_like (FrameRun *self, gboolean is_equal)
{
  const TestFrame *frame = self->frame;
  const guint depth = frame->sample.depth;

  for (guint c = 0; c < frame->format->n_components; c++) {
    const GstClComponent *component = &frame->components[c];
    const guint8 *bytes = test_frame_bytes (frame, c);

    for (gint y = 0; y < component->height; y++) {
      for (gint x = 0; x < component->width; x++) {
        const guint code = test_code_at (bytes, component, x, y);

        test_frame_put (self->compared, c, x, y,
            is_equal ? code : change_code (self->h, code, depth));
      }
    }
  }
  test_frame_upload (self->h, self->compared);
}

static void
fill_compared (FrameRun *self, guint slot, FillType fill)
{
  if (fill == FILL_ZERO)
    test_frame_fill (self->h, self->compared, FILL_MAX);
  else if (fill == FILL_RANDOM && slot % 2 == 0)
    test_frame_fill (self->h, self->compared, FILL_RANDOM);
  else
    fill_like (self, fill == FILL_MAX);
}

void
frame_run_check_fill (FrameRun *self, guint slot, FillType fill)
{
  test_frame_fill (self->h, self->frame, fill);
  if (self->compared)
    fill_compared (self, slot, fill);
  frame_run_check (self, slot);
}

/* --- cases ---------------------------------------------------------------- */

/* Chooses the part of the other frame at the place of part @i. */
static void
choose_compared_part (FrameRun *self, guint i)
{
  const GstClComponent *part = &self->parts[i];
  const gsize offset_bytes = part->offset_bytes -
                             self->components[i].offset_bytes;
  GstClComponent *other = &self->compared_parts[i];

  other->offset_bytes += offset_bytes / part->stride_bytes *
                             other->stride_bytes +
                         offset_bytes % part->stride_bytes;
  other->width = part->width;
  other->height = part->height;
}

/* Chooses parts of the components; of a picture, the left part, which has the
 * same chroma and needs no more of it. FALSE: the frame is too small. */
static gboolean
choose_parts (FrameRun *self)
{
  if (tested->are_pictures &&
      (self->frame->width <= 4 || self->frame->height <= 4))
    return FALSE;

  for (guint i = 0; i < self->n_components; i++) {
    GstClComponent *part = &self->parts[i];

    if (tested->are_pictures) {
      part->width = (part->width + 1) / 2;
      part->height = MAX (part->height - 1, 1);
    } else {
      *part = test_part_random (self->h, &self->components[i],
          tested->n_components > 1);
    }
    if (self->compared)
      choose_compared_part (self, i);
  }
  self->input.is_interlaced = tested->has_scan;

  return TRUE;
}

static void
check_variant (Harness *h, TestFrame *frame, guint variant)
{
  const gboolean is_random = h->is_small || frame->width * frame->height >
                                                tested->many_samples;
  /* a state needs a change between random fills, too; two frames are alike, or
   * not */
  const guint n_fills = N_FILL_TYPES +
                        (tested->forget != NULL || tested->compares);
  g_auto (FrameRun) run;

  if (!frame_run_init (&run, h, frame, variant, NULL))
    return;

  for (guint i = is_random ? FILL_RANDOM : 0; i < n_fills; i++) {
    run.input.is_interlaced = tested->has_scan && i % 2;
    frame_run_check_fill (&run, i, MIN (i, FILL_RANDOM));
  }
  run.input.is_interlaced = FALSE;
  if (tested->forget) {
    gst_cl_picture_op_forget (run.op);
    tested->forget ();
    frame_run_check (&run, n_fills);
  }
  if (choose_parts (&run)) {
    frame_run_check (&run, GST_CL_PICTURE_OP_SLOTS - 1);
    if (tested->forget)
      frame_run_check_fill (&run, 1, FILL_RANDOM);
    use_whole_frame (&run);
  }
  frame_run_check (&run, 0);
}

static void
check_format (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height)
{
  const guint variants = tested->choose_variants
                             ? tested->choose_variants (h, format)
                             : 1;
  g_autoptr (TestFrame) frame = NULL;

  if (tested->max_samples > 0 && width * height > tested->max_samples)
    return;
  frame = test_frame_new (h, format, sample, width, height,
      test_spacing_random (h));
  for (guint i = 0; variants >> i > 0; i++) {
    if (variants >> i & 1)
      check_variant (h, frame, i);
  }
}

/* --- refusals and benchmarks ---------------------------------------------- */

/* Returns the run of a progressive picture on @frame, which is the caller's. */
static gpointer
create (Harness *h, TestFrame *frame)
{
  FrameRun *self = g_new (FrameRun, 1);

  if (!frame_run_init (self, h, frame, 0, NULL)) {
    frame_run_clear (self);
    g_free (self);
    return NULL;
  }
  if (self->compared)
    test_frame_fill (h, self->compared, FILL_RANDOM);

  return self;
}

static gboolean
run_components (gpointer user_run, gconstpointer components, GError **error)
{
  FrameRun *self = user_run;

  self->input.components = components;

  return tested->funcs->run (self->op, &self->input, error);
}

static void
free_run (gpointer user_run)
{
  if (user_run)
    frame_run_clear (user_run);
  g_free (user_run);
}

static TestFrameOp
functions (void)
{
  return (TestFrameOp){ create, run_components, free_run, tested->n_components,
    tested->compares ? 2 : 1 };
}

/* Checks that an op refuses a picture without another one of its size. */
static void
check_compared_refusals (Harness *h)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[0],
      test_sample_of_kind (h, test_formats[0].kind), 17, 9,
      (TestSpacing){ 0, 0, FALSE });
  g_auto (FrameRun) run;

  if (!frame_run_init (&run, h, frame, 0, NULL))
    return;
  run.compared_parts[0].height--;
  if (tested->funcs->run (run.op, &run.input, NULL))
    harness_fail (h, NULL, "expected an error for frames of two sizes");
  run.input.compared = NULL;
  if (tested->funcs->run (run.op, &run.input, NULL))
    harness_fail (h, NULL, "expected an error without a second frame");
}

static void
check_row (Harness *h)
{
  const TestFrameOp funcs = functions ();

  test_frames_each (h, N_RANDOM_FRAMES, tested->are_pictures, check_format);
  if (!h->is_small && tested->check_more)
    tested->check_more (h);
  test_frame_op_refusals (h, &funcs);
  if (tested->compares)
    check_compared_refusals (h);
}

static void
bench_row (Harness *h)
{
  const TestFrameOp funcs = functions ();

  test_frame_op_bench (h, &funcs);
}

int
frame_test_main (int argc, char **argv, const FrameTest *test)
{
  tested = test;

  return harness_rows_main (argc, argv, test->funcs->table, check_row,
      bench_row, NULL, 0);
}
