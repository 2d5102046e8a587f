/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of clframesum for several elements. */

#include "gstclbatchproperties.h"

#include "elements/framesum/gstclframesum.h"
#include "elements/framesum/gstclframesumsettings.h"

#include <string.h>

static const struct {
  const GstClProperty *rows;
  guint n_rows;
} tables[] = {
  { gst_cl_frame_sum_delivery_properties,
      GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES },
  { gst_cl_frame_sum_properties, GST_CL_FRAME_SUM_N_PROPERTIES },
  { gst_cl_event_properties, GST_CL_EVENT_N_PROPERTIES },
};

/* Numbers begin at 1, and device comes after the tables. */
#define N_NUMBERS                                                              \
  (GST_CL_FRAME_SUM_N_DELIVERY_PROPERTIES + GST_CL_FRAME_SUM_N_PROPERTIES +    \
      GST_CL_EVENT_N_PROPERTIES + 2)

/* Returns FALSE for async-depth, which follows from the batches. */
static gboolean
is_shared (const GstClProperty *row)
{
  return !g_str_equal (row->name, "async-depth");
}

guint
gst_cl_batch_properties_install (GObjectClass *klass)
{
  guint id = 1;

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++) {
    for (guint i = 0; i < tables[t].n_rows; i++) {
      GstClProperty row = tables[t].rows[i];

      /* frames of each stream have their own times */
      row.flags &= ~GST_PARAM_CONTROLLABLE;
      if (is_shared (&row))
        g_object_class_install_property (klass, id++,
            gst_cl_property_spec (&row));
    }
  }
  g_object_class_install_property (klass, id++,
      g_param_spec_string ("device", "Device",
          "OpenCL device: auto, gpu, cpu, accelerator, P.D, a UUID or part of "
          "a name",
          "auto",
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));

  return id;
}

/* --- values -------------------------------------------------------------- */

void
gst_cl_batch_properties_init (GstClBatchProperties *self)
{
  self->model = gst_object_ref_sink (
      g_object_new (GST_TYPE_CL_FRAME_SUM, "name", "model", NULL));
  self->n_set = g_new0 (gint, N_NUMBERS);
}

void
gst_cl_batch_properties_clear (GstClBatchProperties *self)
{
  gst_object_unref (self->model);
  g_free (self->n_set);
}

void
gst_cl_batch_properties_set (GstClBatchProperties *self, guint id,
    const gchar *name, const GValue *value)
{
  g_object_set_property (G_OBJECT (self->model), name, value);
  g_atomic_int_inc (&self->n_set[id]);
}

/* Copies again if the model was set meanwhile, because it may have written an
 * older value after a newer one. */
void
gst_cl_batch_properties_copy (GstClBatchProperties *self, guint id,
    const gchar *name, GstElement *element)
{
  GValue value = G_VALUE_INIT;
  gint n_set;

  do {
    n_set = g_atomic_int_get (&self->n_set[id]);
    g_object_get_property (G_OBJECT (self->model), name, &value);
    g_object_set_property (G_OBJECT (element), name, &value);
    g_value_unset (&value);
  } while (g_atomic_int_get (&self->n_set[id]) != n_set);
}

void
gst_cl_batch_properties_copy_all (GstClBatchProperties *self,
    GstElement *element)
{
  guint id = 1;

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++) {
    for (guint i = 0; i < tables[t].n_rows; i++) {
      if (is_shared (&tables[t].rows[i]))
        gst_cl_batch_properties_copy (self, id++, tables[t].rows[i].name,
            element);
    }
  }
  gst_cl_batch_properties_copy (self, id, "device", element);
}

/* --- files --------------------------------------------------------------- */

gchar *
gst_cl_batch_properties_make_location (const gchar *location, guint index)
{
  const gchar *place = strstr (location, "%u");

  return place ? g_strdup_printf ("%.*s%u%s", (int) (place - location),
                     location, index, place + 2)
               : NULL;
}
