/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of local means, grouped by operation and input. */

#include "ops/grid.h"
#include "ops/localmean/localmean.h"

static const GstClDevice devices[] = {
  { .name = "cpu of 2 units", .family = GST_CL_FAMILY_CPU, .compute_units = 2 },
  { .name = "cpu of 64 units",
      .family = GST_CL_FAMILY_CPU,
      .compute_units = 64 },
  { .name = "gpu",
      .family = GST_CL_FAMILY_GPU,
      .compute_units = 132,
      .compute_capability = 90,
      .max_work_group_size = 1024,
      .local_bytes = 48 << 10 },
  { .name = "any", .family = GST_CL_FAMILY_ANY, .compute_units = 16 },
};

static const gchar *const methods[] = { "auto", "direct", "async-copy",
  "sliding", NULL };

/* Operations with the same implementations: a group is named after the first of
 * each line. */
static const struct {
  const gchar *name;
  guint n;
  GstClLocalMeanOperation operations[5];
} kinds[] = {
  { "mean", 1, { GST_CL_LOCAL_MEAN_OPERATION_MEAN } },
  { "copy", 1, { GST_CL_LOCAL_MEAN_OPERATION_COPY } },
  { "difference", 2,
      { GST_CL_LOCAL_MEAN_OPERATION_DIFFERENCE,
          GST_CL_LOCAL_MEAN_OPERATION_MEAN_C } },
  { "bradley", 2,
      { GST_CL_LOCAL_MEAN_OPERATION_BRADLEY,
          GST_CL_LOCAL_MEAN_OPERATION_NORMALIZE } },
  { "sauvola", 5,
      { GST_CL_LOCAL_MEAN_OPERATION_SAUVOLA, GST_CL_LOCAL_MEAN_OPERATION_STDDEV,
          GST_CL_LOCAL_MEAN_OPERATION_NIBLACK, GST_CL_LOCAL_MEAN_OPERATION_WOLF,
          GST_CL_LOCAL_MEAN_OPERATION_NICK } },
};

static const struct {
  const gchar *name;
  GstClSampleType sample;
  guint sum_bytes; /* 0: from samples */
} inputs[] = {
  { "8 bits", { 1, 8, 0 }, 0 },
  { "10 bits", { 2, 10, 6 }, 0 },
  { "16 bits", { 2, 16, 0 }, 0 },
  { "sums of 4 bytes", { 1, 8, 0 }, 4 },
  { "sums of 8 bytes", { 2, 16, 0 }, 8 },
};

#define HALF (-100) /* anchors: half the window */

/* Frames are 3840x2160 unless the name has another size. Neighbouring windows
 * are on both sides of a limit. */
static const struct {
  const gchar *name;
  gint width, height, anchor_x;
  gint step_x, step_y;
  GstClBorder border;
  gint frame_width, frame_height; /* 0: the usual ones */
  gdouble k;
} windows[] = {
  { "1x1", 1, 1, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "3x3", 3, 3, HALF, 1, 1, GST_CL_BORDER_REPLICATE, 0, 0, 0 },
  { "30x30", 30, 30, HALF, 1, 1, GST_CL_BORDER_CONSTANT, 0, 0, 0 },
  { "31x31", 31, 31, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "31x31-k64", 31, 31, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 64 },
  { "31x31-steps2,1", 31, 31, HALF, 2, 1, GST_CL_BORDER_REFLECT, 0, 0, 0 },
  { "31x31-steps1,2", 31, 31, HALF, 1, 2, GST_CL_BORDER_WRAP, 0, 0, 0 },
  { "31x31-valid", 31, 31, HALF, 1, 1, GST_CL_BORDER_VALID, 0, 0, 0 },
  { "31x31-anchor-at-31", 31, 31, 31, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "31x31-valid-anchor-at--1", 31, 31, -1, 1, 1, GST_CL_BORDER_VALID, 0, 0,
      0 },
  { "128x128", 128, 128, HALF, 1, 1, GST_CL_BORDER_REFLECT_101, 0, 0, 0 },
  { "129x3", 129, 3, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "3x129", 3, 129, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "129x129", 129, 129, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "188x3", 188, 3, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "200x3", 200, 3, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x256", 128, 256, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x257", 128, 257, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x512", 128, 512, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "128x513", 128, 513, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "447x447", 447, 447, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "448x447", 448, 447, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "100x1300", 100, 1300, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "2000x2000", 2000, 2000, HALF, 1, 1, GST_CL_BORDER_VALID, 0, 0, 0 },
  { "4000x4000", 4000, 4000, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "4200x4200", 4200, 4200, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "17000x1", 17000, 1, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "1x32767", 1, 32767, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "1x32768", 1, 32768, HALF, 1, 1, GST_CL_BORDER_SHRINK, 0, 0, 0 },
  { "3x33-of-64x32", 3, 33, HALF, 1, 1, GST_CL_BORDER_SHRINK, 64, 32, 0 },
  { "9x9-of-3x3", 9, 9, HALF, 1, 1, GST_CL_BORDER_REFLECT, 3, 3, 0 },
};

static GstClLocalMeanProblem
make_problem (guint input, guint window, GstClLocalMeanOperation operation)
{
  const gint bytes = (gint) inputs[input].sample.bytes;
  const gboolean from_sums = inputs[input].sum_bytes > 0;
  const gint width = windows[window].width, height = windows[window].height;

  return (GstClLocalMeanProblem){
    .operation = operation,
    .window = { .kernel_width = width,
        .kernel_height = height,
        .anchor_x = windows[window].anchor_x == HALF ? width / 2
                                                     : windows[window].anchor_x,
        .anchor_y = height / 2,
        .step_x = windows[window].step_x,
        .step_y = windows[window].step_y,
        .border = windows[window].border },
    .factors = { .k = windows[window].k, .r = 1 },
    .repeat = 1,
    .width = windows[window].frame_width ? windows[window].frame_width : 3840,
    .height = windows[window].frame_height ? windows[window].frame_height
                                           : 2160,
    .sample = inputs[input].sample,
    .src_pixel_stride_bytes = from_sums ? 0 : bytes,
    .dst_pixel_stride_bytes = bytes,
    .from_sums = from_sums,
    .channels = from_sums ? 1 : 0,
    .sum_bytes = inputs[input].sum_bytes,
  };
}

/* The parts of a problem: indices into the tables above. */
typedef struct {
  guint kind, input, operation, window;
} Place;

/* There is no copy of sums. */
static guint
count_inputs (guint kind)
{
  guint n = 0;

  while (n < G_N_ELEMENTS (inputs) &&
         (inputs[n].sum_bytes == 0 ||
             kinds[kind].operations[0] != GST_CL_LOCAL_MEAN_OPERATION_COPY))
    n++;

  return n;
}

/* FALSE after the last problem. */
static gboolean
find_place (guint index, Place *place)
{
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    const guint n_of_input = kinds[kind].n * G_N_ELEMENTS (windows);
    const guint n = count_inputs (kind) * n_of_input;

    if (index < n) {
      *place = (Place){
        .kind = kind,
        .input = index / n_of_input,
        .operation = index % n_of_input / G_N_ELEMENTS (windows),
        .window = index % G_N_ELEMENTS (windows),
      };
      return TRUE;
    }
    index -= n;
  }

  return FALSE;
}

static gconstpointer
get_problem (guint index)
{
  static GstClLocalMeanProblem problem;
  Place place;

  if (!find_place (index, &place))
    return NULL;

  problem = make_problem (place.input, place.window,
      kinds[place.kind].operations[place.operation]);

  return &problem;
}

static gchar *
name_group (guint index)
{
  Place place;

  return find_place (index, &place)
             ? g_strdup_printf ("%s, %s", kinds[place.kind].name,
                   inputs[place.input].name)
             : NULL;
}

static const gchar *
name_member (guint index)
{
  Place place;

  return find_place (index, &place) ? windows[place.window].name : NULL;
}

/* No window slides over sums. */
static gboolean
lacks (gint method, gconstpointer problem)
{
  const GstClLocalMeanProblem *p = problem;

  return method == GST_CL_LOCAL_MEAN_METHOD_SLIDING && p->from_sums;
}

const OpGrid local_mean_grid = {
  .name = "localmean",
  .table = &gst_cl_local_mean_table,
  .methods = methods,
  .get_problem = get_problem,
  .lacks = lacks,
  .devices = devices,
  .n_devices = G_N_ELEMENTS (devices),
  .name_group = name_group,
  .name_member = name_member,
};
