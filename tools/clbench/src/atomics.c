/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Atomics between work-groups: the devices that compile them. */

#include "atomics.h"

#include <stdio.h>

/* OpenCL 3.0; not in the 1.2 headers */
#define DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x1063
#define ATOMIC_ORDER_ACQ_REL              (1 << 1)
#define ATOMIC_SCOPE_DEVICE               (1 << 5)
#define DEVICE_OPENCL_C_ALL_VERSIONS      0x1066
#define MAX_VERSIONS                      16
#define NAME_BYTES                        64
#define VERSION_3_0                       ((cl_uint) 3 << 22)

typedef struct {
  cl_uint version;
  gchar name[NAME_BYTES];
} NameVersion; /* cl_name_version */

/* Returns 3 if the device reports "OpenCL 3.0 ..."; 0 if it reports no
 * version. */
static guint
major_version (cl_device_id id)
{
  gchar text[256] = "";
  guint major;

  clGetDeviceInfo (id, CL_DEVICE_VERSION, sizeof text - 1, text, NULL);

  return sscanf (text, "OpenCL %u.", &major) == 1 ? major : 0;
}

static gboolean
compiles_3_0 (cl_device_id id)
{
  NameVersion versions[MAX_VERSIONS];
  gsize bytes = 0;

  if (clGetDeviceInfo (id, DEVICE_OPENCL_C_ALL_VERSIONS, sizeof versions,
          versions, &bytes) != CL_SUCCESS)
    return FALSE;

  for (guint i = 0; i < bytes / sizeof *versions; i++) {
    if (versions[i].version >= VERSION_3_0)
      return TRUE;
  }

  return FALSE;
}

const gchar *
atomics_option (const GstClDevice *device, GError **error)
{
  const cl_bitfield needed = ATOMIC_ORDER_ACQ_REL | ATOMIC_SCOPE_DEVICE;
  const guint major = major_version (device->id);
  cl_bitfield atomics = 0;

  if (major == 2) /* where all of this is mandatory */
    return "-cl-std=CL2.0";

  clGetDeviceInfo (device->id, DEVICE_ATOMIC_MEMORY_CAPABILITIES,
      sizeof atomics, &atomics, NULL);
  if (major < 2)
    g_set_error (error, GST_CL_ERROR, CL_INVALID_DEVICE,
        "%s has OpenCL %u, these atomics need OpenCL 2", device->name, major);
  else if (!compiles_3_0 (device->id))
    g_set_error (error, GST_CL_ERROR, CL_INVALID_DEVICE,
        "%s does not compile OpenCL C 3.0", device->name);
  else if ((atomics & needed) != needed)
    g_set_error (error, GST_CL_ERROR, CL_INVALID_DEVICE,
        "the atomics of %s do not acquire and release in the scope of the "
        "device (CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x%" G_GINT64_MODIFIER
        "x)",
        device->name, (guint64) atomics);
  else
    return "-cl-std=CL3.0";

  return NULL;
}
