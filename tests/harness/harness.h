/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclbuffer.h"
#include "cl/video/gstclcomponent.h"
#include "ops/implementation.h"
#include "timing.h"

#include <string.h>

G_BEGIN_DECLS

/* The loop of every kernel test, like dav1d's checkasm: name the case, fill
 * with extreme or random data, run the op and the scalar reference, compare
 * (guard bytes, too), print the parameters of the first failure. With --bench
 * time the same call. */

typedef enum { FILL_ZERO, FILL_MAX, FILL_ALTERNATING, FILL_RANDOM } FillType;
#define N_FILL_TYPES 4

typedef struct {
  GstClContext *context;
  GRand *rand;           /* seeded by --seed; the seed is printed */
  guint32 seed;          /* source of random choices that all cases of a run
                          * share */
  const gchar *label;    /* of the current case, for messages */
  guint n_failed;        /* of the current case */
  gboolean is_bench;     /* cases are timed, not checked */
  gboolean is_json;      /* harness_bench() prints JSON, one object a line */
  gboolean is_small;     /* few and small frames: a simulator runs them */
  GArray *host_times;    /* time spread, as returned by harness_bench() */
  gdouble copy_gb_per_s; /* of the device, for comparison; 0: unknown */
} Harness;

typedef struct {
  const gchar *name; /* "integral/multi-pass": --test PATTERN matches it */
  void (*check) (Harness *h); /* or NULL */
  /* or NULL; called with --bench instead of check: twice, without and with
   * profiling, and must do the same each time */
  void (*bench) (Harness *h);
  gboolean is_large; /* useless without large frames */
} HarnessCase;

/* Options: --test PATTERN (glob), --seed N, --small, --bench, --json, --device
 * NAME, --list. Exit status 0: all passed, 1: a failure, 77: no device (1 if
 * CL_REQUIRE_DEVICE=1). Without --seed, CL_TEST_SEED is the seed, so that
 * several builds make the same random choices. The last line is "N passed, N
 * failed", counted in cases; with --json every line is an object. The random
 * numbers of each case depend on the seed and its name, so that a failing case
 * also fails alone. */
int harness_main (int argc, char **argv, const HarnessCase *cases,
    guint n_cases);

/* Sample types of the formats. */
extern const GstClSampleType test_samples[];
extern const guint n_test_samples;

/* Returns the code of sample @at of @bytes. */
static inline guint
test_code (const guint8 *bytes, const GstClSampleType *sample, gsize at)
{
  guint16 word;

  if (sample->bytes == 1)
    return bytes[at];
  memcpy (&word, bytes + at, sizeof word);

  return word >> sample->shift;
}

/* Returns the code of sample (@x, @y) of @component, a host copy of whose
 * memory is @bytes. */
static inline guint
test_code_at (const guint8 *bytes, const GstClComponent *component, gint x,
    gint y)
{
  return test_code (bytes, &component->sample,
      component->offset_bytes + (gsize) y * component->stride_bytes +
          (gsize) x * component->pixel_stride_bytes);
}

/* A test frame: host bytes and their device copy. Every byte that belongs to no
 * sample (before, between rows, after, between pixels) is a guard. */
typedef struct {
  GstClContext *context;
  guint8 *bytes; /* host copy, size_bytes */
  gsize size_bytes;
  GstClComponent components[4];
  guint n_components;
} TestPlane;

/* One plane of @n_components interleaved components with @pixel_stride bytes
 * from pixel to pixel (component c is at byte c), @width x @height samples
 * each; rows are @pad_bytes longer than needed; @guard_bytes before and after;
 * guards are 0xA5. */
TestPlane *test_plane_new (Harness *h, gint width, gint height,
    guint n_components, gint pixel_stride, gint pad_bytes, gint guard_bytes);
/* A plane of samples of type @sample: component c is at sample c; pixel strides
 * are in samples, too. */
TestPlane *test_plane_new_of (Harness *h, GstClSampleType sample, gint width,
    gint height, guint n_components, gint pixel_stride, gint pad_bytes,
    gint guard_bytes);
/* Sets samples by @fill and restores the guards, in the host and the device
 * copy. */
void test_plane_fill (Harness *h, TestPlane *plane, FillType fill);
/* Reads the device's bytes into the host copy. */
void test_plane_download (Harness *h, TestPlane *plane);
/* Compares the bytes that a kernel wrote with the expected ones; reports the
 * first difference, guards included, with @format. */
gboolean test_bytes_equal (Harness *h, const guint8 *got, const guint8 *want,
    gsize size_bytes, const gchar *format, ...) G_GNUC_PRINTF (5, 6);
void test_plane_free (TestPlane *plane);

const gchar *fill_type_name (FillType fill);

/* Reports a failure other than a difference in bytes (error may be NULL; it is
 * owned by the caller). */
void harness_fail (Harness *h, GError *error, const gchar *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Returns the GB/s of buffer copies on the device, with each byte counted as
 * read and as written; 0, with a failure, if it cannot be measured. */
gdouble harness_copy_rate (Harness *h);

/* Times @run: without profiling by the host's clock, with consecutive runs;
 * with profiling by the device's timestamps; prints both. Only the device time
 * includes the cost of profiling. Medians of at least 50 runs (200 short ones)
 * after warm-up; fewer only if they take ten seconds. Prints a line (or JSON
 * with --json): name, @width x @height, microseconds, spread (10th and 90th
 * percentile), GB/s for @bytes moved, device. */
void harness_bench (Harness *h, const gchar *name, gint width, gint height,
    guint64 bytes, TimingRun run, gpointer user_data);

typedef struct {
  gint width, height;
} TestSize;

/* Geometries that every op is tested on: 1x1, 1xN, Nx1, primes, one below and
 * above powers of two and work-group sizes, one larger than several tiles. With
 * --small those that exercise each code path of the kernels. */
const TestSize *harness_sizes (const Harness *h, guint *n_sizes);
/* Returns whether this run tests choice @i, for choices of which every run
 * tests one in @n; all cases of a run select the same. Compilers for GPUs are
 * fast enough to test them all. */
gboolean harness_draws (const Harness *h, guint i, guint n);

/* For cases of many programs and few launches: disables PoCL's optimizer, which
 * takes longer than it saves, until the end of the case, unless @row (may be
 * NULL) is for the family of the device or drawn by the seed.
 * POCL_EXTRA_BUILD_FLAGS and CL_TEST_OPTIMIZED=1 have precedence. */
void harness_choose_optimizer (const Harness *h,
    const GstClImplementation *row);

/* Returns @n, with --small @n_small. */
guint harness_count (const Harness *h, guint n, guint n_small);

G_END_DECLS
