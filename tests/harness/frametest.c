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
  self->input = (GstClPictureInput){ self->parts, FALSE };
  for (guint i = 0; i < self->n_components; i++)
    self->parts[i] = self->components[i];
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
    .problem = g_malloc0 (tested->funcs->problem_bytes),
    .components = &frame->components[first],
    .n_components = MIN (frame->format->n_components, tested->n_components),
  };
  use_whole_frame (self);
  for (guint i = 0; i < self->n_components; i++)
    self->bytes[i] = test_frame_bytes (frame, first + i);
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

void
frame_run_check_fill (FrameRun *self, guint slot, FillType fill)
{
  test_frame_fill (self->h, self->frame, fill);
  frame_run_check (self, slot);
}

/* --- cases ---------------------------------------------------------------- */

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
  }
  self->input.is_interlaced = tested->has_scan;

  return TRUE;
}

static void
check_variant (Harness *h, TestFrame *frame, guint variant)
{
  const gboolean is_random = h->is_small || frame->width * frame->height >
                                                tested->many_samples;
  /* a state needs a change between random fills, too */
  const guint n_fills = N_FILL_TYPES + (tested->forget != NULL);
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

/* The op alone of a run on @frame, which is the caller's. */
static gpointer
create (Harness *h, TestFrame *frame)
{
  FrameRun run;
  gpointer op;

  frame_run_init (&run, h, frame, 0, NULL);
  op = g_steal_pointer (&run.op);
  frame_run_clear (&run);

  return op;
}

static gboolean
run_progressive (gpointer op, gconstpointer components, GError **error)
{
  const GstClPictureInput input = { components, FALSE };

  return tested->funcs->run (op, &input, error);
}

static TestFrameOp
functions (void)
{
  return (TestFrameOp){ create, run_progressive, tested->funcs->free,
    tested->n_components };
}

static void
check_row (Harness *h)
{
  const TestFrameOp funcs = functions ();

  test_frames_each (h, N_RANDOM_FRAMES, tested->are_pictures, check_format);
  if (!h->is_small && tested->check_more)
    tested->check_more (h);
  test_frame_op_refusals (h, &funcs);
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
