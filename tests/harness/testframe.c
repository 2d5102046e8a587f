/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The layout of the samples of a test frame. */

#include "testframe.h"

#include <string.h>

const TestFormat test_formats[] = {
  /* clang-format off */
  { "GRAY8", 1, 0, TRUE, { { 0, 0, 1, 0, 0 } } },
  { "I420", 3, 1, TRUE,
    { { 0, 0, 1, 0, 0 }, { 1, 0, 1, 1, 1 }, { 2, 0, 1, 1, 1 } } },
  { "YV12", 3, 1, FALSE,
    { { 0, 0, 1, 0, 0 }, { 2, 0, 1, 1, 1 }, { 1, 0, 1, 1, 1 } } },
  { "Y41B", 3, 2, TRUE,
    { { 0, 0, 1, 0, 0 }, { 1, 0, 1, 2, 0 }, { 2, 0, 1, 2, 0 } } },
  { "Y444", 3, 3, TRUE,
    { { 0, 0, 1, 0, 0 }, { 1, 0, 1, 0, 0 }, { 2, 0, 1, 0, 0 } } },
  { "NV12", 3, 1, TRUE,
    { { 0, 0, 1, 0, 0 }, { 1, 0, 2, 1, 1 }, { 1, 1, 2, 1, 1 } } },
  { "NV21", 3, 1, FALSE,
    { { 0, 0, 1, 0, 0 }, { 1, 1, 2, 1, 1 }, { 1, 0, 2, 1, 1 } } },
  { "RGB",  3, 4, TRUE,
    { { 0, 0, 3, 0, 0 }, { 0, 1, 3, 0, 0 }, { 0, 2, 3, 0, 0 } } },
  { "BGR",  3, 4, FALSE,
    { { 0, 2, 3, 0, 0 }, { 0, 1, 3, 0, 0 }, { 0, 0, 3, 0, 0 } } },
  { "RGBx", 3, 4, TRUE,
    { { 0, 0, 4, 0, 0 }, { 0, 1, 4, 0, 0 }, { 0, 2, 4, 0, 0 } } },
  { "xRGB", 3, 4, FALSE,
    { { 0, 1, 4, 0, 0 }, { 0, 2, 4, 0, 0 }, { 0, 3, 4, 0, 0 } } },
  { "ABGR", 4, 4, FALSE,
    { { 0, 3, 4, 0, 0 }, { 0, 2, 4, 0, 0 }, { 0, 1, 4, 0, 0 },
      { 0, 0, 4, 0, 0 } } },
  { "YUY2", 3, 5, TRUE,
    { { 0, 0, 2, 0, 0 }, { 0, 1, 4, 1, 0 }, { 0, 3, 4, 1, 0 } } },
  { "UYVY", 3, 5, FALSE,
    { { 0, 1, 2, 0, 0 }, { 0, 0, 4, 1, 0 }, { 0, 2, 4, 1, 0 } } },
  /* some of the components only */
  { "YUY2 luma",    1, 0, TRUE, { { 0, 0, 2, 0, 0 } } },
  { "YUY2 chroma",  2, 5, FALSE, { { 0, 1, 4, 1, 0 }, { 0, 3, 4, 1, 0 } } },
  { "NV12 V",       1, 0, FALSE, { { 1, 1, 2, 1, 1 } } },
  { "RGB green",    1, 4, FALSE, { { 0, 1, 3, 0, 0 } } },
  { "RGBA alpha",   1, 4, FALSE, { { 0, 3, 4, 0, 0 } } },
  { "GRAY8 twice",  2, 0, FALSE, { { 0, 0, 1, 0, 0 }, { 0, 0, 1, 0, 0 } } },
  { "pairs in 4",   2, 4, FALSE, { { 0, 0, 4, 0, 0 }, { 0, 2, 4, 0, 0 } } },
  { "3 and 4",      2, 4, FALSE, { { 0, 0, 3, 0, 0 }, { 1, 0, 4, 0, 0 } } },
  /* clang-format on */
};
const guint n_test_formats = G_N_ELEMENTS (test_formats);

const TestFormat *
test_format_find (const gchar *name)
{
  for (guint i = 0; i < n_test_formats; i++) {
    if (g_str_equal (test_formats[i].name, name))
      return &test_formats[i];
  }

  g_error ("no test format \"%s\"", name);
}

void
test_frame_get_shape (const TestFrame *frame, guint most,
    GstClPictureShape *shape)
{
  const TestFormat *format = frame->format;

  *shape = (GstClPictureShape){
    .n_components = MIN (format->n_components, most),
    .matrix.kind = format->n_components == 1 ? GST_CL_RGB_GREY : GST_CL_RGB_RGB,
  };
  for (guint c = 0; c < shape->n_components; c++)
    shape->shapes[c] = frame->components[c];
  if (format->n_components == 1 || !strchr ("IYN", format->name[0]))
    return;

  gst_cl_rgb_matrix_init (&shape->matrix, 0.2126, 0.0722, FALSE,
      frame->sample.depth);
  shape->x_shift = (guint) format->places[1].x_shift;
  shape->y_shift = (guint) format->places[1].y_shift;
}

static gint
shift_up (gint size, gint shift)
{
  return (size + (1 << shift) - 1) >> shift;
}

static gint
round_up (gint n, gint multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/* The last byte of a row that is a sample, plus one. */
static gint
row_bytes (const GstClComponent *component, const TestPlace *place)
{
  return (place->first + (component->width - 1) * place->pixel_stride + 1) *
         (gint) component->sample.bytes;
}

/* Computes the layout of plane @plane from @start on; returns its end. The last
 * row ends with its last sample, so that reading after it leaves the buffer. */
static gsize
place_plane (TestFrame *frame, gint plane, gsize start)
{
  const TestFormat *format = frame->format;
  gint stride = 0, height = 0;
  gsize end = start;

  for (guint c = 0; c < format->n_components; c++) {
    const TestPlace *place = &format->places[c];

    if (place->plane == plane)
      stride = MAX (stride,
          row_bytes (&frame->components[c], place) + frame->spacing.pad_bytes);
  }

  for (guint c = 0; c < format->n_components; c++) {
    const TestPlace *place = &format->places[c];
    GstClComponent *component = &frame->components[c];

    if (place->plane != plane)
      continue;

    component->offset_bytes = start + place->first * component->sample.bytes;
    component->stride_bytes = stride;
    height = component->height;
    end = MAX (end,
        start + (gsize) (height - 1) * stride + row_bytes (component, place));
  }

  return end;
}

/* A buffer that holds the components of plane @plane, or of all (-1). */
static TestPlane *
allocate_memory (Harness *h, TestFrame *frame, gint plane, gsize size_bytes)
{
  TestPlane *memory = test_plane_new (h, size_bytes, 1, 1, 1, 0, 0);
  cl_mem mem = memory->components[0].mem;

  memory->n_components = 0;
  for (guint c = 0; c < frame->format->n_components; c++) {
    if (plane < 0 || frame->format->places[c].plane == plane) {
      frame->components[c].mem = mem;
      memory->components[memory->n_components++] = frame->components[c];
    }
  }
  memory->components[0].mem = mem; /* also if it contains no component */

  return memory;
}

TestFrame *
test_frame_new (Harness *h, const TestFormat *format, GstClSampleType sample,
    gint width, gint height, TestSpacing spacing)
{
  TestFrame *frame = g_new0 (TestFrame, 1);
  gsize end = 0;

  frame->format = format;
  frame->width = width;
  frame->height = height;
  frame->sample = sample;
  frame->spacing = (TestSpacing){
    .pad_bytes = round_up (spacing.pad_bytes, sample.bytes),
    .guard_bytes = round_up (spacing.guard_bytes, sample.bytes),
    .is_joined = spacing.is_joined,
  };
  spacing = frame->spacing;

  for (guint c = 0; c < format->n_components; c++) {
    frame->components[c] = (GstClComponent){
      .pixel_stride_bytes = format->places[c].pixel_stride *
                            (gint) sample.bytes,
      .sample = sample,
      .width = shift_up (width, format->places[c].x_shift),
      .height = shift_up (height, format->places[c].y_shift),
    };
  }

  for (gint plane = 0; plane < TEST_FRAME_MAX_PLANES; plane++) {
    const gsize start = (spacing.is_joined ? end : 0) + spacing.guard_bytes;

    end = place_plane (frame, plane, start);
    if (!spacing.is_joined && end > start)
      frame->memories[plane] = allocate_memory (h, frame, plane,
          end + spacing.guard_bytes);
  }
  if (spacing.is_joined)
    frame->memories[0] = allocate_memory (h, frame, -1,
        end + spacing.guard_bytes);

  return frame;
}

void
test_frame_fill (Harness *h, TestFrame *frame, FillType fill)
{
  for (gint i = 0; i < TEST_FRAME_MAX_PLANES; i++) {
    if (frame->memories[i])
      test_plane_fill (h, frame->memories[i], fill);
  }
}

void
test_frame_put (TestFrame *frame, guint c, gint x, gint y, guint code)
{
  const GstClComponent *component = &frame->components[c];
  const guint16 word = code << component->sample.shift;
  guint8 *at = (guint8 *) test_frame_bytes (frame, c) +
               component->offset_bytes + (gsize) y * component->stride_bytes +
               (gsize) x * component->pixel_stride_bytes;

  if (component->sample.bytes == 2)
    memcpy (at, &word, sizeof word);
  else
    *at = (guint8) word;
}

void
test_frame_upload (Harness *h, TestFrame *frame)
{
  for (gint i = 0; i < TEST_FRAME_MAX_PLANES; i++) {
    TestPlane *memory = frame->memories[i];
    g_autoptr (GError) error = NULL;

    if (memory && !gst_cl_buffer_write (h->context, memory->components[0].mem,
                      0, memory->size_bytes, memory->bytes, &error))
      harness_fail (h, error, "cannot upload a frame");
  }
}

const guint8 *
test_frame_bytes (const TestFrame *frame, guint c)
{
  const gint plane = frame->format->places[c].plane;

  return frame->memories[frame->spacing.is_joined ? 0 : plane]->bytes;
}

void
test_frame_free (TestFrame *frame)
{
  for (gint i = 0; i < TEST_FRAME_MAX_PLANES; i++)
    test_plane_free (frame->memories[i]);
  g_free (frame);
}

/* --- random frames -------------------------------------------------------- */

TestSpacing
test_spacing_random (Harness *h)
{
  return (TestSpacing){
    .pad_bytes = g_rand_boolean (h->rand) ? g_rand_int_range (h->rand, 0, 37)
                                          : 0,
    .guard_bytes = g_rand_boolean (h->rand) ? g_rand_int_range (h->rand, 0, 70)
                                            : 0,
    .is_joined = g_rand_boolean (h->rand),
  };
}

GstClSampleType
test_sample_of_kind (Harness *h, guint kind)
{
  static const guint words[] = { 1, 3, 4 };
  const guint types[] = { 0, 2, words[h->seed / 9 % G_N_ELEMENTS (words)] };
  const gboolean is_cpu = h->context->device->family == GST_CL_FAMILY_CPU;

  return test_samples[is_cpu ? types[(kind + h->seed) % G_N_ELEMENTS (types)]
                             : (guint) g_rand_int_range (h->rand, 0,
                                   (gint) n_test_samples)];
}

GstClComponent
test_part_random (Harness *h, const GstClComponent *component,
    gboolean may_be_empty)
{
  const gint least = may_be_empty ? 0 : 1;
  const gint x = g_rand_int_range (h->rand, 0, component->width);
  const gint y = g_rand_int_range (h->rand, 0, component->height);
  GstClComponent part = *component;

  part.offset_bytes += (gsize) y * part.stride_bytes +
                       (gsize) x * part.pixel_stride_bytes;
  part.width = g_rand_int_range (h->rand, least, part.width - x + 1);
  part.height = g_rand_int_range (h->rand, least, part.height - y + 1);
  if (part.width == 0 || part.height == 0)
    part.width = part.height = 0;

  return part;
}

/* The commonest input, I420 of bytes, is tested in every run, with the row for
 * CPUs: a program for each op. */
static gboolean
lacks_bytes (Harness *h)
{
  return !h->is_small && h->context->device->family == GST_CL_FAMILY_CPU &&
         g_str_has_suffix (h->label, "/cpu") &&
         test_sample_of_kind (h, test_format_find ("I420")->kind).bytes > 1;
}

void
test_frames_each (Harness *h, guint n_random, gboolean are_pictures,
    void (*check) (Harness *h, const TestFormat *format, GstClSampleType sample,
        gint width, gint height))
{
  const guint step = harness_count (h, 1, are_pictures ? 2 : 7);
  const TestFormat *formats[G_N_ELEMENTS (test_formats)];
  guint n_formats = 0, n_pictures = 0, n_sizes;
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint f = 0; f < n_test_formats; f++) {
    if (are_pictures && !test_formats[f].is_picture)
      continue;
    /* a format of pictures is a program: grey, I420 and half of the others */
    if (!are_pictures || n_pictures < 2 || harness_draws (h, n_pictures, 2))
      formats[n_formats++] = &test_formats[f];
    n_pictures++;
  }

  for (guint i = 0; i < n_sizes; i++) {
    for (guint f = i % step; f < n_formats; f += step)
      check (h, formats[f], test_sample_of_kind (h, formats[f]->kind),
          sizes[i].width, sizes[i].height);
    if (lacks_bytes (h))
      check (h, test_format_find ("I420"), test_samples[0], sizes[i].width,
          sizes[i].height);
  }
  for (guint i = 0; i < harness_count (h, n_random, 0); i++) {
    const TestFormat
        *format = formats[g_rand_int_range (h->rand, 0, (gint) n_formats)];

    check (h, format, test_sample_of_kind (h, format->kind),
        g_rand_int_range (h->rand, 1, 700), g_rand_int_range (h->rand, 1, 300));
  }
}

/* --- ops ------------------------------------------------------------------ */

void
test_frame_op_refusals (Harness *h, const TestFrameOp *funcs)
{
  g_autoptr (TestFrame) frame = test_frame_new (h, &test_formats[0],
      test_sample_of_kind (h, test_formats[0].kind), 17, 9,
      (TestSpacing){ 0, 0, FALSE });
  gpointer op = funcs->create (h, frame);
  GstClComponent component = frame->components[0];

  component.width++;
  if (op && funcs->run (op, &component, NULL))
    harness_fail (h, NULL, "expected an error for a wider frame");
  funcs->free (op);
}

typedef struct {
  const TestFrameOp *funcs;
  gpointer op;
  const TestFrame *frame;
} Bench;

static gboolean
run_bench (gpointer user_data, GError **error)
{
  const Bench *self = user_data;

  return self->funcs->run (self->op, self->frame->components, error);
}

void
test_frame_op_bench (Harness *h, const TestFrameOp *funcs)
{
  static const struct {
    const gchar *format;
    GstClSampleType sample;
    gint width, height;
  } rows[] = { { "GRAY8", { 1, 8, 0 }, 1920, 1080 },
    { "I420", { 1, 8, 0 }, 1920, 1080 }, { "I420", { 2, 10, 0 }, 1920, 1080 },
    { "I420", { 1, 8, 0 }, 3840, 2160 }, { "RGB", { 1, 8, 0 }, 1920, 1080 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (TestFrame) frame = test_frame_new (h,
        test_format_find (rows[i].format), rows[i].sample, rows[i].width,
        rows[i].height, (TestSpacing){ 0, 0, FALSE });
    g_autofree gchar *name = g_strdup_printf ("%s, %s of %u bits", h->label,
        rows[i].format, rows[i].sample.depth);
    Bench self = { funcs, funcs->create (h, frame), frame };
    guint64 n_bytes = 0;

    test_frame_fill (h, frame, FILL_RANDOM);
    for (guint c = 0;
         c < MIN (frame->format->n_components, funcs->n_components); c++)
      n_bytes += (guint64) frame->components[c].width *
                 frame->components[c].height * rows[i].sample.bytes *
                 MAX (funcs->n_frames, 1);
    if (self.op)
      harness_bench (h, name, rows[i].width, rows[i].height, n_bytes, run_bench,
          &self);
    funcs->free (self.op);
  }
}
