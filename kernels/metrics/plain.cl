/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics/plain.cl: metrics of regions of a frame, on any device
 *
 * Math      For each component: histogram, sum, sum of squares, extremes and
 *           their first positions, the OR of codes, sums of absolute
 *           differences to two earlier frames, differences between rows of
 *           fields. For the first component:
 *           outliers, repeated rows, squared differences of neighbours, noise.
 *           For all together: samples out of gamut; for chroma: histograms of
 *           saturation and hue.
 * Shape     Regions of a frame, which may overlap, in items: bands of rows of
 *           one component. A region is measured as if it were a frame: samples
 *           outside it are no neighbours.
 * Units     Codes of samples are measured. Offsets and strides of rows are in
 *           bytes, pixel strides in samples.
 * Memory    records: one for each item, then one for each span. counts:
 *           histograms of the spans one after the other; the first item of a
 *           span counts there, others in words of their own. frames: a ring of
 *           packed frames.
 * Launch    Local (1, 1, 1). metrics_measure: a work-item for an item.
 *           metrics_merge: dimension 0 is the span, dimension 1
 *           METRIC_MERGE_WORDS of its histograms.
 * Range     Sums of squares are exact up to 32767 x 32767 samples of 16 bits,
 *           as 2^30 * 2^32 < 2^64; so are sums of squared differences.
 * Accuracy  Integers are exact. The reference is
 *           tests/metrics/metricsreference.c.
 * Source    Outliers, repeated rows, saturation and hue are those of FFmpeg's
 *           vf_signalstats, with thresholds scaled with the depth; the sums of
 *           fields are those of its vf_idet.
 */

#include "cl_code.clh"
#include "cl_metricchroma.clh"
#include "cl_metriccodes.clh"
#include "cl_metricdifferences.clh"
#include "cl_metricfields.clh"
#include "cl_metricgamut.clh"
#include "cl_metrickept.clh"
#include "cl_metricnoise.clh"
#include "cl_metricoutliers.clh"
#include "cl_metricrepetition.clh"
#include "cl_metrics.clh"
#include "cl_metricsharpness.clh"
#include "cl_metricspans.clh"
#include "cl_metrictable.clh"
#include "cl_pixel.clh"
#include "cl_plane.clh"

/* Adds the metrics of the first component only, and those of all components at
 * its samples. */
static inline void
add_of_first (const Plane *planes, const MetricItem *item, const int x,
    const int y, const int4 gamut_low, const int4 gamut_high,
    MetricRecord *record)
{
  if (HAS (OUTLIERS) && metric_is_outlier (&planes[0], item, x, y))
    record->n_outliers++;
  if (HAS (REPETITION) && x == item->x &&
      metric_is_repeated (&planes[0], item, y))
    record->n_repeated_rows++;
  if (HAS (GAMUT) &&
      metric_is_out_of_gamut (planes, x, y, gamut_low, gamut_high))
    record->n_out_of_gamut++;
  if (HAS (SHARPNESS))
    record->sharpness += metric_square_gradient (&planes[0], item, x, y);
  if (HAS (NOISE))
    record->noise += metric_noise (&planes[0], item, x, y);
}

__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void
metrics_measure (PLANE_ARGUMENTS, __global const MetricItem *items,
    const int n_items, __global SAMPLE_T *frames, const ulong frame_samples,
    __global const MetricRing *rings, const int n_known,
    __global const uint *table, const int4 gamut_low, const int4 gamut_high,
    __global MetricRecord *records, __global uint *counts)
{
  const int index = (int) get_global_id (0);
  const Plane planes[4] = PLANES;
  MetricRecord record = metric_record_empty ();

  if (index >= n_items)
    return;

  const MetricItem item = items[index];
  const Plane plane = planes[item.component];
  const MetricKept kept = metric_kept (frames, frame_samples, rings, n_known,
      widths, heights, &item);
  const bool is_first = n_known == 0;
  __global uint *own = counts + item.histogram;

  for (int word = 0; word < METRIC_WORDS (item.component); word++)
    own[word] = 0;

  for (int y = item.y; y < item.y_end; y++) {
    for (int x = item.x; x < item.x_end; x++) {
      const uint v = masked_code_at (&plane, x, y);

      metric_add_sample (v, x, y, &record);
      if (HAS (HISTOGRAM))
        own[v >> FOLD]++;
      if (HAS_KEPT)
        metric_compare_kept (v, x, y, &item, &kept, is_first, &record);
      if (HAS (FIELDS))
        metric_add_fields (&plane, &item, &kept, is_first, v, x, y, &record);
      if (item.component == 0)
        add_of_first (planes, &item, x, y, gamut_low, gamut_high, &record);
      if (HAS (CHROMA) && item.component == CHROMA_LEADER)
        metric_count_chroma (v, masked_code_at (&planes[2], x, y), table, own);
    }
  }

  records[index] = record;
}

DEFINE_METRIC_MERGE (metrics_merge)
