/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of metrics of regions. */

#include "metricsbench.h"

#include "metricscase.h"

#include <string.h>

/* Frames that a benchmark cycles through: more memory than caches hold. */
#define BENCH_BYTES      (100 * 1000 * 1000)
#define MAX_BENCH_FRAMES 24

#define HISTOGRAM (GST_CL_METRIC_HISTOGRAM | GST_CL_METRIC_MOMENTS)
/* the flags of `statistics` for all that signalstats measures */
#define SIGNALSTATS                                                            \
  (HISTOGRAM | GST_CL_METRIC_BITS | GST_CL_METRIC_TEMPORAL |                   \
      GST_CL_METRIC_CHROMA | GST_CL_METRIC_OUTLIERS |                          \
      GST_CL_METRIC_REPETITION | GST_CL_METRIC_GAMUT)

#define BITS_10 1 /* index in test_samples */
#define BITS_16 4

typedef enum { PICTURE, NOISE, FLAT } Scene;

typedef struct {
  const gchar *name, *format;
  guint metrics;
  gint width, height;
  guint sample; /* index in test_samples */
  guint grid;   /* zones in each direction, in addition to the frame; 0: none */
  Scene scene;
} Row;

static const Row rows[] = {
  /* clang-format off */
  { "histogram+moments", "GRAY8", HISTOGRAM, 1920, 1080, 0, 0, PICTURE },
  { "histogram+moments", "GRAY8", HISTOGRAM, 3840, 2160, 0, 0, PICTURE },
  { "histogram+moments", "GRAY8", HISTOGRAM, 7680, 4320, 0, 0, PICTURE },
  { "histogram+moments, flat", "GRAY8", HISTOGRAM, 1920, 1080, 0, 0, FLAT },
  { "histogram+moments, flat", "GRAY8", HISTOGRAM, 3840, 2160, 0, 0, FLAT },
  { "histogram+moments, 16 regions", "GRAY8", HISTOGRAM, 1920, 1080, 0, 4,
    PICTURE },
  { "histogram+moments, 256 regions", "GRAY8", HISTOGRAM, 1920, 1080, 0, 16,
    PICTURE },
  { "histogram+moments, 10 bits", "GRAY8", HISTOGRAM, 1920, 1080, BITS_10, 0,
    PICTURE },
  { "histogram+moments, 16 bits", "GRAY8", HISTOGRAM, 1920, 1080, BITS_16, 0,
    PICTURE },
  { "histogram+moments, 16 bits, noise", "GRAY8", HISTOGRAM, 1920, 1080,
    BITS_16, 0, NOISE },
  { "histogram+moments, 16 bits, flat", "GRAY8", HISTOGRAM, 1920, 1080,
    BITS_16, 0, FLAT },
  { "histogram+moments", "RGB", HISTOGRAM, 1920, 1080, 0, 0, PICTURE },
  { "moments", "GRAY8", GST_CL_METRIC_MOMENTS, 1920, 1080, 0, 0, PICTURE },
  { "moments", "GRAY8", GST_CL_METRIC_MOMENTS, 3840, 2160, 0, 0, PICTURE },
  { "moments, 256 regions", "GRAY8", GST_CL_METRIC_MOMENTS, 1920, 1080, 0, 16,
    PICTURE },
  { "moments, 16 bits", "GRAY8", GST_CL_METRIC_MOMENTS, 1920, 1080, BITS_16, 0,
    PICTURE },
  { "histogram+moments+positions", "GRAY8",
    HISTOGRAM | GST_CL_METRIC_POSITIONS, 1920, 1080, 0, 0, PICTURE },
  { "bits", "GRAY8", GST_CL_METRIC_BITS, 1920, 1080, 0, 0, PICTURE },
  { "temporal", "GRAY8", GST_CL_METRIC_TEMPORAL, 1920, 1080, 0, 0, PICTURE },
  { "freeze", "GRAY8", GST_CL_METRIC_FREEZE, 1920, 1080, 0, 0, PICTURE },
  { "fields", "GRAY8", GST_CL_METRIC_FIELDS, 1920, 1080, 0, 0, PICTURE },
  { "outliers", "GRAY8", GST_CL_METRIC_OUTLIERS, 1920, 1080, 0, 0, PICTURE },
  { "repetition", "GRAY8", GST_CL_METRIC_REPETITION, 1920, 1080, 0, 0,
    PICTURE },
  { "sharpness", "GRAY8", GST_CL_METRIC_SHARPNESS, 1920, 1080, 0, 0, PICTURE },
  { "noise", "GRAY8", GST_CL_METRIC_NOISE, 1920, 1080, 0, 0, PICTURE },
  { "gamut", "I420", GST_CL_METRIC_GAMUT, 1920, 1080, 0, 0, PICTURE },
  { "chroma", "I420", GST_CL_METRIC_CHROMA, 1920, 1080, 0, 0, PICTURE },
  { "chroma, 10 bits", "I420", GST_CL_METRIC_CHROMA, 1920, 1080, BITS_10, 0,
    PICTURE },
  { "histogram+moments", "I420", HISTOGRAM, 1920, 1080, 0, 0, PICTURE },
  { "signalstats", "I420", SIGNALSTATS, 1920, 1080, 0, 0, PICTURE },
  { "signalstats", "I420", SIGNALSTATS, 3840, 2160, 0, 0, PICTURE },
  { "signalstats", "I420", SIGNALSTATS, 7680, 4320, 0, 0, PICTURE },
  { "signalstats, flat", "I420", SIGNALSTATS, 1920, 1080, 0, 0, FLAT },
  { "signalstats, 16 regions", "I420", SIGNALSTATS, 1920, 1080, 0, 4, PICTURE },
  { "signalstats, 256 regions", "I420", SIGNALSTATS, 1920, 1080, 0, 16,
    PICTURE },
  { "signalstats, 10 bits", "I420", SIGNALSTATS, 1920, 1080, BITS_10, 0,
    PICTURE },
  { "all", "I420", GST_CL_METRICS_ALL, 1920, 1080, 0, 0, PICTURE },
  /* clang-format on */
};

/* Input as for peers: bytes, every code with the same probability. */
static const Row peer_rows[] = {
  { "histogram+moments", "GRAY8", HISTOGRAM, 1920, 1080, 0, 0, NOISE },
  { "histogram+moments", "GRAY8", HISTOGRAM, 3840, 2160, 0, 0, NOISE },
  { "histogram+moments", "GRAY8", HISTOGRAM, 7680, 4320, 0, 0, NOISE },
};

typedef struct {
  GstClMetricsOp *op;
  TestFrame *frames[MAX_BENCH_FRAMES];
  guint n_frames, next;
  GArray *regions; /* GstClRegion */
} Bench;

/* --- frames, regions ----------------------------------------------------- */

static void
fill_scene (Harness *h, TestFrame *frame, Scene scene)
{
  switch (scene) {
    case PICTURE:
      metrics_case_fill_picture (h, frame, frame->sample.depth - 4);
      break;
    case NOISE:
      test_frame_fill (h, frame, FILL_RANDOM);
      break;
    case FLAT:
      test_frame_fill (h, frame, FILL_ZERO);
      break;
  }
}

/* Copies a frame to other memory. */
static void
copy_frame (Harness *h, const TestFrame *from, TestFrame *to)
{
  memcpy (to->memories[0]->bytes, from->memories[0]->bytes,
      from->memories[0]->size_bytes);
  test_frame_upload (h, to);
}

static void
make_frames (Harness *h, const Row *row, Bench *bench)
{
  do {
    TestFrame *frame = test_frame_new (h, test_format_find (row->format),
        test_samples[row->sample], row->width, row->height,
        (TestSpacing){ 0, 0, TRUE });

    if (bench->n_frames == 0)
      fill_scene (h, frame, row->scene);
    else
      copy_frame (h, bench->frames[0], frame);
    bench->frames[bench->n_frames++] = frame;
  } while (bench->n_frames < MAX_BENCH_FRAMES &&
           bench->n_frames * bench->frames[0]->memories[0]->size_bytes <
               BENCH_BYTES);
}

static GArray *
make_regions (const Row *row)
{
  const gint n = (gint) row->grid;
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (GstClRegion));
  GstClRegion region = { 0, 0, row->width, row->height };

  g_array_append_val (regions, region);
  for (gint i = 0; i < n * n; i++) {
    const gint x = row->width * (i % n) / n, y = row->height * (i / n) / n;

    region = (GstClRegion){ x, y, row->width * (i % n + 1) / n - x,
      row->height * (i / n + 1) / n - y };
    g_array_append_val (regions, region);
  }

  return regions;
}

/* --- timing -------------------------------------------------------------- */

static gboolean
bench_run (gpointer user_data, GError **error)
{
  Bench *bench = user_data;
  const TestFrame *frame = bench->frames[bench->next++ % bench->n_frames];
  const guint64 limit = 0;
  const GstClMetricsIo io = { frame->components,
    (const GstClRegion *) bench->regions->data, bench->regions->len, &limit,
    1 };

  return gst_cl_metrics_op_run (bench->op, &io, error);
}

static void
bench_one (Harness *h, const GstClImplementation *implementation,
    const Row *row)
{
  g_autofree gchar *name = g_strdup_printf ("metrics/%s/%s %s",
      implementation->name, row->format, row->name);
  g_autoptr (GError) error = NULL;
  Bench bench = { .regions = make_regions (row) };
  GstClMetricsProblem problem;

  make_frames (h, row, &bench);
  problem = metrics_case_problem (bench.frames[0], row->metrics,
      1u << test_samples[row->sample].depth);
  bench.op = metrics_case_op (h, implementation, &problem, 0, &error);
  if (bench.op)
    harness_bench (h, name, row->width, row->height,
        bench.frames[0]->memories[0]->size_bytes, bench_run, &bench);
  else
    harness_fail (h, error, "%s: cannot create an op", name);

  gst_cl_metrics_op_free (bench.op);
  g_array_unref (bench.regions);
  for (guint i = 0; i < bench.n_frames; i++)
    test_frame_free (bench.frames[i]);
}

void
metrics_bench_row (Harness *h, const GstClImplementation *implementation)
{
  const gboolean is_plain = implementation->family == GST_CL_FAMILY_ANY;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (!is_plain || rows[i].width == 1920)
      bench_one (h, implementation, &rows[i]);
  }
}

void
metrics_bench_beside_peers (Harness *h)
{
  for (guint i = 0; i < G_N_ELEMENTS (peer_rows); i++)
    bench_one (h,
        gst_cl_op_table_first (&gst_cl_metrics_table, GST_CL_METHOD_AUTO, NULL,
            h->context->device),
        &peer_rows[i]);
}
