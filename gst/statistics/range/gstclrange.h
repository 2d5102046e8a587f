/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The colour range that the samples of a frame show, whatever the caps name. */
typedef enum {
  GST_CL_RANGE_UNKNOWN, /* the samples fit both ranges */
  GST_CL_RANGE_LIMITED,
  GST_CL_RANGE_FULL,
} GstClRangeEvidence;

#define GST_CL_RANGE_N_EVIDENCES 3

/* Returns the evidence in the histograms of 1 << @depth codes of luma, of grey,
 * or of all of R, G and B, which count together. docs/events.md has the rules;
 * they compare integers. */
GstClRangeEvidence gst_cl_range_find_evidence (const guint32 *const *histograms,
    guint n_components, guint depth);

/* Returns the evidence of a stream with these numbers of frames of the evidence
 * limited and full: that of at least nine tenths of them. */
GstClRangeEvidence gst_cl_range_of_frames (guint64 n_limited, guint64 n_full);

/* Returns the name of @evidence in results: `unknown`, `limited`, `full`.
 * Static. */
const gchar *gst_cl_range_evidence_name (GstClRangeEvidence evidence);

G_END_DECLS
