/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of packed formats. */

#include "gstclpacking.h"

#include <string.h>

static guint
find_component (const GstVideoFormatInfo *info, gchar letter)
{
  const gchar *letters = GST_VIDEO_FORMAT_INFO_IS_RGB (info) ? "RGBA" : "YUVA";
  const gchar *found = strchr (letters, letter);

  g_assert (found);

  return (guint) (found - letters);
}

static void
init_plane (GstClPackedPlane *plane, const GstVideoFormatInfo *info,
    const gchar *layout)
{
  guint n_bits = 0;

  while (*layout) {
    if (g_ascii_isdigit (*layout)) {
      gchar *end;

      n_bits += (guint) g_ascii_strtoull (layout, &end, 10);
      layout = end;
    } else {
      const guint c = find_component (info, *layout++);
      GstClPackedSample *sample = &plane->samples[plane->n_samples++];

      *sample = (GstClPackedSample){ c, n_bits,
        GST_VIDEO_FORMAT_INFO_DEPTH (info, c) };
      n_bits += sample->n_bits;
    }
  }
  g_assert (n_bits % 8 == 0 && n_bits / 8 <= GST_CL_PACKING_MAX_BYTES);
  plane->group_bytes = n_bits / 8;
}

void
gst_cl_packing_init (GstClPacking *packing, const GstVideoFormatInfo *info,
    const gchar *const *planes, gboolean is_big_endian)
{
  *packing = (GstClPacking){ .is_big_endian = is_big_endian, .depth = 8 };
  packing->n_planes = GST_VIDEO_FORMAT_INFO_N_PLANES (info);
  for (guint p = 0; p < packing->n_planes; p++)
    init_plane (&packing->planes[p], info, planes[p]);
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (info); c++)
    packing->depth = MAX (packing->depth,
        GST_VIDEO_FORMAT_INFO_DEPTH (info, c));
}

guint
gst_cl_packed_plane_count (const GstClPackedPlane *plane, guint component)
{
  guint n = 0;

  for (guint i = 0; i < plane->n_samples; i++)
    n += plane->samples[i].component == component;

  return n;
}

/* Returns the bytes of a row up to sample @sample of the last group, of which
 * there are @n_groups. */
static gint
end_of_sample (const GstClPackedPlane *plane, const GstClPackedSample *sample,
    gint n_groups)
{
  return (n_groups - 1) * (gint) plane->group_bytes +
         (gint) (sample->first_bit + sample->n_bits + 7) / 8;
}

gint
gst_cl_packing_row_bytes (const GstClPacking *packing, const GstVideoInfo *info,
    guint plane)
{
  const GstClPackedPlane *layout = &packing->planes[plane];
  const gint word_bytes = (gint) gst_cl_packing_word_bytes (packing);
  gint rest[GST_VIDEO_MAX_COMPONENTS], row_bytes = 0;

  /* the last group may have fewer samples */
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++)
    rest[c] = GST_VIDEO_INFO_COMP_WIDTH (info, c);
  for (guint i = 0; i < layout->n_samples; i++) {
    const guint c = layout->samples[i].component;
    const gint n = (gint) gst_cl_packed_plane_count (layout, c);
    const gint n_groups = (rest[c]-- + n - 1) / n;

    if (n_groups > 0)
      row_bytes = MAX (row_bytes,
          end_of_sample (layout, &layout->samples[i], n_groups));
  }

  return (row_bytes + word_bytes - 1) / word_bytes * word_bytes;
}

guint
gst_cl_packing_word_bytes (const GstClPacking *packing)
{
  guint all = 0;

  for (guint p = 0; p < packing->n_planes; p++)
    all |= packing->planes[p].group_bytes;

  return all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
}
