/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstclerror.h"

G_BEGIN_DECLS

/* What a kernel family is written for; each row of a table of
 * implementations names one. */
typedef enum {
  GST_CL_FAMILY_ANY, /* plain kernels: right on any device */
  GST_CL_FAMILY_CPU, /* one work-item, one band of rows */
  GST_CL_FAMILY_GPU, /* GPUs and accelerators */
} GstClFamily;

/* One OpenCL device, described once and never changed afterwards. Reference
 * counted by g_rc_box; see gst_cl_device_ref(). */
typedef struct {
  cl_platform_id platform;
  cl_device_id id; /* NULL: stands for a platform that lists no device */
  guint platform_index, device_index; /* as `clinfo -l` counts them */

  gchar *name, *platform_name, *platform_version, *driver_version;
  gchar *uuid;     /* 32 hexadecimal digits, NULL where the driver tells none */
  gchar *unusable; /* why it cannot be used; NULL: it can */

  cl_device_type type;
  GstClFamily family;       /* CPU or GPU, never ANY */
  gboolean is_host_unified; /* shares the host's memory; environment variable
                               GST_OPENCL_HOST_UNIFIED (0 or 1) overrules */
  guint compute_units;
  guint base_align_bytes;    /* alignment a wrapped host pointer needs */
  gsize max_work_group_size; /* work-items */
  guint64 global_bytes;      /* device memory in all */
  guint64 max_alloc_bytes;   /* largest single buffer */
  guint64 local_bytes;       /* local memory of a work-group */
  guint compute_capability;  /* NVIDIA's: 61 is 6.1; 0: another's device */
} GstClDevice;

GstClDevice *gst_cl_device_ref (GstClDevice *device);
void gst_cl_device_unref (GstClDevice *device);

/* Every device of every platform, in the loader's order; what cannot be used
 * says why, in a line at INFO too. Never NULL. Must not run in plugin_init():
 * PoCL hangs in a child forked afterwards. transfer full, element type
 * GstClDevice. */
GPtrArray *gst_cl_device_list (void);

/* Describes @id, of whatever platform; an error if it cannot be used. */
GstClDevice *gst_cl_device_describe (cl_device_id id, GError **error);

/* Looks at a word of memory after which a work-item that waits for another
 * work-group gives up: together less than a second, for what takes a GPU a
 * microsecond. Environment variable GST_OPENCL_SPIN_LIMIT overrules, for tests;
 * 0: give up at once. Any thread. */
guint gst_cl_device_spin_limit (const GstClDevice *device);

/* Whether a program for each variant of a kernel costs less than a branch in
 * the kernel: on GPUs, whose branches cost more and whose compilers cost less.
 * Any thread. */
gboolean gst_cl_device_prefers_constants (const GstClDevice *device);

/* --- choosing ----------------------------------------------------------- */

/* The devices that @wanted allows, the one to take first: one, but for "auto"
 * or NULL, which stand for what environment variable GST_OPENCL_DEVICE says,
 * else for every GPU and then every other device, without those whose compiler
 * was found unable (below) where there are others. Other words: "gpu",
 * "cpu", "accelerator", "P.D", a UUID, or part of the device's or platform's
 * name (case-insensitive). @devices: GstClDevice elements. NULL with
 * CL_DEVICE_NOT_FOUND in @error, which lists what was looked for, what is
 * there, what of it cannot be used and why, and what to install. transfer full,
 * element type GstClDevice. */
GPtrArray *gst_cl_device_choose_all (GPtrArray *devices, const gchar *wanted,
    GError **error);

/* The first of these, of all devices there are. */
GstClDevice *gst_cl_device_choose (const gchar *wanted, GError **error);

/* The first of these. */
GstClDevice *gst_cl_device_choose_from (GPtrArray *devices, const gchar *wanted,
    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClDevice, gst_cl_device_unref)

/* Devices that do not compile, though they say that they have a compiler, or
 * that have no right implementation of an op: known for the process once it has
 * been found out. Any thread. */
typedef enum {
  GST_CL_DEVICE_VERDICT_UNKNOWN,
  GST_CL_DEVICE_VERDICT_ABLE,
  /* device=auto passes the device over where there is another one */
  GST_CL_DEVICE_VERDICT_UNABLE,
} GstClDeviceVerdict;

GstClDeviceVerdict gst_cl_device_verdict_get (const GstClDevice *device);

/* Returns what was known before. */
GstClDeviceVerdict gst_cl_device_verdict_set (const GstClDevice *device,
    GstClDeviceVerdict verdict);

/* Sets GST_CL_DEVICE_VERDICT_UNABLE; a line at WARNING, once for each device,
 * says so with @reason. */
void gst_cl_device_verdict_set_unable (const GstClDevice *device,
    const gchar *reason);

G_END_DECLS
