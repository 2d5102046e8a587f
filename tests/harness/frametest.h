/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ops/pictureop.h"
#include "testframe.h"

G_BEGIN_DECLS

/* The test of an op that measures frames: each row of its table, with formats
 * of all layouts, all sizes, all fills, and parts of frames, compared with a
 * scalar reference. */

/* An op of a row, and what it measures. */
typedef struct {
  Harness *h;
  TestFrame *frame;
  gpointer problem;
  GstClPictureOp *op;
  const GstClComponent *components; /* of the frame, that are measured */
  guint first;                      /* of them, in the format */
  guint n_components;
  /* parts of the components, and host copies of their memory */
  GstClComponent parts[TEST_FRAME_MAX_COMPONENTS];
  const guint8 *bytes[TEST_FRAME_MAX_COMPONENTS];
  GstClPictureInput input; /* the parts, progressive or interlaced */

  /* of an op that compares: the other frame, as @frame, @parts and @bytes */
  TestFrame *compared; /* NULL: none */
  GstClComponent compared_parts[TEST_FRAME_MAX_COMPONENTS];
  const guint8 *compared_bytes[TEST_FRAME_MAX_COMPONENTS];

  guint slot; /* of the result */
} FrameRun;

/* What differs between ops. */
typedef struct {
  const GstClTieredFuncs *funcs;
  guint n_components;    /* of a frame, that are measured at most */
  gboolean are_pictures; /* formats of test_frames_each(); parts have the chroma
                          * of their pixels */
  gboolean has_scan;     /* interlaced pictures differ from progressive ones */
  gboolean compares;     /* with another frame, of the same format and size */
  gint many_samples;     /* larger frames only with the random fill, which alone
                      * detects wrong accesses */
  gint max_samples;      /* of a frame; 0: any number */

  /* Returns the variants of the problem to test with @format, a mask of bits.
   * NULL: variant 0. */
  guint (*choose_variants) (Harness *h, const TestFormat *format);
  /* Sets @problem, which is all zeros. An op of one component measures
   * component @variant. FALSE: the frame has nothing to measure. */
  gboolean (
      *get_problem) (const TestFrame *frame, guint variant, gpointer problem);
  /* Compares the result in the slot of the run with the reference. FALSE with
   * @error. */
  gboolean (*compare) (const FrameRun *run, GError **error);
  /* For an op that keeps a state: clears that of the reference. */
  void (*forget) (void);
  /* Further checks of a row, not with --small; or NULL. */
  void (*check_more) (Harness *h);
} FrameTest;

/* main() of the test. */
int frame_test_main (int argc, char **argv, const FrameTest *test);

/* Creates an op of the row of the case, for @variant of the problem or a copy
 * of @problem, that measures the whole of @frame. FALSE, after harness_fail()
 * if it cannot be created. */
gboolean frame_run_init (FrameRun *self, Harness *h, TestFrame *frame,
    guint variant, gconstpointer problem);
void frame_run_clear (FrameRun *self);

/* Measures the parts into @slot, and compares. */
void frame_run_check (FrameRun *self, guint slot);
/* Fills the frame first. An op that compares gets a frame of the same samples
 * with FILL_MAX, of the greatest difference with FILL_ZERO, a similar one with
 * FILL_ALTERNATING and with FILL_RANDOM in odd slots, and an independent one
 * with FILL_RANDOM in even slots. */
void frame_run_check_fill (FrameRun *self, guint slot, FillType fill);

/* Reports the first of @n numbers of component @c, each of @n_bytes (4 or 8),
 * that differs. */
void frame_run_compare (const FrameRun *self, guint c, const gchar *what,
    gconstpointer found, gconstpointer expected, gsize n, guint n_bytes);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FrameRun, frame_run_clear)

G_END_DECLS
