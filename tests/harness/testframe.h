/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "harness.h"
#include "ops/picture.h"

G_BEGIN_DECLS

/* Frames of several planes, as video formats lay them out. */

#define TEST_FRAME_MAX_COMPONENTS 4
#define TEST_FRAME_MAX_PLANES     3

/* The position of a component. */
typedef struct {
  gint plane;
  gint first, pixel_stride; /* sample 0 in its row; pixel stride; in samples */
  gint x_shift, y_shift;    /* subsampling: the component's sizes are the
                             * frame's, shifted right and rounded up */
} TestPlace;

typedef struct {
  const gchar *name;
  guint n_components;
  /* In a run, formats of one kind have the same type of samples, so that those
   * with the same subsampling and colours share programs. */
  guint kind;
  gboolean is_picture; /* for kernels that compute R, G and B */
  TestPlace places[TEST_FRAME_MAX_COMPONENTS];
} TestFormat;

extern const TestFormat test_formats[];
extern const guint n_test_formats;

/* Returns the row named @name; aborts if there is none. */
const TestFormat *test_format_find (const gchar *name);

/* The memory layout of a frame's rows. */
typedef struct {
  gint pad_bytes;     /* between rows */
  gint guard_bytes;   /* before the first sample, between and after planes */
  gboolean is_joined; /* one cl_mem for all planes */
} TestSpacing;

typedef struct {
  const TestFormat *format;
  GstClSampleType sample;
  gint width, height;
  TestSpacing spacing;
  GstClComponent components[TEST_FRAME_MAX_COMPONENTS];
  TestPlane *memories[TEST_FRAME_MAX_PLANES]; /* joined: the first only */
} TestFrame;

/* Sets @shape to @most components of @frame. Its matrix is grey if @frame has
 * one component, YUV of BT.709 in limited range if the name of its format
 * begins with I, Y or N, else RGB. */
void test_frame_get_shape (const TestFrame *frame, guint most,
    GstClPictureShape *shape);

/* The last row of a plane ends with its last sample: without guards, reading
 * after it leaves the buffer. Spacing is rounded up to whole samples. */
TestFrame *test_frame_new (Harness *h, const TestFormat *format,
    GstClSampleType sample, gint width, gint height, TestSpacing spacing);
/* Sets the host and the device copies; guards as in TestPlane. */
void test_frame_fill (Harness *h, TestFrame *frame, FillType fill);
/* Sets the code of a sample in the host copy. */
void test_frame_put (TestFrame *frame, guint c, gint x, gint y, guint code);
/* Writes the host copy to the device. */
void test_frame_upload (Harness *h, TestFrame *frame);
/* Returns the host copy of the memory of component @c. */
const guint8 *test_frame_bytes (const TestFrame *frame, guint c);
void test_frame_free (TestFrame *frame);

/* Returns the type of samples of formats of @kind in this run: bytes for a
 * third of the kinds, ten bits above six for another, and words of a type that
 * the seed selects for the rest. On a GPU, a random type. */
GstClSampleType test_sample_of_kind (Harness *h, guint kind);

/* Returns a random choice. */
TestSpacing test_spacing_random (Harness *h);
/* Returns a random part of @component, which has samples if @may_be_empty is
 * FALSE. */
GstClComponent test_part_random (Harness *h, const GstClComponent *component,
    gboolean may_be_empty);

/* Calls @check with formats, all or those of pictures (on a CPU some of them),
 * at all sizes of harness_sizes(), and with @n_random random ones; with
 * --small, with a seventh of the formats, or half of those of pictures, and no
 * random ones. On a CPU, the row for CPUs also has I420 of bytes in every run.
 */
void test_frames_each (Harness *h, guint n_random, gboolean are_pictures,
    void (*check) (Harness *h, const TestFormat *format, GstClSampleType sample,
        gint width, gint height));

/* An op whose input is the components of a frame. */
typedef struct {
  /* For the row of the case; NULL after harness_fail(). */
  gpointer (*create) (Harness *h, TestFrame *frame);
  gboolean (*run) (gpointer op, gconstpointer components, GError **error);
  void (*free) (gpointer op);
  guint n_components; /* of a frame, that are measured at most */
  guint n_frames;     /* that a run reads, for the rate; 0: one */
} TestFrameOp;

/* Checks that an op refuses a frame that is larger than that of its problem. */
void test_frame_op_refusals (Harness *h, const TestFrameOp *funcs);

/* Times the op on usual formats and sizes. */
void test_frame_op_bench (Harness *h, const TestFrameOp *funcs);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestFrame, test_frame_free)

G_END_DECLS
