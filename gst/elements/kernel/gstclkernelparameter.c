/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A parameter of a kernel as an object that can be controlled. */

#include "gstclkernelparameter.h"

struct _GstClKernelParameter {
  GstObject parent;

  GstClKernelParameterFunc func;
  gpointer user_data;

  /* object lock */
  GObject *owner; /* NULL: detached */
  gdouble value;
};

G_DEFINE_TYPE (GstClKernelParameter, gst_cl_kernel_parameter, GST_TYPE_OBJECT)

enum { PROP_VALUE = 1 };

GstClKernelParameter *
gst_cl_kernel_parameter_new (const GstClParameter *parameter,
    GstClKernelParameterFunc func, GObject *owner, gpointer user_data)
{
  GstClKernelParameter *self = g_object_new (GST_TYPE_CL_KERNEL_PARAMETER,
      "name", parameter->name, NULL);
  GstClParameterValue value = { 0 };

  gst_object_ref_sink (self);
  self->func = func;
  self->user_data = user_data;
  self->owner = owner;
  if (gst_cl_parameter_parse (parameter, parameter->initial, NULL, &value,
          NULL))
    self->value = value.numbers[0];
  gst_cl_parameter_value_clear (&value);

  return self;
}

void
gst_cl_kernel_parameter_detach (GstClKernelParameter *self)
{
  GST_OBJECT_LOCK (self);
  self->owner = NULL;
  GST_OBJECT_UNLOCK (self);
}

void
gst_cl_kernel_parameter_show (GstClKernelParameter *self, gdouble value)
{
  GST_OBJECT_LOCK (self);
  self->value = value;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cl_kernel_parameter_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstClKernelParameter *self = GST_CL_KERNEL_PARAMETER (object);
  const gdouble number = g_value_get_double (value);
  GObject *owner;

  GST_OBJECT_LOCK (self);
  self->value = number;
  owner = self->owner ? g_object_ref (self->owner) : NULL;
  GST_OBJECT_UNLOCK (self);
  if (!owner)
    return;

  self->func (self->user_data, GST_OBJECT_NAME (self), number);
  g_object_unref (owner);
}

static void
gst_cl_kernel_parameter_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstClKernelParameter *self = GST_CL_KERNEL_PARAMETER (object);

  GST_OBJECT_LOCK (self);
  g_value_set_double (value, self->value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cl_kernel_parameter_init (GstClKernelParameter *self)
{
}

static void
gst_cl_kernel_parameter_class_init (GstClKernelParameterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_cl_kernel_parameter_set_property;
  object_class->get_property = gst_cl_kernel_parameter_get_property;

  /**
   * GstClKernelParameter:value:
   *
   * The value of the parameter; integers are rounded, booleans are 0 or 1,
   * enums the index of the name.
   *
   * Since: 0.3
   */
  g_object_class_install_property (object_class, PROP_VALUE,
      g_param_spec_double ("value", "Value", "Value of the parameter",
          -G_MAXDOUBLE, G_MAXDOUBLE, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE |
              GST_PARAM_MUTABLE_PLAYING));
}
