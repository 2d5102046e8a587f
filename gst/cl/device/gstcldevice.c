/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Listing and describing OpenCL devices. */

#include "gstcldevice.h"

#include <stdio.h>
#include <string.h>

#include "common/gstcldebug.h"
#include "gstclpocl.h"

GST_CL_DEBUG_CATEGORY (gst_cl_device_debug, "cldevice", "OpenCL devices");
#define GST_CAT_DEFAULT gst_cl_device_debug ()

#define MAX_PLATFORMS 32
#define MAX_DEVICES   64 /* per platform */

/* cl_khr_device_uuid; not in the 1.2 headers */
#define DEVICE_UUID_KHR 0x106A
#define UUID_BYTES      16

/* The number of polls. A GPU needs about 0.3 us per poll. A CPU polls a
 * thousand times as fast, and may wait some milliseconds until another thread
 * is scheduled. */
#define SPIN_LIMIT_GPU (1 << 20)
#define SPIN_LIMIT_CPU (1 << 26)

/* cl_nv_device_attribute_query */
#define COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define COMPUTE_CAPABILITY_MINOR_NV 0x4001

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

/* The environment variable overrides the driver, for tests and for drivers that
 * report wrong values. */
static gboolean
shares_host_memory (cl_bool says_so, cl_device_type type)
{
  const gchar *environment = g_getenv ("GST_OPENCL_HOST_UNIFIED");

  if (environment && environment[0])
    return environment[0] != '0';

  return says_so || (type & CL_DEVICE_TYPE_CPU);
}

/* Returns TRUE if @version, "OpenCL 1.2 ..." or "OpenCL C 1.2 ...", is less
 * than the kernels need. A string without a version is no reason to reject a
 * device. */
static gboolean
is_too_old (const gchar *version, const gchar *prefix)
{
  guint major, minor;

  return g_str_has_prefix (version, prefix) &&
         sscanf (version + strlen (prefix), "%u.%u", &major, &minor) == 2 &&
         10 * major + minor < 12;
}

/* Returns why the device cannot be used; NULL if it can. Some devices support
 * OpenCL 1.2, but their compiler does not: Mesa's clover reports OpenCL C 1.1,
 * and cannot compile the plugin's programs. */
static gchar *
find_version_fault (cl_device_id id)
{
  g_autofree gchar *device = device_string (id, CL_DEVICE_VERSION);
  g_autofree gchar *language = device_string (id, CL_DEVICE_OPENCL_C_VERSION);

  if (is_too_old (device, "OpenCL "))
    return g_strdup_printf ("it has %s, and OpenCL 1.2 is needed", device);
  if (is_too_old (language, "OpenCL C "))
    return g_strdup_printf ("it compiles %s, and OpenCL C 1.2 is needed",
        language);

  return NULL;
}

static GstClDevice *
describe_device (cl_platform_id platform, guint platform_index, cl_device_id id,
    guint device_index)
{
  GstClDevice *device = g_rc_box_new0 (GstClDevice);
  cl_bool available = CL_FALSE, compiler = CL_FALSE, unified = CL_FALSE;
  cl_uint align_bits = 0;
  cl_device_fp_config floats = 0;
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
  code |= GET (CL_DEVICE_SINGLE_FP_CONFIG, floats);
#undef GET

  if (code != CL_SUCCESS)
    device->unusable = g_strdup ("it does not describe itself");
  else if (!available)
    device->unusable = g_strdup ("it is not available");
  else if (!compiler)
    device->unusable = g_strdup ("it has no compiler");
  else
    device->unusable = find_version_fault (id);
  if (device->unusable)
    GST_INFO ("skipping device %u.%u \"%s\": %s", platform_index, device_index,
        device->name, device->unusable);

  device->family = device->type & CL_DEVICE_TYPE_CPU ? GST_CL_FAMILY_CPU
                                                     : GST_CL_FAMILY_GPU;
  device->can_round_quotients = floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  device->is_host_unified = shares_host_memory (unified, device->type);
  device->base_align_bytes = MAX (align_bits / 8, 1);
  device->compute_capability = compute_capability (id);

  return device;
}

/* Returns a device that represents a platform which returns @code instead of a
 * list of devices. PoCL gives no other reason if it cannot create its
 * folder. */
static GstClDevice *
describe_failed_platform (cl_platform_id platform, guint index, cl_int code)
{
  GstClDevice *device = g_rc_box_new0 (GstClDevice);
  g_autofree gchar *fault = NULL;

  device->platform = platform;
  device->platform_index = index;
  device->name = g_strdup ("");
  device->driver_version = g_strdup ("");
  device->platform_name = platform_string (platform, CL_PLATFORM_NAME);
  device->platform_version = platform_string (platform, CL_PLATFORM_VERSION);
  fault = gst_cl_pocl_find_fault (device->platform_name);
  device->unusable = g_strdup_printf ("it lists no device: %s",
      fault ? fault : gst_cl_error_name (code));
  GST_INFO ("skipping platform %u: %s", index, device->unusable);

  return device;
}

static void
clear_device (GstClDevice *device)
{
  g_free (device->name);
  g_free (device->platform_name);
  g_free (device->platform_version);
  g_free (device->driver_version);
  g_free (device->uuid);
  g_free (device->unusable);
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

guint
gst_cl_device_spin_limit (const GstClDevice *device)
{
  const gchar *text = g_getenv ("GST_OPENCL_SPIN_LIMIT");
  guint64 limit;

  if (text &&
      g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &limit, NULL))
    return (guint) limit;

  return device->family == GST_CL_FAMILY_CPU ? SPIN_LIMIT_CPU : SPIN_LIMIT_GPU;
}

gboolean
gst_cl_device_prefers_constants (const GstClDevice *device)
{
  return device->family == GST_CL_FAMILY_GPU;
}

gboolean
gst_cl_device_blocks_while_compiling (const GstClDevice *device)
{
  return device->compute_capability > 0;
}

gboolean
gst_cl_device_may_crash_while_compiling (const GstClDevice *device)
{
  return g_str_equal (device->platform_name, "rusticl");
}

/* --- listing ------------------------------------------------------------- */

static void
list_devices (GPtrArray *devices)
{
  cl_platform_id platforms[MAX_PLATFORMS];
  cl_uint n_platforms = 0;
  cl_int code;

  /* logged first: the loader now loads all drivers, and some loaders query
   * their devices; a driver that hangs or crashes logs nothing */
  GST_INFO ("listing the OpenCL platforms");
  code = clGetPlatformIDs (MAX_PLATFORMS, platforms, &n_platforms);
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
      g_ptr_array_add (devices,
          describe_failed_platform (platforms[p], p, code));
      continue;
    }

    for (guint d = 0; d < MIN (n_ids, MAX_DEVICES); d++)
      g_ptr_array_add (devices, describe_device (platforms[p], p, ids[d], d));
  }
}

GPtrArray *
gst_cl_device_list (void)
{
  static GMutex list_lock;
  GPtrArray *devices = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_cl_device_unref);

  gst_cl_device_debug ();

  /* One thread at a time: PoCL 3.1 returns CL_DEVICE_NOT_FOUND while another
   * thread initialises its devices, though OpenCL guarantees thread safety
   * (docs/devices.md). */
  g_mutex_lock (&list_lock);
  list_devices (devices);
  g_mutex_unlock (&list_lock);

  return devices;
}

/* Describes a sub-device, which no platform lists. Transfer full; NULL if the
 * description cannot be queried. */
static GstClDevice *
describe_unlisted (cl_device_id id)
{
  cl_platform_id platform;

  if (clGetDeviceInfo (id, CL_DEVICE_PLATFORM, sizeof platform, &platform,
          NULL) != CL_SUCCESS)
    return NULL;

  return describe_device (platform, G_MAXUINT, id, 0);
}

GstClDevice *
gst_cl_device_describe (cl_device_id id, GError **error)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();
  g_autoptr (GstClDevice) device = NULL;

  for (guint i = 0; i < devices->len && !device; i++) {
    GstClDevice *listed = g_ptr_array_index (devices, i);

    if (listed->id == id)
      device = gst_cl_device_ref (listed);
  }
  if (!device)
    device = describe_unlisted (id);
  if (device && !device->unusable)
    return g_steal_pointer (&device);

  g_set_error (error, GST_CL_ERROR, CL_INVALID_DEVICE,
      "The application's device cannot be used: %s.",
      device ? device->unusable : "it does not describe itself");

  return NULL;
}

/* --- verdicts ------------------------------------------------------------- */

GST_CL_DEBUG_CATEGORY (gst_cl_device_verdict_debug, "clprobe",
    "OpenCL devices that compile");

static GMutex verdicts_lock;
static GHashTable *verdicts; /* cl_device_id -> GstClDeviceVerdict */

GstClDeviceVerdict
gst_cl_device_verdict_set (const GstClDevice *device,
    GstClDeviceVerdict verdict)
{
  GstClDeviceVerdict before;

  g_mutex_lock (&verdicts_lock);
  if (!verdicts)
    verdicts = g_hash_table_new (NULL, NULL);
  before = GPOINTER_TO_INT (g_hash_table_lookup (verdicts, device->id));
  g_hash_table_insert (verdicts, device->id, GINT_TO_POINTER (verdict));
  g_mutex_unlock (&verdicts_lock);

  return before;
}

GstClDeviceVerdict
gst_cl_device_verdict_get (const GstClDevice *device)
{
  GstClDeviceVerdict verdict = GST_CL_DEVICE_VERDICT_UNKNOWN;

  g_mutex_lock (&verdicts_lock);
  if (verdicts)
    verdict = GPOINTER_TO_INT (g_hash_table_lookup (verdicts, device->id));
  g_mutex_unlock (&verdicts_lock);

  return verdict;
}

void
gst_cl_device_verdict_set_unable (const GstClDevice *device,
    const gchar *reason)
{
  gst_cl_device_verdict_debug ();

  if (gst_cl_device_verdict_set (device, GST_CL_DEVICE_VERDICT_UNABLE) !=
      GST_CL_DEVICE_VERDICT_UNABLE)
    GST_CAT_WARNING (gst_cl_device_verdict_debug (),
        "device=auto ignores %u.%u \"%s\" (%s) from now on: %s",
        device->platform_index, device->device_index, device->name,
        device->platform_name, reason);
}

/* --- choosing a device: words -------------------------------------------- */

/* Words of the device property that select a type of device. */
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

    if (!device->unusable && device->type & type)
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

/* Returns the first device whose name or platform's name contains @wanted. */
static GstClDevice *
first_with_name (GPtrArray *devices, const gchar *wanted, gboolean is_usable)
{
  for (guint i = 0; i < devices->len && wanted[0]; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if ((device->unusable == NULL) == is_usable &&
        (contains (device->name, wanted) ||
            contains (device->platform_name, wanted)))
      return device;
  }

  return NULL;
}

/* Returns the device that a word other than "auto" selects. A device that
 * cannot be used is found by its number or UUID, and by its name if no other
 * device matches, so that the error gives the reason. */
static GstClDevice *
find_device (GPtrArray *devices, const gchar *wanted)
{
  GstClDevice *device;

  for (guint i = 0; i < G_N_ELEMENTS (type_words); i++) {
    if (g_ascii_strcasecmp (wanted, type_words[i].word) == 0)
      return first_of_type (devices, type_words[i].type);
  }

  /* A number or UUID selects one device. Names are searched afterwards, so that
   * "0.1" cannot match a name that happens to contain it. */
  for (guint i = 0; i < devices->len; i++) {
    if (is_named (g_ptr_array_index (devices, i), wanted))
      return g_ptr_array_index (devices, i);
  }
  device = first_with_name (devices, wanted, TRUE);

  return device ? device : first_with_name (devices, wanted, FALSE);
}

/* --- auto ---------------------------------------------------------------- */

/* Adds the usable devices that are GPUs, or all others. */
static void
add_usable (GPtrArray *chosen, GPtrArray *devices, gboolean gpus,
    gboolean even_unable)
{
  for (guint i = 0; i < devices->len; i++) {
    GstClDevice *device = g_ptr_array_index (devices, i);

    if (!device->unusable &&
        ((device->type & CL_DEVICE_TYPE_GPU) != 0) == gpus &&
        (even_unable ||
            gst_cl_device_verdict_get (device) != GST_CL_DEVICE_VERDICT_UNABLE))
      g_ptr_array_add (chosen, gst_cl_device_ref (device));
  }
}

/* If only unable devices are left, they are returned: their error gives the
 * reason. */
static void
add_for_auto (GPtrArray *chosen, GPtrArray *devices)
{
  for (gint even_unable = FALSE; even_unable <= TRUE; even_unable++) {
    add_usable (chosen, devices, TRUE, even_unable);
    add_usable (chosen, devices, FALSE, even_unable);
    if (chosen->len > 0)
      break;
  }
}

/* --- errors -------------------------------------------------------------- */

static void
append_device (GString *text, const GstClDevice *device)
{
  if (device->id || device->name[0])
    g_string_append_printf (text, "%u.%u \"%s\" (%s)", device->platform_index,
        device->device_index, device->name, device->platform_name);
  else
    g_string_append_printf (text, "platform %u (%s)", device->platform_index,
        device->platform_name);
}

/* Appends the devices that can be used, or those that cannot with the reasons,
 * after @heading. Appends nothing and returns FALSE if there are none. */
static gboolean
append_list (GString *text, const gchar *heading, GPtrArray *devices,
    gboolean is_usable)
{
  gboolean has_any = FALSE;

  for (guint i = 0; i < devices->len; i++) {
    const GstClDevice *device = g_ptr_array_index (devices, i);

    if ((device->unusable == NULL) != is_usable)
      continue;
    g_string_append (text, has_any ? ", " : heading);
    append_device (text, device);
    if (device->unusable)
      g_string_append_printf (text, ": %s", device->unusable);
    has_any = TRUE;
  }
  if (has_any && text->str[text->len - 1] != '.')
    g_string_append_c (text, '.');

  return has_any;
}

static gchar *
describe_list (GPtrArray *devices)
{
  GString *text = g_string_new (NULL);

  if (!append_list (text, "Available: ", devices, TRUE))
    g_string_append (text,
        "There is no OpenCL device at all that can be used; install the driver "
        "of your GPU, or PoCL (Debian: pocl-opencl-icd) to use the CPU, and "
        "check with `clinfo -l`.");
  append_list (text, " Not usable: ", devices, FALSE);

  return g_string_free (text, FALSE);
}

/* --- choosing ------------------------------------------------------------ */

GPtrArray *
gst_cl_device_choose_all (GPtrArray *devices, const gchar *wanted,
    GError **error)
{
  const gchar *environment = g_getenv ("GST_OPENCL_DEVICE");
  g_autoptr (GPtrArray) chosen = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_cl_device_unref);
  GstClDevice *device = NULL;

  gst_cl_device_debug ();

  if (!wanted || g_ascii_strcasecmp (wanted, "auto") == 0)
    wanted = environment && environment[0] ? environment : "auto";
  if (g_ascii_strcasecmp (wanted, "auto") == 0)
    add_for_auto (chosen, devices);
  else
    device = find_device (devices, wanted);
  if (device && !device->unusable)
    g_ptr_array_add (chosen, gst_cl_device_ref (device));

  if (chosen->len == 0) {
    g_autofree gchar *list = describe_list (devices);

    g_set_error (error, GST_CL_ERROR, CL_DEVICE_NOT_FOUND,
        "Looked for device \"%s\"%s%s. %s", wanted,
        device ? ", which cannot be used: " : "",
        device ? device->unusable : "", list);
    return NULL;
  }

  device = g_ptr_array_index (chosen, 0);
  GST_INFO ("device \"%s\" is %u.%u \"%s\" (%s, driver %s)", wanted,
      device->platform_index, device->device_index, device->name,
      device->platform_name, device->driver_version);

  return g_steal_pointer (&chosen);
}

GstClDevice *
gst_cl_device_choose_from (GPtrArray *devices, const gchar *wanted,
    GError **error)
{
  g_autoptr (GPtrArray)
      chosen = gst_cl_device_choose_all (devices, wanted, error);

  return chosen ? gst_cl_device_ref (g_ptr_array_index (chosen, 0)) : NULL;
}

GstClDevice *
gst_cl_device_choose (const gchar *wanted, GError **error)
{
  g_autoptr (GPtrArray) devices = gst_cl_device_list ();

  return gst_cl_device_choose_from (devices, wanted, error);
}
