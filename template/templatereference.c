/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scalar reference of the op "template". */

#include "templatereference.h"

guint
template_reference (guint sample, gint amount, guint largest_code)
{
  return (guint) CLAMP ((gint) sample + amount, 0, (gint) largest_code);
}
