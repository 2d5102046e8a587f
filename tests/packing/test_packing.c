/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packed formats: every row of the table, compared with the reference, on the
 * formats that the seed selects; on a GPU, on every format. */

#include "packingreference.h"

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclformat.h"
#include "harness/harness.h"
#include "harness/rows.h"

#include <string.h>

#define GUARD        0xA5
#define MANY_SAMPLES 50000

/* A frame and its components, in host memory. */
typedef struct {
  GstClPackingProblem problem;
  RefPackedPlane planes[GST_VIDEO_MAX_PLANES];
  gsize packed_bytes, component_bytes;
  guint8 *packed, *components;
} Case;

static void
clear_case (Case *self)
{
  g_free (self->packed);
  g_free (self->components);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, clear_case)

/* Bytes that the kernel writes are guards before; the others are random. */
static void
fill (Harness *h, guint8 *bytes, gsize n_bytes, gboolean is_random)
{
  for (gsize i = 0; i < n_bytes; i++)
    bytes[i] = is_random ? (guint8) g_rand_int (h->rand) : GUARD;
}

/* Rows and planes have random gaps of whole words. */
static void
init_case (Case *self, Harness *h, const GstVideoInfo *info,
    GstClPackingMethod method, guint component_mask)
{
  const gboolean packs = method == GST_CL_PACKING_METHOD_PACK;
  gint word_bytes;

  *self = (Case){ .packed = NULL };
  gst_cl_packing_problem_init (&self->problem, info, method, component_mask);
  word_bytes = (gint) gst_cl_packing_word_bytes (self->problem.packing);
  for (guint p = 0; p < self->problem.packing->n_planes; p++) {
    const gint row_bytes = self->problem.planes[p].row_bytes;

    self->planes[p].offset_bytes = self->packed_bytes +
                                   g_rand_int_range (h->rand, 0, 9) *
                                       word_bytes;
    self->planes[p].stride_bytes = row_bytes +
                                   g_rand_int_range (h->rand, 0, 9) *
                                       word_bytes;
    /* the last row ends with its last sample */
    self->packed_bytes = self->planes[p].offset_bytes +
                         (gsize) (self->problem.planes[p].n_rows - 1) *
                             self->planes[p].stride_bytes +
                         row_bytes;
  }
  self->component_bytes = gst_cl_packing_problem_bytes (&self->problem);
  self->packed = g_malloc (self->packed_bytes);
  self->components = g_malloc (self->component_bytes);
  fill (h, self->packed, self->packed_bytes, !packs);
  fill (h, self->components, self->component_bytes, packs);
  /* codes of at most depth bits */
  for (gsize i = 1; packs && i < self->component_bytes; i += 2) {
    if (self->problem.packing->depth > 8)
      self->components[i] &= (1 << (self->problem.packing->depth - 8)) - 1;
  }
}

/* Runs @instance, and replaces the bytes of its result. */
static gboolean
run (const Case *self, Harness *h, const GstClInstance *instance,
    guint8 *packed, guint8 *components, GError **error)
{
  GstClFrame frame = { 0 };
  GstClPackingIo io = { .packed = &frame };
  const gboolean packs = self->problem.method == GST_CL_PACKING_METHOD_PACK;
  cl_mem mem = gst_cl_buffer_new_filled (h->context, self->packed_bytes, packed,
      error);
  gboolean is_run = FALSE;
  gpointer mapped;

  io.components = gst_cl_buffer_new_filled (h->context, self->component_bytes,
      components, error);
  for (guint p = 0; p < self->problem.packing->n_planes; p++) {
    frame.planes[p].mem = mem;
    frame.planes[p].offset_bytes = self->planes[p].offset_bytes;
    frame.planes[p].stride_bytes = self->planes[p].stride_bytes;
  }
  if (mem && io.components && gst_cl_instance_run (instance, &io, error)) {
    cl_mem result = packs ? mem : io.components;
    const gsize n_bytes = packs ? self->packed_bytes : self->component_bytes;

    mapped = gst_cl_buffer_map (h->context, GST_CL_QUEUE_COMPUTE, result,
        CL_MAP_READ, n_bytes, "a result", error);
    is_run = mapped != NULL;
    if (mapped) {
      memcpy (packs ? packed : components, mapped, n_bytes);
      clEnqueueUnmapMemObject (
          gst_cl_context_find_queue (h->context, GST_CL_QUEUE_COMPUTE), result,
          mapped, 0, NULL, NULL);
    }
  }
  gst_cl_buffer_free (mem);
  gst_cl_buffer_free (io.components);

  return is_run;
}

static void
check_case (const Case *self, Harness *h, const GstClInstance *instance)
{
  g_autofree guint8 *packed = g_memdup2 (self->packed, self->packed_bytes);
  g_autofree guint8 *components = g_memdup2 (self->components,
      self->component_bytes);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *name = gst_cl_packing_table.describe (&self->problem);

  if (!run (self, h, instance, packed, components, &error)) {
    harness_fail (h, error, "%s", name);
    return;
  }
  ref_packing (&self->problem, self->planes, self->packed, self->components);
  test_bytes_equal (h, components, self->components, self->component_bytes,
      "%s, components", name);
  test_bytes_equal (h, packed, self->packed, self->packed_bytes,
      "%s, packed planes", name);
}

static const GstClImplementation *
row_of_case (const Harness *h)
{
  return harness_row (h, &gst_cl_packing_table);
}

static gboolean
init_instance (Harness *h, GstClInstance *instance,
    const GstClPackingProblem *problem)
{
  const GstClCandidate candidate = gst_cl_implementation_untuned (
      row_of_case (h), problem, h->context->device);
  g_autoptr (GError) error = NULL;

  if (gst_cl_instance_init (instance, h->context, &candidate, problem, &error))
    return TRUE;
  harness_fail (h, error, "cannot create an instance");

  return FALSE;
}

static void
check_format (Harness *h, GstVideoFormat format, gint width, gint height,
    guint component_mask)
{
  const GstClImplementation *row = row_of_case (h);
  GstClInstance instance;
  GstVideoInfo info;
  g_auto (Case) self = { .packed = NULL };

  gst_video_info_set_format (&info, format, width, height);
  init_case (&self, h, &info, row->method, component_mask);
  if (!init_instance (h, &instance, &self.problem))
    return;
  check_case (&self, h, &instance);
  gst_cl_instance_clear (&instance);
}

/* The compiler takes most of the time: each component alone of one of these
 * formats, which have several planes, several samples in a group, and codes of
 * two depths. */
static void
check_components (Harness *h)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_NV12_10LE32, GST_VIDEO_FORMAT_Y410 };

  for (guint i = 0; i < G_N_ELEMENTS (formats) && !h->is_small; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (formats[i]);

    if (!harness_draws (h, i, G_N_ELEMENTS (formats)))
      continue;
    for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++)
      check_format (h, formats[i], 97, 5, 1u << c);
  }
}

/* Each format has programs: a run draws some, other ones for each file of
 * kernels. */
static void
check_row (Harness *h)
{
  const guint first = row_of_case (h)->family == GST_CL_FAMILY_CPU ? 0 : 3;
  guint n_formats, n_sizes;
  const GstClFormat *formats = gst_cl_formats (&n_formats);
  const TestSize *sizes = harness_sizes (h, &n_sizes);

  for (guint i = 0; i < n_formats; i++) {
    if (!formats[i].planes[0] ||
        !harness_draws (h, first + i, harness_count (h, 6, 8)))
      continue;
    for (guint s = 0; s < n_sizes; s++) {
      if (sizes[s].width * sizes[s].height <= MANY_SAMPLES)
        check_format (h, formats[i].format, sizes[s].width, sizes[s].height,
            GST_CL_ALL_COMPONENTS);
    }
    for (gint width = 1; width <= 50 && !h->is_small; width++)
      check_format (h, formats[i].format, width, 3, GST_CL_ALL_COMPONENTS);
  }
  if (row_of_case (h)->method == GST_CL_PACKING_METHOD_UNPACK)
    check_components (h);
}

/* --- benchmark ------------------------------------------------------------ */

typedef struct {
  GstClInstance instance;
  GstClFrame frame;
  GstClPackingIo io;
} Bench;

static gboolean
run_bench (gpointer user_data, GError **error)
{
  Bench *self = user_data;

  return gst_cl_instance_run (&self->instance, &self->io, error);
}

static void
bench_row (Harness *h)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_r210, GST_VIDEO_FORMAT_P010_10BE };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstClPackingProblem problem;
    Bench self = { .io.packed = &self.frame };
    GstVideoInfo info;
    g_autofree gchar *name = g_strdup_printf ("%s, %s", h->label,
        gst_video_format_to_string (formats[i]));

    gst_video_info_set_format (&info, formats[i], 1920, 1080);
    gst_cl_packing_problem_init (&problem, &info, row_of_case (h)->method,
        GST_CL_ALL_COMPONENTS);
    if (!init_instance (h, &self.instance, &problem))
      return;
    for (guint p = 0; p < problem.packing->n_planes; p++) {
      self.frame.planes[p].mem = gst_cl_buffer_new_zeroed (h->context,
          GST_VIDEO_INFO_SIZE (&info), NULL);
      self.frame.planes[p].stride_bytes = GST_VIDEO_INFO_PLANE_STRIDE (&info,
          p);
    }
    self.io.components = gst_cl_buffer_new_zeroed (h->context,
        gst_cl_packing_problem_bytes (&problem), NULL);
    harness_bench (h, name, 1920, 1080,
        GST_VIDEO_INFO_SIZE (&info) + gst_cl_packing_problem_bytes (&problem),
        run_bench, &self);
    gst_cl_instance_clear (&self.instance);
    gst_cl_buffer_free (self.io.components);
    for (guint p = 0; p < problem.packing->n_planes; p++)
      gst_cl_buffer_free (self.frame.planes[p].mem);
  }
}

int
main (int argc, char **argv)
{
  return harness_rows_main (argc, argv, &gst_cl_packing_table, check_row,
      bench_row, NULL, 0);
}
