/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Large integral images in host memory, from strips. */

#include "gstclintegralstrips.h"

#include <string.h>

#include "cl/memory/gstclbuffer.h"
#include "elements/base/gstclstrip.h"
#include "ops/integral/integral.h"
#include "ops/tieredop.h"

/* An array of the integral image: sums or squares. */
typedef struct {
  GstClIntegralKind kind;
  GstClSums whole;     /* mem is NULL */
  GstClSums sums;      /* of a strip: integers, inclusive */
  GstClTieredOp *op;   /* for strips of n_rows; NULL: there is no such array */
  GstClTieredOp *last; /* for the last strip; NULL: it has n_rows, too */
  guint64 *above;      /* sums of the row above the strip */
} Array;

struct _GstClIntegralStrips {
  GstClContext *context;
  GstVideoInfo in;
  GstClIntegralInfo out;
  guint first_component;
  gint method;
  gboolean may_measure;
  gint n_rows;     /* of the frame, of each strip but the last one */
  Array arrays[2]; /* sums, squares */
};

/* --- creating ------------------------------------------------------------- */

gint
gst_cl_integral_strips_rows (GstClContext *context, const GstVideoInfo *in,
    const GstClIntegralInfo *out)
{
  const guint64 sum_bytes = (guint64) out->width * out->height * out->channels *
                            sizeof (cl_ulong);

  return gst_cl_strip_rows (context, GST_VIDEO_INFO_HEIGHT (in),
      MAX (sum_bytes, gst_cl_strip_plane_bytes (in)));
}

gboolean
gst_cl_integral_strips_are_needed (GstClContext *context,
    const GstClIntegralInfo *out)
{
  const gsize size_bytes = gst_cl_integral_info_size (out);

  return size_bytes > context->device->max_alloc_bytes &&
         size_bytes <= G_MAXUINT && !out->has_tilted;
}

/* Returns the shape of the first component in a strip of @n_rows. */
static GstClComponent
get_shape (const GstClIntegralStrips *self, gint n_rows)
{
  const GstVideoInfo info = gst_cl_strip_info (&self->in, n_rows);

  return gst_cl_component_of_info (&info, self->first_component);
}

static GstClTieredOp *
make_op (const GstClIntegralStrips *self, const Array *array, gint n_rows,
    GError **error)
{
  const GstClComponent shape = get_shape (self, n_rows);
  const GstClIntegralProblem problem = {
    .width = shape.width,
    .height = shape.height,
    .channels = array->sums.channels,
    .pixel_stride_bytes = shape.pixel_stride_bytes,
    .sample = shape.sample,
    .layout = array->sums.layout,
    .sum_bytes = array->sums.sum_bytes,
    .kind = array->kind,
  };

  return gst_cl_tiered_op_new (&gst_cl_integral_tiered, self->context,
      self->method, &problem, self->may_measure, error);
}

static gboolean
make_array (GstClIntegralStrips *self, GstClIntegralKind kind, GError **error)
{
  Array *array = &self->arrays[kind == GST_CL_INTEGRAL_SQUARES];
  const gint n_last = GST_VIDEO_INFO_HEIGHT (&self->in) % self->n_rows;
  const gsize n_sums = (gsize) self->out.width * self->out.channels;

  array->kind = kind;
  array->whole = kind == GST_CL_INTEGRAL_SQUARES
                     ? gst_cl_integral_info_squares (&self->out, NULL, 0)
                     : gst_cl_integral_info_sums (&self->out, NULL, 0);
  array->sums = (GstClSums){
    .layout = GST_CL_LAYOUT_INCLUSIVE,
    .width = self->out.width,
    .height = get_shape (self, self->n_rows).height,
    .channels = self->out.channels,
    .sum_bytes = array->whole.is_float ? sizeof (cl_ulong)
                                       : array->whole.sum_bytes,
  };
  array->above = g_new (guint64, n_sums);
  array->sums.mem = gst_cl_buffer_new (self->context,
      n_sums * (gsize) array->sums.height * array->sums.sum_bytes, error);
  if (!array->sums.mem)
    return FALSE;

  array->op = make_op (self, array, self->n_rows, error);
  if (array->op && n_last > 0)
    array->last = make_op (self, array, n_last, error);

  return array->op && (n_last == 0 || array->last);
}

GstClIntegralStrips *
gst_cl_integral_strips_new (GstClContext *context, const GstVideoInfo *in,
    const GstClIntegralInfo *out, guint first_component, gint method,
    gboolean may_measure, GError **error)
{
  g_autoptr (GstClIntegralStrips) self = g_new0 (GstClIntegralStrips, 1);

  self->context = gst_object_ref (context);
  self->in = *in;
  self->out = *out;
  self->first_component = first_component;
  self->method = method;
  self->may_measure = may_measure;
  self->n_rows = gst_cl_integral_strips_rows (context, in, out);

  return make_array (self, GST_CL_INTEGRAL_SUM, error) &&
                 (!out->has_squares ||
                     make_array (self, GST_CL_INTEGRAL_SQUARES, error))
             ? g_steal_pointer (&self)
             : NULL;
}

void
gst_cl_integral_strips_free (GstClIntegralStrips *self)
{
  if (!self)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (self->arrays); i++) {
    gst_cl_tiered_op_free (self->arrays[i].op);
    gst_cl_tiered_op_free (self->arrays[i].last);
    gst_cl_buffer_free (self->arrays[i].sums.mem);
    g_free (self->arrays[i].above);
  }
  gst_object_unref (self->context);
  g_free (self);
}

/* --- on the device -------------------------------------------------------- */

/* Arguments for the work on the strips of one frame. */
typedef struct {
  GstClIntegralStrips *self;
  GstClStrips strips;
  guint8 *out;             /* the integral image */
  const GstClFrame *strip; /* the current one */
} Work;

static gboolean
run (const Work *work, GError **error)
{
  GstClIntegralStrips *self = work->self;
  const gboolean is_last = GST_VIDEO_INFO_HEIGHT (&work->strip->info) !=
                           self->n_rows;
  GstClComponent components[GST_VIDEO_MAX_COMPONENTS];

  for (guint c = 0; c < (guint) self->out.channels; c++)
    components[c] = gst_cl_frame_component (work->strip,
        self->first_component + c);

  for (guint i = 0; i < G_N_ELEMENTS (self->arrays); i++) {
    Array *array = &self->arrays[i];
    GstClSums sums = array->sums;
    GstClIntegralOp *op;

    if (!array->op)
      continue;
    sums.height = components[0].height;
    op = gst_cl_tiered_op_next (is_last ? array->last : array->op, error);
    if (!op || !gst_cl_integral_op_run (op, components, &sums, error))
      return FALSE;
  }

  return TRUE;
}

/* --- on the host ---------------------------------------------------------- */

/* Arrays may start at any multiple of four bytes. */
static void
store_sum (guint8 *sums, gsize index, const GstClSums *array, guint64 sum)
{
  const gfloat single = (gfloat) sum;
  const gdouble real = (gdouble) sum;
  const guint32 word = (guint32) sum;

  if (array->sum_bytes == sizeof word)
    memcpy (sums + index * sizeof word,
        array->is_float ? (gconstpointer) &single : (gconstpointer) &word,
        sizeof word);
  else
    memcpy (sums + index * sizeof sum,
        array->is_float ? (gconstpointer) &real : (gconstpointer) &sum,
        sizeof sum);
}

/* Writes rows [@first_row, @first_row + @n_rows) of the array to @out: @sums of
 * the strip, plus those above, which become those of the last row. */
static void
add_strip (Array *array, gconstpointer sums, gint first_row, gint n_rows,
    guint8 *out)
{
  const GstClSums *whole = &array->whole;
  const gsize before = whole->layout == GST_CL_LAYOUT_EXCLUSIVE
                           ? (gsize) whole->channels
                           : 0;
  const gsize length = (gsize) whole->width * (gsize) whole->channels;
  const guint32 *words = sums;
  const guint64 *longs = sums;

  out += whole->offset_bytes;
  if (first_row == 0) {
    memset (array->above, 0, length * sizeof *array->above);
    for (gsize i = 0; before > 0 && i < before + length; i++)
      store_sum (out, i, whole, 0);
  }
  for (gint y = 0; y < n_rows; y++) {
    const gsize row = (gsize) (first_row + y + (before > 0)) *
                      (before + length);

    for (gsize i = 0; i < before; i++)
      store_sum (out, row + i, whole, 0);
    for (gsize i = 0; i < length; i++) {
      const gsize at = (gsize) y * length + i;
      const guint64 sum = array->above[i] +
                          (array->sums.sum_bytes == sizeof *words ? words[at]
                                                                  : longs[at]);

      store_sum (out, row + before + i, whole, sum);
      if (y == n_rows - 1)
        array->above[i] = sum;
    }
  }
}

/* Adds the strip of @n_rows from @row of the frame on to @out; waits for it. */
static gboolean
add_arrays (GstClIntegralStrips *self, gint row, gint n_rows, guint8 *out,
    GError **error)
{
  const gint first_row = row > 0 ? get_shape (self, row).height : 0;
  const gint n_sum_rows = get_shape (self, n_rows).height;

  for (guint i = 0; i < G_N_ELEMENTS (self->arrays); i++) {
    Array *array = &self->arrays[i];
    const gsize size_bytes = (gsize) array->sums.width *
                             (gsize) array->sums.channels * (gsize) n_sum_rows *
                             array->sums.sum_bytes;
    gpointer sums;

    if (!array->op)
      continue;
    sums = gst_cl_buffer_map (self->context, GST_CL_QUEUE_COMPUTE,
        array->sums.mem, CL_MAP_READ, size_bytes, "map a strip of sums", error);
    if (!sums)
      return FALSE;
    add_strip (array, sums, first_row, n_sum_rows, out);
    if (!gst_cl_buffer_unmap (self->context, GST_CL_QUEUE_COMPUTE,
            array->sums.mem, sums, error))
      return FALSE;
  }

  return TRUE;
}

static gboolean
sum_strip (const GstClFrame *strip, gint row, gpointer user_data,
    GError **error)
{
  Work *work = user_data;

  work->strip = strip;

  return gst_cl_in_flight_begin_kernels (work->strips.frames, error) &&
         run (work, error) &&
         gst_cl_in_flight_end_kernels (work->strips.frames, error) &&
         add_arrays (work->self, row, GST_VIDEO_INFO_HEIGHT (&strip->info),
             work->out, error);
}

gboolean
gst_cl_integral_strips_run (GstClIntegralStrips *self, GstClInFlight *frames,
    GstBuffer *in, GstBuffer *out, guint component_mask, GError **error)
{
  Work work = { .self = self,
    .strips = { frames, in, &self->in, self->n_rows, component_mask } };
  GstMapInfo map;
  gboolean done;

  if (!gst_buffer_map (out, &map, GST_MAP_WRITE)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "The buffer of the integral image cannot be mapped.");
    return FALSE;
  }

  work.out = map.data;
  done = gst_cl_strips_run (&work.strips, sum_strip, &work, error);
  gst_buffer_unmap (out, &map);

  return done;
}
