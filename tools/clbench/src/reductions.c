/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two-buffer ping-pong reduction: sample types and block sizes. */

#include "reductionsprivate.h"

#include "cl/memory/gstclbuffer.h"

static const gint blocks[] = { 8, 16, 32 };

static void
fill_samples (Bench *bench, const ReductionFrame *frame, gpointer samples)
{
  const gsize n_samples = (gsize) frame->width * frame->height;
  g_autoptr (GRand) rand = bench_rand (bench, REDUCTION_TECHNIQUE,
      frame->is_float ? "float" : "8-bit");

  for (gsize i = 0; i < n_samples; i++) {
    /* a float holds 24 bits */
    const guint32 number = g_rand_int (rand) >> 8;

    if (frame->is_float)
      ((gfloat *) samples)[i] = (gfloat) number / (1 << 24);
    else
      ((guint8 *) samples)[i] = (guint8) number;
  }
}

/* Returns the fastest method; REDUCTION_N_METHODS: no method was correct. */
static ReductionMethod
find_winner (const ReductionSeries *series)
{
  ReductionMethod winner = REDUCTION_N_METHODS;

  for (ReductionMethod method = 0; method < REDUCTION_N_METHODS; method++) {
    const gdouble us = series->best[method].us;

    if (us > 0 &&
        (winner == REDUCTION_N_METHODS || us < series->best[winner].us))
      winner = method;
  }

  return winner;
}

/* "outer is fastest for float (block 16, 39.0 us, 2.56 times as fast as
 * inner)". transfer full */
static gchar *
describe_winner (const ReductionSeries *series)
{
  const ReductionMethod winner = find_winner (series);
  g_autofree gchar *time = NULL;
  GString *text;

  if (winner == REDUCTION_N_METHODS)
    return g_strdup_printf ("no method is correct for %s", series->name);

  time = report_format_us (series->best[winner].us);
  text = g_string_new (NULL);
  g_string_printf (text, "%s is fastest for %s (block %d, %s",
      reduction_method_names[winner], series->name, series->best[winner].block,
      time);
  for (ReductionMethod method = REDUCTION_INNER; method <= REDUCTION_OUTER;
       method++) {
    if (method != winner && series->best[method].us > 0)
      g_string_append_printf (text, ", %.2f times as fast as %s",
          series->best[method].us / series->best[winner].us,
          reduction_method_names[method]);
  }
  g_string_append_c (text, ')');

  return g_string_free (text, FALSE);
}

static gboolean
bench_on_device (ReductionSeries *series, gchar **words, GError **error)
{
  Bench *bench = series->bench;
  g_autofree gchar *winner = NULL, *taken = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++) {
    if (!reduction_bench_block (series, blocks[i], error))
      return FALSE;
  }
  winner = describe_winner (series);

  if (series->frame.is_float) {
    *words = g_steal_pointer (&winner);
    return TRUE;
  }

  if (!reduction_bench_frame_sum (bench, &series->frame, series->mem,
          bench->allowed_us / (2 * REDUCTION_N_ROWS), &taken, error))
    return FALSE;
  *words = g_strdup_printf ("%s; %s", winner, taken);

  return TRUE;
}

/* *@words receives the fastest method; transfer full */
static gboolean
bench_series (ReductionSeries *series, gchar **words, GError **error)
{
  Bench *bench = series->bench;
  ReductionFrame *frame = &series->frame;
  const gsize size_bytes = (gsize) frame->width * frame->height *
                           reduction_sample_bytes (frame);
  g_autofree gpointer samples = g_malloc (size_bytes);
  gboolean is_done;

  fill_samples (bench, frame, samples);
  frame->samples = samples;
  series->mem = gst_cl_buffer_new_filled (bench->context, size_bytes, samples,
      error);
  if (series->mem)
    series->profiling = gst_cl_buffer_new_filled (bench->profiling, size_bytes,
        samples, error);
  is_done = series->profiling && bench_on_device (series, words, error);
  gst_cl_buffer_free (series->mem);
  gst_cl_buffer_free (series->profiling);

  return is_done;
}

gboolean
bench_reductions (Bench *bench, GError **error)
{
  /* small frames have ragged blocks and take three rounds of 8 */
  ReductionSeries floats = {
    .bench = bench,
    .frame = { TRUE, bench->is_quick ? 72 : 4096, bench->is_quick ? 40 : 4096,
        NULL },
    .name = "float",
  };
  ReductionSeries video = {
    .bench = bench,
    .frame = { FALSE, bench->is_quick ? 70 : 3840, bench->is_quick ? 34 : 2160,
        NULL },
    .name = "8-bit",
  };
  g_autofree gchar *float_words = NULL, *video_words = NULL, *sentence = NULL;

  if (!bench_series (&floats, &float_words, error) ||
      !bench_series (&video, &video_words, error))
    return FALSE;

  sentence = g_strdup_printf ("%s; %s.", float_words, video_words);
  report_conclude (bench->report, REDUCTION_TECHNIQUE, sentence);

  return TRUE;
}
