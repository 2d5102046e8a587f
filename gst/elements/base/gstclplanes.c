/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flags that name components. */

#include "gstclplanes.h"

GstClEnum gst_cl_planes_enum = {
  .name = "GstClPlanes",
  .flags_values =
      (const GFlagsValue[]){
          /* gst-inspect-1.0 names a mask by the last rows that make it up */
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
