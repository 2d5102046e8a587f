/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * plugin-opencl:
 *
 * Integral images, local means and frame statistics on any OpenCL device.
 */

#include "elements/compare/gstclcompare.h"
#include "elements/transfer/gstcldownload.h"
#include "elements/framesum/gstclframesum.h"
#include "elements/integral/gstclintegral.h"
#include "elements/kernel/gstclkernelfilter.h"
#include "elements/kernel/gstclkernelmix.h"
#include "elements/localmean/gstcllocalmean.h"
#include "elements/scope/gstclscope.h"
#include "elements/transfer/gstclupload.h"
#include "kernels.h"

/* Elements register on any machine, even with no device: asking for devices
 * here would leave PoCL unusable in processes that fork, and a missing device
 * is better reported where it is needed. */
static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = FALSE;

  /* A linker takes from a static library only what is called by name. */
  gst_cl_kernels_get_resource ();

  registered |= GST_ELEMENT_REGISTER (clcompare, plugin);
  registered |= GST_ELEMENT_REGISTER (cldownload, plugin);
  registered |= GST_ELEMENT_REGISTER (clframesum, plugin);
  registered |= GST_ELEMENT_REGISTER (clintegral, plugin);
  registered |= GST_ELEMENT_REGISTER (clkernel, plugin);
  registered |= GST_ELEMENT_REGISTER (clkernelmix, plugin);
  registered |= GST_ELEMENT_REGISTER (cllocalmean, plugin);
  registered |= GST_ELEMENT_REGISTER (clscope, plugin);
  registered |= GST_ELEMENT_REGISTER (clupload, plugin);

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, opencl,
    "OpenCL video analysis: integral images, local means, frame statistics",
    plugin_init, PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
