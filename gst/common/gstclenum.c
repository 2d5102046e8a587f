/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enum and flags types, registered from their tables. */

#include "gstclenum.h"

static GType
register_type (const GstClEnum *self)
{
  if (self->enum_values)
    return g_enum_register_static (self->name, self->enum_values);

  return g_flags_register_static (self->name,
      self->make_flags ? self->make_flags () : self->flags_values);
}

GType
gst_cl_enum_get_type (GstClEnum *self)
{
  if (g_once_init_enter (&self->type))
    g_once_init_leave (&self->type, register_type (self));

  return self->type;
}
