/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin of the template alone, for its tests. */

#include "gstcltemplate.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  return GST_ELEMENT_REGISTER (cltemplate, plugin);
}

#define PACKAGE "gst-opencl"

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, opencltemplate,
    "The template of a filter, for its tests", plugin_init, "0", "LGPL",
    PACKAGE, "gst-opencl")
