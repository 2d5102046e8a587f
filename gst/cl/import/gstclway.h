/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/memory/gstclpinned.h"
#include "cl/memory/gstclproof.h"
#include "gstclcuda.h"
#include "gstclrange.h"

G_BEGIN_DECLS

/* Bytes of a buffer that are to reach the device. */
typedef struct {
  GstClContext *context;
  GstBuffer *buffer;
  GstClPlace place;
  GstMemory *memory; /* the one they lie in; NULL: they lie in several */
} GstClSource;

/* Where a range of a frame goes that the device cannot reach where it lies, and
 * what it goes through. Serves one frame at a time: the device must be done
 * with it before another takes its place. Zero-initialised it is empty. */
typedef struct {
  cl_mem mem;
  gsize size_bytes;
  GstClSync sync;
  GstClPinned pinned;    /* on the way there */
  GstClCudaScratch cuda; /* instead of mem, for CUDA memory */
} GstClSlot;

/* Makes the buffer at least @size_bytes large; what it held is lost if it
 * grows. */
gboolean gst_cl_slot_reserve (GstClSlot *slot, GstClContext *context,
    gsize size_bytes, GError **error);

void gst_cl_slot_clear (GstClSlot *slot, GstClContext *context);

typedef struct _GstClWay GstClWay;

/* One kind of memory, and how its bytes reach the device: a row of the table
 * of gst_cl_ways. The streaming thread calls its functions. */
struct _GstClWay {
  /* Its name in the log, and whether it is right on a device. */
  const GstClProof *proof;

  /* What caps with such memory have; NULL: system memory. */
  const gchar *caps_feature;

  /* Returns TRUE if @memory (NULL: several) is of this kind. */
  gboolean (*suits) (GstClContext *context, GstMemory *memory);

  gboolean can_write; /* take() also makes it writable */

  /* Makes @source readable where it lies; its first byte is at a multiple of
   * @align_bytes. FALSE without @error: a row further on takes it. NULL: the
   * same. */
  gboolean (*take) (const GstClSource *source, guint align_bytes,
      GstMapFlags flags, GstClRange *range, GError **error);

  /* Copies @rows of @source into the buffer of @slot, which @range is set to,
   * for kernels that are enqueued after range->arrival. NULL: a row further on
   * does. */
  gboolean (*copy) (const GstClWay *way, const GstClSource *source,
      const GstClRows *rows, GstClSlot *slot, GstClRange *range,
      GError **error);

  /* Copies @rows of @source to @target; range->uploaded tells when that is
   * done. NULL where copy() is. */
  gboolean (*upload) (const GstClWay *way, const GstClSource *source,
      const GstClRows *rows, GstClSlot *slot, const GstClTarget *target,
      GstClRange *range, GError **error);

  /* Returns @size_bytes of @source where a transfer over the bus may read them
   * until it is done, with what that takes held by @slot and @range. NULL with
   * @error, or without: a row further on takes the frame. For the copy() and
   * upload() of gstclwayhost.c; NULL where those are others. */
  const guint8 *(*find_bytes) (const GstClSource *source, GstClSlot *slot,
      gsize size_bytes, GstClRange *range, GError **error);
};

/* The kinds of memory that frames may come in, the best way first; the last row
 * takes anything that can be mapped. */
extern const GstClWay *const gst_cl_ways[];
extern const guint gst_cl_n_ways;

extern const GstClWay gst_cl_way_own;
extern const GstClWay gst_cl_way_cuda;
extern const GstClWay gst_cl_way_in_place;
extern const GstClWay gst_cl_way_registered;
extern const GstClWay gst_cl_way_pinned;

/* TRUE if @caps_feature stands for memory of others than us that some way is
 * for. Any thread. */
gboolean gst_cl_ways_know_feature (const gchar *caps_feature);

/* FALSE if nothing but the last way leads memory of @caps_feature, which
 * gst_cl_ways_know_feature(), to the device of @context. Tries none. Any
 * thread. */
gboolean gst_cl_ways_take_feature (GstClContext *context,
    const gchar *caps_feature);

G_END_DECLS
