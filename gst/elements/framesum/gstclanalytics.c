/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as classifications, numbers as tensors. */

#include "gstclanalytics.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#define HAS_TENSORS     GST_CHECK_VERSION (1, 26, 0)
#define HAS_BOX_TENSORS GST_CHECK_VERSION (1, 28, 0)
#endif

#include "statistics/gstclstatistictable.h"
#include "statistics/cells/gstclcells.h"

#if HAS_BOX_TENSORS
GST_DEBUG_CATEGORY_EXTERN (gst_cl_frame_sum_debug);
#endif

#define PREFIX "gst-opencl/"

/* --- open events --------------------------------------------------------- */

typedef struct {
  GQuark class;
  gboolean is_open;
  gboolean is_new; /* began since the frame before */
} OpenEvent;

GArray *
gst_cl_open_events_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (OpenEvent));
}

void
gst_cl_open_events_add (GArray *events, const GstStructure *message)
{
  g_autoptr (GString) class = g_string_new (PREFIX "events/");
  OpenEvent event = { .is_new = TRUE };
  guint64 duration = 0;
  guint zone;

  g_string_append (class, gst_structure_get_string (message, "event"));
  if (gst_structure_get_uint (message, "zone", &zone))
    g_string_append_printf (class, "/zone/%u", zone);
  event.class = g_quark_from_string (class->str);
  if (g_str_equal (gst_structure_get_string (message, "state"), "start")) {
    /* an event without a duration has no end */
    gst_structure_get_uint64 (message, "duration", &duration);
    event.is_open = duration > 0;
    g_array_append_val (events, event);
    return;
  }

  for (guint i = 0; i < events->len; i++) {
    OpenEvent *open = &g_array_index (events, OpenEvent, i);

    if (open->class == event.class)
      open->is_open = FALSE;
  }
}

GArray *
gst_cl_open_events_next (GArray *events)
{
  GArray *classes = NULL;
  guint i = 0;

  while (i < events->len) {
    OpenEvent *event = &g_array_index (events, OpenEvent, i);

    if (event->is_open || event->is_new) {
      if (!classes)
        classes = g_array_new (FALSE, FALSE, sizeof (GQuark));
      g_array_append_val (classes, event->class);
    }
    event->is_new = FALSE;
    if (event->is_open)
      i++;
    else
      g_array_remove_index (events, i);
  }

  return classes;
}

/* --- tensors ------------------------------------------------------------- */

#if HAS_TENSORS
#define VERSION "/1" /* of the shapes, the types and the meaning */

/* Each tensor of a box extends the dense matrix of relations. */
#define MAX_BOX_TENSORS 256

/* The fields that are tensors: of frames, arrays alone. */
static const struct {
  const gchar *name;
  gboolean has_components;
} fields[] = {
#define COMPONENT_FIELD(name, ...) { name, TRUE },
#define REGION_FIELD(name, ...)    { name, FALSE },
  GST_CL_COMPONENT_FIELDS (COMPONENT_FIELD, COMPONENT_FIELD)
      GST_CL_REGION_FIELDS (REGION_FIELD){ "light-histogram", FALSE },
  { "light-histogram-data", FALSE },
  { "x", FALSE },
  { "y", FALSE },
  { "width", FALSE },
  { "height", FALSE },
#undef COMPONENT_FIELD
#undef REGION_FIELD
};

/* Numbers of values and of bytes. */
static const struct {
  GType value;
  GstTensorDataType tensor;
  guint n_bytes;
} types[] = {
  { G_TYPE_UINT64, GST_TENSOR_DATA_TYPE_UINT64, 8 },
  { G_TYPE_DOUBLE, GST_TENSOR_DATA_TYPE_FLOAT64, 8 },
  { G_TYPE_UINT, GST_TENSOR_DATA_TYPE_UINT32, 4 },
  { G_TYPE_INT, GST_TENSOR_DATA_TYPE_INT32, 4 },
};

typedef struct {
  gint type; /* GstTensorDataType; -1: none */
  gsize dims[8], n_dims;
  GByteArray *data;
} Numbers;

/* Appends the numbers of @value, whose first size is dims[@depth]; at level
 * @pick of its arrays, which have equal sizes, of entry @index alone. */
static void
append (Numbers *self, const GValue *value, gsize depth, gint pick, guint index)
{
  GBytes *bytes;

  self->n_dims = MAX (self->n_dims, depth);
  if (GST_VALUE_HOLDS_ARRAY (value) && pick == 0) {
    append (self, gst_value_array_get_value (value, index), depth, -1, 0);
  } else if (GST_VALUE_HOLDS_ARRAY (value)) {
    self->dims[depth] = gst_value_array_get_size (value);
    for (guint i = 0; i < self->dims[depth]; i++)
      append (self, gst_value_array_get_value (value, i), depth + 1, pick - 1,
          index);
  } else if (G_VALUE_HOLDS (value, G_TYPE_BYTES)) {
    bytes = g_value_get_boxed (value);
    g_byte_array_append (self->data, g_bytes_get_data (bytes, NULL),
        g_bytes_get_size (bytes));
    self->type = GST_TENSOR_DATA_TYPE_UINT32;
    self->dims[depth] = g_bytes_get_size (bytes) / sizeof (guint32);
    self->n_dims = depth + 1;
  } else {
    for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
      if (!G_VALUE_HOLDS (value, types[i].value))
        continue;
      self->type = (gint) types[i].tensor;
      /* a union of all types */
      g_byte_array_append (self->data, (const guint8 *) &value->data[0],
          types[i].n_bytes);
    }
  }
}

/* Returns the numbers of @value, as append() does, and sets *self to their type
 * and sizes; transfer full. NULL: there are none. */
static GstBuffer *
read_numbers (Numbers *self, const GValue *value, gint pick, guint index)
{
  g_autoptr (GBytes) bytes = NULL;

  *self = (Numbers){ .type = -1, .data = g_byte_array_new () };
  append (self, value, 0, pick, index);
  bytes = g_byte_array_free_to_bytes (self->data);

  return self->type >= 0 && g_bytes_get_size (bytes) > 0
             ? gst_buffer_new_wrapped_bytes (bytes)
             : NULL;
}

static GQuark
make_id (const gchar *group, const gchar *name, const gchar *component)
{
  g_autofree gchar *id = g_strconcat (PREFIX, group, "/", name,
      component ? "-" : "", component ? component : "", VERSION, NULL);

  return g_quark_from_string (id);
}

/* Adds the array in @value, as append() does. @columns > 0: its size @at
 * becomes two, rows and columns. */
static void
add_tensor (GPtrArray *tensors, GQuark id, const GValue *value, gint pick,
    guint index, gsize columns, gsize at)
{
  Numbers numbers;
  GstBuffer *data = read_numbers (&numbers, value, pick, index);

  if (!data || numbers.n_dims == 0) {
    gst_clear_buffer (&data);
    return;
  }
  if (columns > 0) {
    for (gsize i = numbers.n_dims++; i > at + 1; i--)
      numbers.dims[i] = numbers.dims[i - 1];
    numbers.dims[at + 1] = columns;
    numbers.dims[at] /= columns;
  }
  g_ptr_array_add (tensors,
      gst_tensor_new_simple (id, (GstTensorDataType) numbers.type, data,
          GST_TENSOR_DIM_ORDER_ROW_MAJOR, numbers.n_dims, numbers.dims));
}

/* Adds field @f of the frame: a tensor for each component, because components
 * may have different sizes. */
static void
add_frame_field (GPtrArray *tensors, const GstStructure *structure, guint f)
{
  const gchar *name = fields[f].name;
  const gboolean has_components = fields[f].has_components;
  g_autofree gchar *shape_name = g_strconcat (name, "-shape", NULL);
  const GValue *value = gst_structure_get_value (structure, name);
  const GValue *shape = gst_structure_get_value (structure, shape_name);
  const GValue *names = gst_structure_get_value (structure, "components");
  const guint n = has_components ? gst_value_array_get_size (names) : 1;

  for (guint c = 0; value && !g_str_has_suffix (name, "-shape") && c < n; c++) {
    const GValue *sizes = shape && has_components
                              ? gst_value_array_get_value (shape, c)
                              : shape;
    const gsize columns = sizes ? g_value_get_uint (
                                      gst_value_array_get_value (sizes, 1))
                                : 0;

    add_tensor (tensors,
        make_id ("frame", name,
            has_components
                ? g_value_get_string (gst_value_array_get_value (names, c))
                : NULL),
        value, has_components ? 0 : -1, c,
        g_str_equal (name, "cell-means") ? GST_CL_CELLS_COLUMNS : columns, 0);
  }
}

static void
add_tensors (GstBuffer *buffer, const GstStructure *structure)
{
  /* one: GStreamer 1.26 adds no second one to that of a detector */
  GstTensorMeta *meta = gst_buffer_get_tensor_meta (buffer);
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  gint columns = 0;

  gst_structure_get_int (structure, "zone-columns", &columns);
  for (gsize i = 0; meta && i < meta->num_tensors; i++) {
    GstTensor *tensor = meta->tensors[i];

    if (g_str_has_prefix (g_quark_to_string (tensor->id), PREFIX))
      gst_tensor_free (tensor);
    else
      g_ptr_array_add (tensors, tensor);
  }
  for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
    g_autofree gchar *name = g_strconcat ("zone-", fields[f].name, NULL);
    const GValue *zones = gst_structure_get_value (structure, name);

    add_frame_field (tensors, structure, f);
    if (zones)
      add_tensor (tensors, make_id ("zones", fields[f].name, NULL), zones, -1,
          0, columns, fields[f].has_components);
  }

  if (!meta && tensors->len > 0)
    meta = gst_buffer_add_tensor_meta (buffer);
  if (!meta)
    return;
  g_free (meta->tensors);
  meta->num_tensors = tensors->len;
  meta->tensors = (GstTensor **) g_ptr_array_steal (tensors, NULL);
}
#endif

#if HAS_BOX_TENSORS
/* Adds region of interest @index as tensors that relate to the box @id. Returns
 * their number. */
static guint
add_box (GstAnalyticsRelationMeta *meta, const GstStructure *structure,
    guint index, guint id)
{
  guint n = 0;

  for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
    g_autofree gchar *name = g_strconcat ("roi-", fields[f].name, NULL);
    const GValue *value = gst_structure_get_value (structure, name);
    GstAnalyticsTensorMtd mtd;
    GstBuffer *data;
    Numbers numbers;

    if (!value || !(data = read_numbers (&numbers, value,
                        fields[f].has_components, index)))
      continue;
    if (numbers.n_dims == 0)
      numbers.dims[numbers.n_dims++] = 1;
    if (gst_analytics_relation_meta_add_tensor_mtd_simple (meta,
            make_id ("box", fields[f].name, NULL),
            (GstTensorDataType) numbers.type, data,
            GST_TENSOR_DIM_ORDER_ROW_MAJOR, numbers.n_dims, numbers.dims,
            &mtd)) {
      gst_analytics_relation_meta_set_relation (meta,
          GST_ANALYTICS_REL_TYPE_RELATE_TO, id, mtd.id);
      gst_analytics_relation_meta_set_relation (meta,
          GST_ANALYTICS_REL_TYPE_RELATE_TO, mtd.id, id);
      n++;
    }
  }

  return n;
}

static void
add_boxes (GstBuffer *buffer, const GstStructure *structure, guint n_boxes)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  const GValue *ids = gst_structure_get_value (structure, "roi-id");
  const guint n = ids ? gst_value_array_get_size (ids) : 0;
  guint n_of_box = 0, n_added = 0, i;

  for (i = n - n_boxes; meta && i < n && n_added + n_of_box <= MAX_BOX_TENSORS;
       i++) {
    n_of_box = add_box (meta, structure, i,
        (guint) g_value_get_int (gst_value_array_get_value (ids, i)));
    n_added += n_of_box;
  }
  if (meta && i < n)
    GST_CAT_INFO (gst_cl_frame_sum_debug,
        "%u of %u boxes have no tensors: a frame has at most %d", n - i,
        n_boxes, MAX_BOX_TENSORS);
}
#endif

/* --- metas --------------------------------------------------------------- */

gboolean
gst_cl_analytics_check (GError **error)
{
#ifdef HAVE_ANALYTICS
  return TRUE;
#else
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
      "analytics-meta=true: the plugin is built without GStreamer's analytics "
      "library, which GStreamer has from 1.24 on.");

  return FALSE;
#endif
}

#ifdef HAVE_ANALYTICS
static void
add_classes (GstBuffer *buffer, const GArray *classes)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (
      buffer);
  g_autofree gfloat *levels = g_new (gfloat, classes->len);
  GstAnalyticsClsMtd mtd;

  if (!meta)
    meta = gst_buffer_add_analytics_relation_meta (buffer);
  for (guint i = 0; i < classes->len; i++)
    levels[i] = 1.0f;
  gst_analytics_relation_meta_add_cls_mtd (meta, classes->len, levels,
      (GQuark *) (gpointer) classes->data, &mtd);
}
#endif

void
gst_cl_analytics_add (GstBuffer *buffer, const GstStructure *structure,
    const GstClAnalyticsFrame *frame)
{
#ifdef HAVE_ANALYTICS
  if (frame->classes)
    add_classes (buffer, frame->classes);
#endif
#if HAS_TENSORS
  add_tensors (buffer, structure);
#endif
#if HAS_BOX_TENSORS
  add_boxes (buffer, structure, frame->n_boxes);
#endif
}
