/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"
#include "timing.h"

G_BEGIN_DECLS

/* The loop around every kernel test, in the manner of dav1d's checkasm: name
 * the case, fill with extreme or random data, run the op and the scalar
 * reference, compare (guard bytes too), print the parameters of the first
 * failure; with --bench time the same call. */

typedef enum { FILL_ZERO, FILL_MAX, FILL_ALTERNATING, FILL_RANDOM } FillType;
#define N_FILL_TYPES 4

typedef struct {
  GstClContext *context;
  GRand *rand;           /* seeded by --seed; the seed is printed */
  guint32 seed;          /* what all cases of a run draw alike comes from it */
  const gchar *label;    /* of the current case, for messages */
  guint n_failed;        /* of the current case */
  gboolean is_bench;     /* cases are timed, not checked */
  gboolean is_json;      /* harness_bench() prints JSON, one object a line */
  gboolean is_small;     /* few frames, and small ones: a simulator runs them */
  GArray *host_times;    /* Spread, in the order of harness_bench() */
  gdouble copy_gb_per_s; /* of the device, for comparison; 0: not known */
} Harness;

typedef struct {
  const gchar *name; /* "integral/multi-pass": --test PATTERN matches it */
  void (*check) (Harness *h); /* or NULL */
  /* or NULL; run with --bench instead of check: twice, without profiling and
   * with it, doing the same each time */
  void (*bench) (Harness *h);
  gboolean is_large; /* of no use without large frames */
} HarnessCase;

/* Options: --test PATTERN (glob), --seed N, --small, --bench, --json,
 * --device NAME, --list. Exit status 0 all passed, 1 a failure, 77 no device (1
 * if CL_REQUIRE_DEVICE=1). CL_TEST_SEED is the seed where --seed names none, so
 * that several builds take the same random choices. Its last line reads "N
 * passed, N failed", counted in cases; with --json every line is an object.
 * Each case starts with the random numbers of seed and name, so that it fails
 * alone as it failed among others. */
int harness_main (int argc, char **argv, const HarnessCase *cases,
    guint n_cases);

/* Types of samples that the formats have. */
extern const GstClSampleType test_samples[];
extern const guint n_test_samples;

/* What @bytes hold at @at, as a code. */
guint test_code (const guint8 *bytes, const GstClSampleType *sample, gsize at);

/* A test frame: host bytes and their device copy. Every byte that no sample
 * uses (before, between rows, after, between pixels) is a guard. */
typedef struct {
  GstClContext *context;
  guint8 *bytes; /* host copy, size_bytes */
  gsize size_bytes;
  GstClComponent components[4];
  guint n_components;
} TestPlane;

/* One plane of @n_components interleaved components at @pixel_stride bytes
 * (component c at byte c), @width x @height samples each, rows @pad_bytes
 * longer than needed, @guard_bytes before and after; guards are 0xA5. */
TestPlane *test_plane_new (Harness *h, gint width, gint height,
    guint n_components, gint pixel_stride, gint pad_bytes, gint guard_bytes);
/* A plane of samples of @sample: component c is at sample c, strides of pixels
 * are in samples, too. */
TestPlane *test_plane_new_of (Harness *h, GstClSampleType sample, gint width,
    gint height, guint n_components, gint pixel_stride, gint pad_bytes,
    gint guard_bytes);
/* Samples by @fill, guards anew, host copy and device copy alike. */
void test_plane_fill (Harness *h, TestPlane *plane, FillType fill);
/* The device's bytes into the host copy. */
void test_plane_download (Harness *h, TestPlane *plane);
/* Compares, byte for byte, what a kernel wrote with what it should have
 * written; reports the first difference, guards included, with @format. */
gboolean test_bytes_equal (Harness *h, const guint8 *got, const guint8 *want,
    gsize size_bytes, const gchar *format, ...) G_GNUC_PRINTF (5, 6);
void test_plane_free (TestPlane *plane);

const gchar *fill_type_name (FillType fill);

/* A failure that is not a difference in bytes (error may be NULL; it stays the
 * caller's). */
void harness_fail (Harness *h, GError *error, const gchar *format, ...)
    G_GNUC_PRINTF (3, 4);

/* GB/s of the device's own copies of buffers, each byte counted as read and as
 * written; 0, with a failure, if it cannot. */
gdouble harness_copy_rate (Harness *h);

/* Times @run: in a context that does not profile, host clock back to back; in
 * one that does, the device's time, and prints both: what profiling costs is in
 * the device's time alone. Medians of at least 50 (200 where a run is short)
 * after warm-up, fewer only where those would take ten seconds. A line (or JSON
 * with --json): name, @width x @height, microseconds, spread (10th and 90th
 * percentile), GB/s for @bytes moved, device. */
void harness_bench (Harness *h, const gchar *name, gint width, gint height,
    guint64 bytes, TimingRun run, gpointer user_data);

typedef struct {
  gint width, height;
} TestSize;

/* Geometries every op is tried on: 1x1, 1xN, Nx1, primes, one below and above
 * powers of two and work-group sizes, one larger than several tiles. With
 * --small those that make kernels take each of their ways. */
const TestSize *harness_sizes (const Harness *h, guint *n_sizes);
/* Whether choice @i is one that this run tries, for those of which every run
 * tries one in @n: all cases of a run draw alike. A compiler for GPUs is quick
 * enough to try them all. */
gboolean harness_draws (const Harness *h, guint i, guint n);

/* @n of something, with --small @n_small. */
guint harness_count (const Harness *h, guint n, guint n_small);

G_END_DECLS
