/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Declares the debug category of a folder in another file of that folder, which
 * then has `#define GST_CAT_DEFAULT function ()`. */
#define GST_CL_DEBUG_CATEGORY_EXTERN(function) GstDebugCategory *function (void)

/* Defines the debug category of a folder. The first use registers it, in any
 * thread. Entry points of the folder call the function before they log, since
 * gst_debug_set_threshold_for_name() affects only registered categories.
 * Elements register their categories in class_init. */
#define GST_CL_DEBUG_CATEGORY(function, name, description)                     \
  GST_CL_DEBUG_CATEGORY_EXTERN (function);                                     \
  GstDebugCategory *function (void)                                            \
  {                                                                            \
    static GstDebugCategory *category; /* once */                              \
    static gsize once = 0;                                                     \
                                                                               \
    if (g_once_init_enter (&once)) {                                           \
      GST_DEBUG_CATEGORY_INIT (category, name, 0, description);                \
      g_once_init_leave (&once, 1);                                            \
    }                                                                          \
                                                                               \
    return category;                                                           \
  }                                                                            \
  GST_CL_DEBUG_CATEGORY_EXTERN (function)

G_END_DECLS
