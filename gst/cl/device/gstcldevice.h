/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclerror.h"

G_BEGIN_DECLS

/* The devices that a kernel family is written for; each row of a table of
 * implementations has one. */
typedef enum {
  GST_CL_FAMILY_ANY, /* plain kernels: correct on any device */
  GST_CL_FAMILY_CPU, /* one work-item, one band of rows */
  GST_CL_FAMILY_GPU, /* GPUs and accelerators */
} GstClFamily;

/* A set of families. */
#define GST_CL_FAMILY_BIT(family) (1u << (family))

/* The description of one OpenCL device; immutable. Reference counted by
 * g_rc_box; see gst_cl_device_ref(). */
typedef struct {
  cl_platform_id platform;
  cl_device_id id; /* NULL: represents a platform without devices */
  guint platform_index, device_index; /* as `clinfo -l` counts them */

  gchar *name, *platform_name, *platform_version, *driver_version;
  gchar *uuid;     /* 32 hexadecimal digits; NULL: the driver has none */
  gchar *unusable; /* why it cannot be used; NULL: it can be used */

  cl_device_type type;
  GstClFamily family;       /* CPU or GPU, never ANY */
  gboolean is_host_unified; /* uses the host's memory; environment variable
                               GST_OPENCL_HOST_UNIFIED (0 or 1) overrides */
  guint compute_units;
  guint base_align_bytes;       /* alignment a wrapped host pointer needs */
  gsize max_work_group_size;    /* work-items */
  guint64 global_bytes;         /* size of the device memory */
  guint64 max_alloc_bytes;      /* largest single buffer */
  guint64 local_bytes;          /* local memory of a work-group */
  gboolean can_round_quotients; /* -cl-fp32-correctly-rounded-divide-sqrt */
  guint compute_capability; /* NVIDIA's: 61 is 6.1; 0: another vendor's device
                                */
} GstClDevice;

GstClDevice *gst_cl_device_ref (GstClDevice *device);
void gst_cl_device_unref (GstClDevice *device);

/* Returns every device of every platform, in the order of the ICD loader. A
 * device that cannot be used has the reason in its member unusable, which is
 * also logged at INFO. Never NULL. Must not run in plugin_init(): PoCL hangs in
 * a child process forked afterwards. Transfer full, element type GstClDevice.
 */
GPtrArray *gst_cl_device_list (void);

/* Describes @id, of any platform; NULL with @error if it cannot be used. */
GstClDevice *gst_cl_device_describe (cl_device_id id, GError **error);

/* Returns the number of times that a work-item polls a word of memory for
 * another work-group before it gives up: less than a second in total, for what
 * takes a GPU a microsecond. Environment variable GST_OPENCL_SPIN_LIMIT
 * overrides it, for tests; 0: give up at once. Any thread. */
guint gst_cl_device_spin_limit (const GstClDevice *device);

/* Returns TRUE if a program for each variant of a kernel costs less than a
 * branch in the kernel: on GPUs, where branches cost more and compiling costs
 * less. Any thread. */
gboolean gst_cl_device_prefers_constants (const GstClDevice *device);

/* Returns TRUE if the driver blocks the calls of other threads for a context
 * while it compiles a program for that context. NVIDIA's driver 580 blocks a
 * launch or a new buffer for up to a second (docs/devices.md). Any thread. */
gboolean gst_cl_device_blocks_while_compiling (const GstClDevice *device);

/* Returns TRUE if the driver's compiler is known to end the process when it
 * fails: rusticl's (docs/devices.md). Any thread. */
gboolean gst_cl_device_may_crash_while_compiling (const GstClDevice *device);

/* --- choosing ----------------------------------------------------------- */

/* Returns the devices that @wanted allows, in order of preference. "auto" and
 * NULL use environment variable GST_OPENCL_DEVICE; if it is not set, they give
 * every GPU and then every other device, without devices that cannot compile
 * (below) if there are others. All other values give one device: "gpu", "cpu",
 * "accelerator", "P.D", a UUID, or part of the device's or platform's name
 * (case-insensitive). @devices: GstClDevice elements. NULL with
 * CL_DEVICE_NOT_FOUND in @error, which lists the wanted device, the devices
 * found, those that cannot be used and why, and what to install. Transfer full,
 * element type GstClDevice. */
GPtrArray *gst_cl_device_choose_all (GPtrArray *devices, const gchar *wanted,
    GError **error);

/* Returns the first device of gst_cl_device_choose_all() among all devices of
 * the machine. */
GstClDevice *gst_cl_device_choose (const gchar *wanted, GError **error);

/* Returns the first device of gst_cl_device_choose_all(). */
GstClDevice *gst_cl_device_choose_from (GPtrArray *devices, const gchar *wanted,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClDevice, gst_cl_device_unref)

/* The verdict on devices that fail to compile, though they claim to have a
 * compiler, or that have no correct implementation of an op. It is kept as long
 * as the process runs. Any thread. */
typedef enum {
  GST_CL_DEVICE_VERDICT_UNKNOWN,
  GST_CL_DEVICE_VERDICT_ABLE,
  /* device=auto ignores the device if there is another one */
  GST_CL_DEVICE_VERDICT_UNABLE,
} GstClDeviceVerdict;

GstClDeviceVerdict gst_cl_device_verdict_get (const GstClDevice *device);

/* Returns the previous verdict. */
GstClDeviceVerdict gst_cl_device_verdict_set (const GstClDevice *device,
    GstClDeviceVerdict verdict);

/* Sets GST_CL_DEVICE_VERDICT_UNABLE, and logs @reason at WARNING, once per
 * device. */
void gst_cl_device_verdict_set_unable (const GstClDevice *device,
    const gchar *reason);

G_END_DECLS
