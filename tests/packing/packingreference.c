/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalar reference of packed formats: one bit at a time. The layouts of the
 * formats themselves are tested against NumPy by tests/pipelines/. */

#include "packingreference.h"

#include <string.h>

/* Returns the byte of bit @bit, and sets *@mask to that bit of it. */
static guint8 *
find_bit (guint8 *group, guint bit, gboolean is_big_endian, guint8 *mask)
{
  *mask = (guint8) (is_big_endian ? 0x80 >> bit % 8 : 1 << bit % 8);

  return group + bit / 8;
}

/* Returns which bit of the group has bit @i of the code, from its lowest on. */
static guint
bit_of_code (const GstClPackedSample *sample, guint i, gboolean is_big_endian)
{
  return sample->first_bit + (is_big_endian ? sample->n_bits - 1 - i : i);
}

static guint
read_code (guint8 *group, const GstClPackedSample *sample,
    gboolean is_big_endian)
{
  guint code = 0;

  for (guint i = 0; i < sample->n_bits; i++) {
    guint8 mask;
    const guint8 *byte = find_bit (group,
        bit_of_code (sample, i, is_big_endian), is_big_endian, &mask);

    code |= *byte & mask ? 1u << i : 0;
  }

  return code;
}

static void
write_code (guint8 *group, const GstClPackedSample *sample,
    gboolean is_big_endian, guint code)
{
  for (guint i = 0; i < sample->n_bits; i++) {
    guint8 mask;
    guint8 *byte = find_bit (group, bit_of_code (sample, i, is_big_endian),
        is_big_endian, &mask);

    if (code & (1u << i))
      *byte |= mask;
  }
}

/* Bit i of the result, from the highest on, is bit i modulo n_bits of @code. */
static guint
extend (guint code, guint n_bits, guint depth)
{
  guint extended = 0;

  for (guint i = 0; i < depth; i++) {
    if (code & (1u << (n_bits - 1 - i % n_bits)))
      extended |= 1u << (depth - 1 - i);
  }

  return extended;
}

static guint
load (const guint8 *at, guint bytes)
{
  guint16 code;

  if (bytes == 1)
    return *at;
  memcpy (&code, at, sizeof code);

  return code;
}

static void
store (guint8 *at, guint bytes, guint code)
{
  const guint16 word = (guint16) code;

  if (bytes == 1)
    *at = (guint8) code;
  else
    memcpy (at, &word, sizeof word);
}

static void
copy_sample (const GstClPackingProblem *problem,
    const GstClPackedSample *sample, guint8 *group, guint8 *at, guint bytes)
{
  const gboolean is_big = problem->packing->is_big_endian;
  const guint depth = problem->packing->depth;

  if (problem->method == GST_CL_PACKING_METHOD_PACK)
    write_code (group, sample, is_big,
        load (at, bytes) >> (depth - sample->n_bits));
  else if (problem->component_mask & (1u << sample->component))
    store (at, bytes,
        extend (read_code (group, sample, is_big), sample->n_bits, depth));
}

static void
copy_row (const GstClPackingProblem *problem, const GstClPackedPlane *plane,
    guint8 *row, gint y, guint8 *components)
{
  gint x[GST_VIDEO_MAX_COMPONENTS] = { 0 };
  gboolean is_done = FALSE;

  for (guint g = 0; !is_done; g++) {
    is_done = TRUE;
    for (guint i = 0; i < plane->n_samples; i++) {
      const guint c = plane->samples[i].component;
      const GstClComponent *component = &problem->components[c];

      if (x[c] >= component->width)
        continue;
      copy_sample (problem, &plane->samples[i], row + g * plane->group_bytes,
          components + component->offset_bytes +
              (gsize) y * component->stride_bytes +
              (gsize) x[c]++ * component->sample.bytes,
          component->sample.bytes);
      is_done = FALSE;
    }
  }
}

void
ref_packing (const GstClPackingProblem *problem, const RefPackedPlane *planes,
    guint8 *packed, guint8 *components)
{
  for (guint p = 0; p < problem->packing->n_planes; p++) {
    for (gint y = 0; y < problem->planes[p].n_rows; y++) {
      guint8 *row = packed + planes[p].offset_bytes +
                    (gsize) y * planes[p].stride_bytes;

      if (problem->method == GST_CL_PACKING_METHOD_PACK)
        memset (row, 0, problem->planes[p].row_bytes);
      copy_row (problem, &problem->packing->planes[p], row, y, components);
    }
  }
}
