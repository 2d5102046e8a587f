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

/* --- flags that name components ------------------------------------------- */

GstClEnum gst_cl_planes_enum = {
  .name = "GstClPlanes",
  .flags_values =
      (const GFlagsValue[]){
          /* gst-inspect-1.0 names a mask by the last rows that it consists
           * of */
          { 1 << 3, "A", "a" },
          { 1 << 2, "B", "b" },
          { 1 << 1, "G", "g" },
          { 1 << 0, "R", "r" },
          { 1 << 2, "V", "v" },
          { 1 << 1, "U", "u" },
          { 1 << 0, "Y", "y" },
          { 0, NULL, NULL },
      },
};
