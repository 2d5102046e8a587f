/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclseriesframe.h"
#include "statistics/range/gstclrange.h"

G_BEGIN_DECLS

/* --- integers of 128 bits ------------------------------------------------- */

/* An unsigned integer of 128 bits. Sums of a stream exceed 2^64: the sum of the
 * squares of white 16-bit samples does so with the 130th frame of 8K. Compilers
 * have no such type on 32-bit machines. Arithmetic is modulo 2^128. */
typedef struct {
  guint64 high, low;
} GstClUint128;

static inline GstClUint128
gst_cl_uint128_add (GstClUint128 a, GstClUint128 b)
{
  const guint64 low = a.low + b.low;

  return (GstClUint128){ a.high + b.high + (low < a.low), low };
}

static inline GstClUint128
gst_cl_uint128_subtract (GstClUint128 a, GstClUint128 b)
{
  return (GstClUint128){ a.high - b.high - (a.low < b.low), a.low - b.low };
}

static inline GstClUint128
gst_cl_uint128_multiply (GstClUint128 a, guint32 factor)
{
  const guint64 first = (a.low & G_MAXUINT32) * factor;
  const guint64 second = (a.low >> 32) * factor + (first >> 32);

  return (GstClUint128){ a.high * factor + (second >> 32),
    second << 32 | (first & G_MAXUINT32) };
}

static inline gboolean
gst_cl_uint128_is_less (GstClUint128 a, GstClUint128 b)
{
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static inline gdouble
gst_cl_uint128_to_double (GstClUint128 a)
{
  return (gdouble) a.high * 18446744073709551616.0 + (gdouble) a.low;
}

/* --- pooled results ------------------------------------------------------- */

/* The statistics of all measured frames of a stream together. They are
 * integers, so that users can merge the results of two parts into exactly the
 * result of the whole, in any order: docs/statistics.md. */

/* The flags of the property `statistics` that are pooled. */
#define GST_CL_STATISTICS_POOLED                                               \
  (GST_CL_STATISTIC (MOMENTS) | GST_CL_STATISTIC (RANGE) |                     \
      GST_CL_STATISTIC (HISTOGRAM) | GST_CL_STATISTIC (RANGE_EVIDENCE) |       \
      GST_CL_STATISTIC (NOISE) | GST_CL_STATISTIC (BLOCKINESS) |               \
      GST_CL_STATISTIC (LIGHT) | GST_CL_STATISTIC (LEVELS))

#define GST_CL_POOLED_MAX_COMPONENTS 4

/* One component of one frame. If a part is not pooled, only its count is read.
 */
typedef struct {
  GstClMoments moments;
  const guint32 *histogram; /* n_bins counts */
} GstClPooledFrame;

typedef struct {
  guint64 count; /* samples, of which there are less than 2^64 */
  GstClUint128 sum, sum_squares;
  guint32 min, max;   /* without samples: G_MAXUINT32 and 0 */
  guint64 *histogram; /* n_bins counts, owned; NULL if not pooled */
} GstClPooledComponent;

typedef struct {
  GstClStatistics parts;
  guint depth; /* bits of a component */
  guint n_bins;
  guint n_components;
  const gchar *names[GST_CL_POOLED_MAX_COMPONENTS]; /* interned */

  guint64 n_frames;
  GstClFrameTime begin;  /* the earliest times and number */
  GstClFrameTime end;    /* the latest end; last number + 1 */
  GstClockTime duration; /* the sum over the measured frames */
  guint64 n_evident[GST_CL_RANGE_N_EVIDENCES]; /* frames, by evidence */
  GstClUint128 noise_sum;
  guint64 noise_count;
  guint64 blockiness; /* the sum over frames, times GST_CL_BLOCKINESS_ONE */
  /* The greatest values of a frame: cd/m2, and shares of R, G, B and Y. */
  gdouble max_cll, max_fall, robust_max_cll;
  gdouble levels[GST_CL_LEVELS_N_COMPONENTS];
  GstClPooledComponent components[GST_CL_POOLED_MAX_COMPONENTS];
} GstClPooled;

/* Returns the pooled result of no frame. @n_bins is the length of each
 * histogram; 0 without histograms. @names are copied. Transfer full. */
GstClPooled *gst_cl_pooled_new (GstClStatistics parts, guint depth,
    guint n_bins, const gchar *const *names, guint n_components);
void gst_cl_pooled_free (GstClPooled *self);

/* Returns TRUE if @self was created with these arguments. */
gboolean gst_cl_pooled_is_of (const GstClPooled *self, GstClStatistics parts,
    guint depth, guint n_bins, const gchar *const *names, guint n_components);

/* Resets @self to no frame. */
void gst_cl_pooled_clear (GstClPooled *self);

/* Adds a frame; @components[i] is component names[i]. @evidence is
 * GST_CL_RANGE_UNKNOWN if it is not pooled. */
void gst_cl_pooled_add (GstClPooled *self, const GstClFrameTime *time,
    const GstClPooledFrame *components, GstClRangeEvidence evidence);

/* Adds the numbers of a frame that are not of its components. */
void gst_cl_pooled_add_numbers (GstClPooled *self,
    const GstClSeriesFrame *frame);

/* Sets the mean and the population variance of component @index; 0 without
 * samples. */
void gst_cl_pooled_moments (const GstClPooled *self, guint index, gdouble *mean,
    gdouble *variance);

/* Returns the structure `clframesum-pooled` of @self. Transfer full. */
GstStructure *gst_cl_pooled_to_structure (const GstClPooled *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClPooled, gst_cl_pooled_free)

G_END_DECLS
