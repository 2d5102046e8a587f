/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Listing, describing and choosing OpenCL devices. */

#include "gstcldevice.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_cl_device_debug);
#define GST_CAT_DEFAULT gst_cl_device_debug

#define MAX_PLATFORMS 32
#define MAX_DEVICES   64 /* per platform */

/* cl_khr_device_uuid; not in the 1.2 headers */
#define DEVICE_UUID_KHR 0x106A
#define UUID_BYTES      16

/* cl_nv_device_attribute_query */
#define COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define COMPUTE_CAPABILITY_MINOR_NV 0x4001

static void
init_debug (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (gst_cl_device_debug, "cldevice", 0,
        "OpenCL devices");
    g_once_init_leave (&once, 1);
  }
}

/* --- describing ---------------------------------------------------------- */

static gchar *
device_string (cl_device_id id, cl_device_info what)
{
  gsize bytes = 0;

  if (clGetDeviceInfo (id, what, 0, NULL, &bytes) != CL_SUCCESS)
    return g_strdup ("");

  gchar *text = g_malloc0 (bytes + 1);
  if (clGetDeviceInfo (id, what, bytes, text, NULL) != CL_SUCCESS)
    text[0] = '\0';

  return g_strstrip (text);
}

static gchar *
platform_string (cl_platform_id id, cl_platform_info what)
{
  gsize bytes = 0;

  if (clGetPlatformInfo (id, what, 0, NULL, &bytes) != CL_SUCCESS)
    return g_strdup ("");

  gchar *text = g_malloc0 (bytes + 1);
  if (clGetPlatformInfo (id, what, bytes, text, NULL) != CL_SUCCESS)
    text[0] = '\0';

  return g_strstrip (text);
}

static gchar *
device_uuid (cl_device_id id)
{
  guchar bytes[UUID_BYTES];
  GString *text;

  if (clGetDeviceInfo (id, DEVICE_UUID_KHR, sizeof bytes, bytes, NULL) !=
      CL_SUCCESS)
    return NULL;

  text = g_string_new (NULL);
  for (guint i = 0; i < UUID_BYTES; i++)
    g_string_append_printf (text, "%02x", bytes[i]);

  return g_string_free (text, FALSE);
}

static guint
compute_capability (cl_device_id id)
{
  cl_uint major = 0, minor = 0;

  if (clGetDeviceInfo (id, COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major,
          NULL) != CL_SUCCESS ||
      clGetDeviceInfo (id, COMPUTE_CAPABILITY_MINOR_NV, sizeof minor, &minor,
          NULL) != CL_SUCCESS)
    return 0;

  return 10 * major + minor;
}

/* For tests and for drivers that tell lies, the environment has the last word.
 */
static gboolean
shares_host_memory (cl_bool says_so, cl_device_type type)
{
  const gchar *environment = g_getenv ("GST_OPENCL_HOST_UNIFIED");

  if (environment && environment[0])
    return environment[0] != '0';

  return says_so || (type & CL_DEVICE_TYPE_CPU);
}

/* NULL, with a line at INFO, if the device cannot be used. */
static GstClDevice *
describe_device (cl_platform_id platform, guint platform_index, cl_device_id id,
    guint device_index)
{
  g_autoptr (GstClDevice) device = g_rc_box_new0 (GstClDevice);
  cl_bool available = CL_FALSE, compiler = CL_FALSE, unified = CL_FALSE;
  cl_uint align_bits = 0;
  cl_int code;

  device->platform = platform;
  device->id = id;
  device->platform_index = platform_index;
  device->device_index = device_index;
  device->name = device_string (id, CL_DEVICE_NAME);
  device->driver_version = device_string (id, CL_DRIVER_VERSION);
  device->platform_name = platform_string (platform, CL_PLATFORM_NAME);
  device->platform_version = platform_string (platform, CL_PLATFORM_VERSION);
  device->uuid = device_uuid (id);

#define GET(what, field) clGetDeviceInfo (id, what, sizeof field, &field, NULL)
  code = GET (CL_DEVICE_TYPE, device->type);
  code |= GET (CL_DEVICE_AVAILABLE, available);
  code |= GET (CL_DEVICE_COMPILER_AVAILABLE, compiler);
  code |= GET (CL_DEVICE_HOST_UNIFIED_MEMORY, unified);
  code |= GET (CL_DEVICE_MAX_COMPUTE_UNITS, device->compute_units);
  code |= GET (CL_DEVICE_MEM_BASE_ADDR_ALIGN, align_bits);
  code |= GET (CL_DEVICE_MAX_WORK_GROUP_SIZE, device->max_work_group_size);
  code |= GET (CL_DEVICE_GLOBAL_MEM_SIZE, device->global_bytes);
  code |= GET (CL_DEVICE_MAX_MEM_ALLOC_SIZE, device->max_alloc_bytes);
  code |= GET (CL_DEVICE_LOCAL_MEM_SIZE, device->local_bytes);
#undef GET

  if (code != CL_SUCCESS || !available || !compiler) {
    GST_INFO ("skipping device %u.%u \"%s\": %s", platform_index, device_index,
        device->name,
        code != CL_SUCCESS ? "it does not describe itself"
        : !available       ? "not available"
                           : "no compiler");
    return NULL;
  }

  device->family = device->type & CL_DEVICE_TYPE_CPU ? GST_CL_FAMILY_CPU
                                                     : GST_CL_FAMILY_GPU;
  device->is_host_unified = shares_host_memory (unified, device->type);
  device->base_align_bytes = MAX (align_bits / 8, 1);
  device->compute_capability = compute_capability (id);

  return g_steal_pointer (&device);
}

static void
clear_device (GstClDevice *device)
{
  g_free (device->name);
  g_free (device->platform_name);
  g_free (device->platform_version);
  g_free (device->driver_version);
  g_free (device->uuid);
}

GstClDevice *
gst_cl_device_ref (GstClDevice *device)
{
  return g_rc_box_acquire (device);
}

void
gst_cl_device_unref (GstClDevice *device)
{
  g_rc_box_release_full (device, (GDestroyNotify) clear_device);
}

/* --- listing ------------------------------------------------------------- */

static void
list_devices (GPtrArray *devices)
{
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint n_platforms = 0;

  cl_int code = clGetPlatformIDs (MAX_PLATFORMS, platforms, &n_platforms);
  if (code != CL_SUCCESS) {
    GST_INFO ("no OpenCL platform: %s", gst_cl_error_name (code));
    return;
  }

  for (guint p = 0; p < MIN (n_platforms, MAX_PLATFORMS); p++) {
    cl_device_id ids[MAX_DEVICES];
    cl_uint n_ids = 0;

    code = clGetDeviceIDs (platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids,
        &n_ids);
    if (code != CL_SUCCESS) {
      GST_INFO ("skipping platform %u: %s", p, gst_cl_error_name (code));
      continue;
    }

    for (guint d = 0; d < MIN (n_ids, MAX_DEVICES); d++) {
      GstClDevice *device = describe_device (platforms[p], p, ids[d], d);

      if (device)
        g_ptr_array_add (devices, device);
    }
  }
}

GPtrArray *
gst_cl_device_list (void)
{
  static GMutex lock;
  GPtrArray *devices = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_cl_device_unref);

  init_debug ();

  /* One thread at a time: PoCL 3.1 answers CL_DEVICE_NOT_FOUND while another
   * thread makes its devices, though OpenCL promises safety (docs/devices.md).
   */
  g_mutex_lock (&lock);
  list_devices (devices);
  g_mutex_unlock (&lock);

  return devices;
}

GstClDevice *
gst_cl_device_describe (cl_device_id id, GError **error)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();
  GstClDevice *device = NULL;
  cl_platform_id platform;

  for (guint i = 0; i < devices->len; i++) {
    device = g_ptr_array_index (devices, i);
    if (device->id == id)
      return gst_cl_device_ref (device);
  }

  /* a part of a device is on no list */
  device = NULL;
  if (clGetDeviceInfo (id, CL_DEVICE_PLATFORM, sizeof platform, &platform,
          NULL) == CL_SUCCESS)
    device = describe_device (platform, G_MAXUINT, id, 0);
  if (!device)
    g_set_error (error, GST_CL_ERROR, CL_INVALID_DEVICE,
        "The application's device cannot be used.");

  return device;
}

/* --- choosing ------------------------------------------------------------ */

/* Words of the device property that stand for a type of device. */
static const struct {
  const gchar *word;
  cl_device_type type;
} type_words[] = {
  { "gpu", CL_DEVICE_TYPE_GPU },
  { "cpu", CL_DEVICE_TYPE_CPU },
  { "accelerator", CL_DEVICE_TYPE_ACCELERATOR },
};

static GstClDevice *
first_of_type (GPtrArray *devices, cl_device_type type)
{
  for (guint i = 0; i < devices->len; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if (device->type & type)
      return device;
  }

  return NULL;
}

static gboolean
contains (const gchar *text, const gchar *part)
{
  g_autofree gchar *folded_text = g_utf8_casefold (text, -1);
  g_autofree gchar *folded_part = g_utf8_casefold (part, -1);

  return strstr (folded_text, folded_part) != NULL;
}

/* clinfo prints UUIDs with dashes, nvidia-smi with "GPU-" before them. */
static gboolean
is_uuid (const gchar *uuid, const gchar *wanted)
{
  if (g_ascii_strncasecmp (wanted, "GPU-", 4) == 0)
    wanted += 4;
  for (; *wanted; wanted++) {
    if (*wanted == '-')
      continue;
    if (g_ascii_tolower (*wanted) != g_ascii_tolower (*uuid))
      return FALSE;
    uuid++;
  }

  return *uuid == '\0';
}

static gboolean
is_named (const GstClDevice *device, const gchar *wanted)
{
  g_autofree gchar *number = g_strdup_printf ("%u.%u", device->platform_index,
      device->device_index);

  return g_str_equal (number, wanted) ||
         (device->uuid && is_uuid (device->uuid, wanted));
}

static GstClDevice *
find_device (GPtrArray *devices, const gchar *wanted)
{
  if (g_ascii_strcasecmp (wanted, "auto") == 0) {
    GstClDevice *gpu = first_of_type (devices, CL_DEVICE_TYPE_GPU);

    return gpu ? gpu : first_of_type (devices, CL_DEVICE_TYPE_ALL);
  }

  for (guint i = 0; i < G_N_ELEMENTS (type_words); i++) {
    if (g_ascii_strcasecmp (wanted, type_words[i].word) == 0)
      return first_of_type (devices, type_words[i].type);
  }

  /* A number or UUID names one device; only then look at parts of names, so
   * that "0.1" cannot match a name that happens to contain it. */
  for (guint i = 0; i < devices->len; i++) {
    if (is_named (g_ptr_array_index (devices, i), wanted))
      return g_ptr_array_index (devices, i);
  }
  for (guint i = 0; i < devices->len && wanted[0]; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if (contains (device->name, wanted) ||
        contains (device->platform_name, wanted))
      return device;
  }

  return NULL;
}

static gchar *
describe_list (GPtrArray *devices)
{
  GString *text;

  if (devices->len == 0)
    return g_strdup ("There is no OpenCL device at all; install the driver of "
                     "your GPU, or PoCL (Debian: pocl-opencl-icd) to use the "
                     "CPU, and check with `clinfo -l`.");

  text = g_string_new ("Available:");
  for (guint i = 0; i < devices->len; i++) {
    const GstClDevice *device = g_ptr_array_index (devices, i);

    g_string_append_printf (text, "%s %u.%u \"%s\" (%s)", i ? "," : "",
        device->platform_index, device->device_index, device->name,
        device->platform_name);
  }
  g_string_append (text, ".");

  return g_string_free (text, FALSE);
}

GstClDevice *
gst_cl_device_choose_from (GPtrArray *devices, const gchar *wanted,
    GError **error)
{
  const gchar *environment = g_getenv ("GST_OPENCL_DEVICE");
  GstClDevice *device;

  init_debug ();

  if (!wanted || g_ascii_strcasecmp (wanted, "auto") == 0)
    wanted = environment && environment[0] ? environment : "auto";

  device = find_device (devices, wanted);
  if (!device) {
    g_autofree gchar *list = describe_list (devices);

    g_set_error (error, GST_CL_ERROR, CL_DEVICE_NOT_FOUND,
        "Looked for device \"%s\". %s", wanted, list);
    return NULL;
  }

  GST_INFO ("device \"%s\" is %u.%u \"%s\" (%s, driver %s)", wanted,
      device->platform_index, device->device_index, device->name,
      device->platform_name, device->driver_version);

  return gst_cl_device_ref (device);
}

GstClDevice *
gst_cl_device_choose (const gchar *wanted, GError **error)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();

  return gst_cl_device_choose_from (devices, wanted, error);
}
