/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates kernels from kernel files in GResources, or from cached binaries. */

#include "gstclprogram.h"

#include <stdio.h>
#include <string.h>

#include "cl/cache/gstclcache.h"
#include "cl/device/gstclpocl.h"
#include "common/gstcldebug.h"

/* --- sources -------------------------------------------------------------- */

#define RESOURCE_ROOT "/org/freedesktop/gstreamer/opencl/kernels/"
#define COMMON_FOLDER "common/"

typedef struct {
  GString *text;
  GHashTable *taken; /* names of the files already in the text */
} Source;

static GStrv
load_lines (const gchar *name, GError **error)
{
  g_autofree gchar *path = g_strconcat (RESOURCE_ROOT, name, NULL);
  g_autofree gchar *text = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path,
      G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (!bytes)
    return NULL;

  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  return g_strsplit (text, "\n", -1);
}

static gboolean
file_exists (const gchar *name)
{
  g_autofree gchar *path = g_strconcat (RESOURCE_ROOT, name, NULL);

  return g_resources_get_info (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL,
      NULL);
}

/* Returns the header that @line of the file @name includes: in that file's
 * folder, or in the common one; NULL if the line includes none. */
static gchar *
included_header (const gchar *line, const gchar *name)
{
  gchar header[100];
  g_autofree gchar *folder = NULL, *local = NULL;

  if (sscanf (line, " # include \"%99[^\"]", header) != 1)
    return NULL;

  folder = g_path_get_dirname (name);
  local = g_build_path ("/", folder, header, NULL);
  if (file_exists (local))
    return g_steal_pointer (&local);

  return g_strconcat (COMMON_FOLDER, header, NULL);
}

/* Appends nothing if @name is in the text already. */
static gboolean
append_file (Source *self, const gchar *name, GError **error)
{
  g_auto (GStrv) lines = NULL;

  if (!g_hash_table_add (self->taken, g_strdup (name)))
    return TRUE;
  lines = load_lines (name, error);
  if (!lines)
    return FALSE;

  g_string_append_printf (self->text, "#line 1 \"%s\"\n", name);
  for (guint i = 0; lines[i]; i++) {
    g_autofree gchar *header = included_header (lines[i], name);

    if (!header) {
      g_string_append_printf (self->text, "%s\n", lines[i]);
      continue;
    }
    if (!append_file (self, header, error)) {
      g_prefix_error (error, "%s:%u: ", name, i + 1);
      return FALSE;
    }
    g_string_append_printf (self->text, "#line %u \"%s\"\n", i + 2, name);
  }

  return TRUE;
}

gchar *
gst_cl_source_load (const gchar *name, GError **error)
{
  g_autoptr (GHashTable)
      taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Source source = { g_string_new (NULL), taken };
  const gboolean is_complete = append_file (&source, name, error);

  return g_string_free (source.text, !is_complete);
}

/* --- digest -------------------------------------------------------------- */

static void
add_folder (GChecksum *sum, const gchar *path)
{
  g_auto (GStrv) names = g_resources_enumerate_children (path,
      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  for (guint i = 0; names && names[i]; i++) {
    g_autofree gchar *child = g_strconcat (path, names[i], NULL);
    g_autoptr (GBytes) bytes = NULL;

    if (g_str_has_suffix (names[i], "/")) {
      add_folder (sum, child);
      continue;
    }
    bytes = g_resources_lookup_data (child, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_checksum_update (sum, (const guchar *) child, strlen (child) + 1);
    g_checksum_update (sum, g_bytes_get_data (bytes, NULL),
        g_bytes_get_size (bytes));
  }
}

gchar *
gst_cl_source_digest (void)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);

  add_folder (sum, RESOURCE_ROOT);

  return g_strdup (g_checksum_get_string (sum));
}

/* --- binaries ------------------------------------------------------------- */

/* Returns the index of @device among the @n_devices of @program; @n_devices if
 * it is not one of them. */
static cl_uint
find_device (cl_program program, cl_device_id device, cl_uint n_devices)
{
  g_autofree cl_device_id *devices = g_new0 (cl_device_id, n_devices);
  cl_uint i = 0;

  if (clGetProgramInfo (program, CL_PROGRAM_DEVICES,
          n_devices * sizeof *devices, devices, NULL) != CL_SUCCESS)
    return n_devices;
  while (i < n_devices && devices[i] != device)
    i++;

  return i;
}

/* Gets the binaries for all of the @n_devices of @program, of @sizes bytes. All
 * are required: PoCL 3.1 does not skip devices with a NULL pointer. */
static cl_int
read_binaries (cl_program program, cl_uint n_devices, const gsize *sizes,
    GBytes **binaries)
{
  g_autofree guchar **data = g_new0 (guchar *, n_devices);
  cl_int code;

  for (cl_uint i = 0; i < n_devices; i++)
    data[i] = g_malloc0 (MAX (sizes[i], 1));
  code = clGetProgramInfo (program, CL_PROGRAM_BINARIES,
      n_devices * sizeof *data, data, NULL);
  for (cl_uint i = 0; i < n_devices; i++)
    binaries[i] = g_bytes_new_take (data[i], sizes[i]);

  return code;
}

GBytes *
gst_cl_binary_get (cl_program program, cl_device_id device, GError **error)
{
  g_autoptr (GPtrArray) binaries = g_ptr_array_new_with_free_func (
      (GDestroyNotify) g_bytes_unref);
  g_autofree gsize *sizes = NULL;
  cl_uint n_devices = 0, index = 0;
  cl_int code;

  code = clGetProgramInfo (program, CL_PROGRAM_NUM_DEVICES, sizeof n_devices,
      &n_devices, NULL);
  if (code == CL_SUCCESS) {
    index = find_device (program, device, n_devices);
    if (index == n_devices)
      code = CL_INVALID_DEVICE;
  }
  if (code == CL_SUCCESS) {
    sizes = g_new0 (gsize, n_devices);
    code = clGetProgramInfo (program, CL_PROGRAM_BINARY_SIZES,
        n_devices * sizeof *sizes, sizes, NULL);
  }
  if (code == CL_SUCCESS && sizes[index] == 0)
    code = CL_INVALID_PROGRAM_EXECUTABLE; /* the driver does not return a binary
                                             */
  if (code == CL_SUCCESS) {
    g_ptr_array_set_size (binaries, (gint) n_devices);
    code = read_binaries (program, n_devices, sizes,
        (GBytes **) binaries->pdata);
  }

  if (!gst_cl_check (code, "get the program's binary", error))
    return NULL;

  return g_bytes_ref (g_ptr_array_index (binaries, index));
}

/* Creates a program from @binary, with @options for the context's device.
 * @binary must be the result of gst_cl_binary_get() for the same device, driver
 * and options: drivers crash on damaged ones. The caller owns one reference. */
static cl_program
load_binary (GstClContext *context, GBytes *binary, const gchar *options,
    GError **error)
{
  cl_device_id device = context->device->id;
  gsize n_bytes;
  const guchar *data = g_bytes_get_data (binary, &n_bytes);
  cl_int status = CL_SUCCESS, code;
  cl_program program;

  /* a rejected binary is built from its source */
  gst_cl_context_set_trying (TRUE);
  program = clCreateProgramWithBinary (context->handle, 1, &device, &n_bytes,
      &data, &status, &code);
  if (code == CL_SUCCESS)
    code = status;
  if (code == CL_SUCCESS)
    code = clBuildProgram (program, 1, &device, options, NULL, NULL);
  gst_cl_context_set_trying (FALSE);

  if (gst_cl_check (code, "load the program's binary", error))
    return program;

  g_clear_pointer (&program, clReleaseProgram);

  return NULL;
}

GST_CL_DEBUG_CATEGORY (gst_cl_program_debug, "clprogram", "OpenCL programs");
#define GST_CAT_DEFAULT gst_cl_program_debug ()

/* --- build modes ---------------------------------------------------------- */

static GPrivate build_scope; /* GstClBuildScope of the thread, borrowed */

void
gst_cl_build_scope_enter (GstClBuildScope *self, GstClBuildMode mode)
{
  self->mode = mode;
  self->outer = g_private_get (&build_scope);
  g_private_set (&build_scope, self);
}

void
gst_cl_build_scope_leave (void)
{
  GstClBuildScope *self = g_private_get (&build_scope);

  g_clear_pointer (&self->compiler, clReleaseContext);
  g_private_set (&build_scope, self->outer);
}

GstClBuildMode
gst_cl_build_mode (void)
{
  const GstClBuildScope *self = g_private_get (&build_scope);

  return self ? self->mode : GST_CL_BUILD_NOW;
}

gboolean
gst_cl_build_is_change (void)
{
  const GstClBuildScope *self = g_private_get (&build_scope);

  return self && self->is_change;
}

gboolean
gst_cl_build_is_complete (void)
{
  const GstClBuildScope *self = g_private_get (&build_scope);

  return self && self->is_complete;
}

gboolean
gst_cl_build_is_quick (void)
{
  const GstClBuildMode mode = gst_cl_build_mode ();

  return mode == GST_CL_BUILD_QUICKLY || mode == GST_CL_BUILD_UNOPTIMIZED;
}

gboolean
gst_cl_build_is_patient (void)
{
  GstClBuildScope *self = g_private_get (&build_scope);

  return self && self->mode == GST_CL_BUILD_BESIDE &&
         !g_atomic_int_get (&self->hurries);
}

void
gst_cl_build_refuse (void)
{
  GstClBuildScope *self = g_private_get (&build_scope);

  g_return_if_fail (self);

  self->was_refused = TRUE;
}

/* --- building ------------------------------------------------------------ */

/* Returns the first line of @log that names an error, else its first line. */
static gchar *
first_error_line (const gchar *log)
{
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);
  const gchar *first = NULL;

  for (guint i = 0; lines[i]; i++) {
    g_strstrip (lines[i]);
    if (strstr (lines[i], "error") || strstr (lines[i], "fatal"))
      return g_strdup (lines[i]);
    if (!first && lines[i][0])
      first = lines[i];
  }

  return g_strdup (first ? first : "the driver gives no reason");
}

/* Appends "NAME:LINE" for line @number of @source, as the last #line before it
 * says. */
static void
append_place (GString *text, const gchar *source, guint number)
{
  g_autofree gchar *name = g_strdup ("source");
  guint line = 1;

  for (guint i = 1; i < number && source; i++) {
    guint next;
    gchar file[100];

    line++;
    if (sscanf (source, "#line %u \"%99[^\"\n]", &next, file) == 2) {
      line = next;
      g_free (name);
      name = g_strdup (file);
    }
    source = strchr (source, '\n');
    source = source ? source + 1 : NULL;
  }
  g_string_append_printf (text, "%s:%u", name, line);
}

#define OWN_NAME "<kernel>:" /* NVIDIA: of the whole text, without #line */

/* Returns @log (transfer full) with the files and lines of #line. */
static gchar *
name_places (gchar *log, const gchar *source)
{
  GString *text;
  gchar *at = log, *found;

  if (!strstr (log, OWN_NAME))
    return log;

  text = g_string_new (NULL);
  while ((found = strstr (at, OWN_NAME))) {
    const guint64 number = g_ascii_strtoull (found + strlen (OWN_NAME), &found,
        10);

    g_string_append_len (text, at, strstr (at, OWN_NAME) - at);
    append_place (text, source, (guint) number);
    at = found;
  }
  g_string_append (text, at);
  g_free (log);

  return g_string_free (text, FALSE);
}

/* Returns the build log of the driver's compiler; may be empty. */
static gchar *
get_build_log (GstClContext *context, cl_program program)
{
  cl_device_id device = context->device->id;
  gchar *log;
  gsize bytes = 0;

  clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, 0, NULL,
      &bytes);
  log = g_malloc0 (bytes + 1);
  clGetProgramBuildInfo (program, device, CL_PROGRAM_BUILD_LOG, bytes, log,
      NULL);

  return g_strstrip (log);
}

/* Appends the consequence that gst_cl_context_latch_failure() has for an
 * element that fails with @error. */
static void
name_alternative (GstClContext *context, GError **error)
{
  g_autofree gchar *message = NULL;

  if (!context->alternative || !error ||
      !gst_cl_error_is_compiler_failure (*error))
    return;

  message = (*error)->message;
  (*error)->message = g_strdup_printf (
      "%s. After a restart, device=auto chooses %s.", message,
      context->alternative->name);
}

/* PoCL before 6.0 may fail if another process builds the same program at the
 * same time (docs/devices.md): a second attempt finds what that process has
 * stored. */
static cl_int
compile (GstClContext *context, cl_program program, const gchar *options)
{
  const cl_device_id id = context->device->id;
  const cl_int code = clBuildProgram (program, 1, &id, options, NULL, NULL);

  return code == CL_BUILD_PROGRAM_FAILURE &&
                 gst_cl_pocl_is (context->device->platform_name)
             ? clBuildProgram (program, 1, &id, options, NULL, NULL)
             : code;
}

/* Compiles @source in @handle: that of @context, or another one for its device.
 * If it @is_own, of the plugin, an error is the device's. */
static cl_program
build_source (GstClContext *context, cl_context handle, const gchar *source,
    const gchar *resource, const gchar *options, gboolean is_own,
    GError **error)
{
  const gint64 start = g_get_monotonic_time ();
  g_autofree gchar *log = NULL;
  cl_program program;
  cl_int code;

  program = clCreateProgramWithSource (handle, 1, &source, NULL, &code);
  if (!gst_cl_check (code, resource, error))
    return NULL;

  code = compile (context, program, options);
  log = name_places (get_build_log (context, program), source);
  if (code != CL_SUCCESS) {
    g_autofree gchar *line = first_error_line (log);

    GST_ERROR_OBJECT (context, "building %s with \"%s\" for %s: %s\n%s",
        resource, options, context->device->name, gst_cl_error_name (code),
        log);
    g_set_error (error, GST_CL_ERROR, code, "Building %s for %s: %s", resource,
        context->device->name, line);
    gst_cl_pocl_explain (context->device->platform_name, error);
    if (is_own)
      name_alternative (context, error);
    clReleaseProgram (program);
    return NULL;
  }
  if (log[0])
    GST_DEBUG_OBJECT (context, "building %s with \"%s\": %s", resource, options,
        log);
  GST_DEBUG_OBJECT (context, "built %s with \"%s\" in %" G_GINT64_FORMAT " us",
      resource, options, g_get_monotonic_time () - start);

  return program;
}

/* Returns the context in which the current thread compiles: that of @context,
 * unless threads with frames would have to wait. */
static cl_context
find_compiler (GstClContext *context)
{
  GstClBuildScope *scope = g_private_get (&build_scope);
  g_autoptr (GError) reason = NULL;

  if (!gst_cl_build_is_patient () ||
      !gst_cl_device_blocks_while_compiling (context->device))
    return context->handle;
  if (!scope->compiler)
    scope->compiler = gst_cl_context_create_compiler (context, &reason);
  if (reason)
    GST_INFO_OBJECT (context, "compiling blocks frames: %s", reason->message);

  return scope->compiler ? scope->compiler : context->handle;
}

/* Returns NULL with @error. A program that was compiled in another context is
 * loaded as a binary, else compiled again. */
static cl_program
build (GstClContext *context, const gchar *source, const gchar *resource,
    const gchar *options, gboolean is_own, GError **error)
{
  const cl_context compiler = find_compiler (context);
  cl_program program = build_source (context, compiler, source, resource,
      options, is_own, error);
  g_autoptr (GBytes) binary = NULL;
  g_autoptr (GError) reason = NULL;

  if (!program || compiler == context->handle)
    return program;

  binary = gst_cl_binary_get (program, context->device->id, &reason);
  clReleaseProgram (program);
  program = binary ? load_binary (context, binary, options, &reason) : NULL;
  if (program)
    return program;

  GST_INFO_OBJECT (context, "%s is compiled again: %s", resource,
      reason->message);

  return build_source (context, context->handle, source, resource, options,
      is_own, error);
}

/* Returns NULL if the cache has no binary that the driver accepts. */
static cl_program
load_cached (GstClContext *context, const gchar *key, const gchar *resource,
    const gchar *options)
{
  const gint64 start = g_get_monotonic_time ();
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autoptr (GBytes) binary = NULL;
  g_autoptr (GError) reason = NULL;
  cl_program program = NULL;

  if (!folder)
    return NULL;

  binary = gst_cl_cache_load (folder, key, &reason);
  if (binary)
    program = load_binary (context, binary, options, &reason);
  if (program)
    GST_DEBUG_OBJECT (context,
        "loaded %s with \"%s\" in %" G_GINT64_FORMAT " us", resource, options,
        g_get_monotonic_time () - start);
  else
    GST_DEBUG_OBJECT (context, "%s with \"%s\" is not cached: %s", resource,
        options, reason->message);

  return program;
}

/* --- programs ------------------------------------------------------------ */

struct _GstClProgram {
  gchar *text, *name; /* of a text; NULL: of a kernel file */

  /* protects the members below; held while the program is built, replaced and
   * saved */
  GMutex lock;
  cl_program handle; /* NULL: not built yet, or failed */
  gchar *cache_key;
  gboolean is_from_cache;
  gboolean is_saved; /* or saving has failed: there is one attempt */
};

GstClProgram *
gst_cl_program_new (const gchar *text, const gchar *name)
{
  GstClProgram *self = g_new0 (GstClProgram, 1);

  self->text = g_strdup (text);
  self->name = g_strdup (name);
  g_mutex_init (&self->lock);

  return self;
}

void
gst_cl_program_free (GstClProgram *self)
{
  if (!self)
    return;

  g_clear_pointer (&self->handle, clReleaseProgram);
  g_free (self->text);
  g_free (self->name);
  g_free (self->cache_key);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Returns the entry in the table, which may not be built yet. Borrowed. */
static GstClProgram *
find_program (GstClContext *context, const gchar *resource,
    const gchar *options)
{
  g_autofree gchar *key = g_strdup_printf ("%s %s", resource, options);
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&context->program_lock);
  GstClProgram *self;

  if (!context->programs)
    context->programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
        (GDestroyNotify) gst_cl_program_free);
  self = g_hash_table_lookup (context->programs, key);
  if (!self) {
    self = gst_cl_program_new (NULL, NULL);
    g_hash_table_insert (context->programs, g_steal_pointer (&key), self);
  }

  return self;
}

static gboolean
is_cancelled (void)
{
  return g_cancellable_is_cancelled (g_cancellable_get_current ());
}

/* Returns FALSE with @error. */
static gboolean
refuse_to_compile (const gchar *resource, GError **error)
{
  gst_cl_build_refuse ();
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK,
      "%s is not compiled yet.", resource);

  return FALSE;
}

/* Loads the program; if the cache has no binary, or without @may_load, builds
 * it. Replaces the program that exists. */
static gboolean
make_program (GstClProgram *self, GstClContext *context, const gchar *resource,
    const gchar *options, gboolean may_load, GError **error)
{
  g_autofree gchar *source = NULL;
  g_autofree gchar *cache_key = NULL;
  cl_program handle = NULL;
  gboolean is_from_cache;

  if (g_cancellable_set_error_if_cancelled (g_cancellable_get_current (),
          error))
    return FALSE;
  source = self->text ? g_strdup (self->text)
                      : gst_cl_source_load (resource, error);
  if (!source ||
      !gst_cl_pocl_check_room (context->device->platform_name, error))
    return FALSE;

  cache_key = gst_cl_cache_key (context->device, source, options);
  if (may_load)
    handle = load_cached (context, cache_key, resource, options);
  is_from_cache = handle != NULL;
  if (!handle && gst_cl_build_mode () == GST_CL_BUILD_NOTHING)
    return refuse_to_compile (resource, error);
  if (!handle)
    handle = build (context, source, resource, options, !self->text, error);
  if (!handle)
    return FALSE;

  g_atomic_int_add (&context->n_programs_from_cache,
      is_from_cache - self->is_from_cache);
  g_clear_pointer (&self->handle, clReleaseProgram);
  g_free (self->cache_key);
  self->handle = handle;
  self->cache_key = g_steal_pointer (&cache_key);
  self->is_from_cache = self->is_saved = is_from_cache;

  return TRUE;
}

static void
save_program (GstClProgram *self, GstClContext *context)
{
  const gint64 start = g_get_monotonic_time ();
  g_autofree gchar *folder = gst_cl_cache_folder ();
  g_autoptr (GBytes) binary = NULL;
  g_autoptr (GError) reason = NULL;

  self->is_saved = TRUE;
  if (!folder)
    return;

  binary = gst_cl_binary_get (self->handle, context->device->id, &reason);
  if (binary && gst_cl_cache_save (folder, self->cache_key, binary, &reason))
    GST_DEBUG_OBJECT (context,
        "saved %" G_GSIZE_FORMAT " bytes in %" G_GINT64_FORMAT " us",
        g_bytes_get_size (binary), g_get_monotonic_time () - start);
  else
    GST_INFO_OBJECT (context, "not cached: %s", reason->message);
}

/* Locks the program, which another thread may be building; in build mode
 * NOTHING, does not wait for it and returns FALSE with @error. */
static gboolean
lock_program (GstClProgram *self, const gchar *resource, GError **error)
{
  if (gst_cl_build_mode () != GST_CL_BUILD_NOTHING) {
    g_mutex_lock (&self->lock);
    return TRUE;
  }
  if (g_mutex_trylock (&self->lock))
    return TRUE;

  return refuse_to_compile (resource, error);
}

/* Creates the kernel @name of @program, whose lock is held. */
static cl_kernel
create_kernel (GstClProgram *program, GstClContext *context,
    const gchar *resource, const gchar *options, const gchar *name,
    GError **error)
{
  const gboolean is_quick = gst_cl_build_is_quick ();
  const gboolean may_save = !is_quick &&
                            gst_cl_build_mode () != GST_CL_BUILD_NOTHING;
  cl_kernel kernel;
  cl_int code;

  if (!program->handle &&
      !make_program (program, context, resource, options, !is_quick, error))
    return NULL;

  kernel = clCreateKernel (program->handle, name, &code);
  if (!kernel && program->is_from_cache) {
    GST_INFO_OBJECT (context, "no kernel %s in the cached binary: %s", name,
        gst_cl_error_name (code));
    if (!make_program (program, context, resource, options, FALSE, error))
      return NULL;
    kernel = clCreateKernel (program->handle, name, &code);
  }
  if (!gst_cl_check (code, name, error))
    return NULL;

  if (!program->is_saved && may_save && !is_cancelled ())
    save_program (program, context);

  return kernel;
}

cl_kernel
gst_cl_program_create_kernel (GstClContext *context, const gchar *resource,
    const gchar *options, const gchar *name, GError **error)
{
  g_autofree gchar *quick = NULL;
  GstClProgram *program;
  cl_kernel kernel;

  gst_cl_program_debug ();

  if (gst_cl_build_mode () == GST_CL_BUILD_UNOPTIMIZED)
    options = quick = g_strconcat (options, " -cl-opt-disable", NULL);
  program = find_program (context, resource, options);
  if (!lock_program (program, resource, error))
    return NULL;
  kernel = create_kernel (program, context, resource, options, name, error);
  g_mutex_unlock (&program->lock);

  return kernel;
}

/* Makes *error, if it is of the compiler, one of the text: the device is not to
 * blame. */
static void
blame_text (const GstClProgram *self, const gchar *kernel, GError **error)
{
  g_autofree gchar *message = NULL;

  if (!error)
    return;
  if (g_error_matches (*error, GST_CL_ERROR, CL_INVALID_KERNEL_NAME))
    message = g_strdup_printf (
        "%s: the compiled program has no kernel \"%s\": if OpenCL C has a "
        "function of this name, use another one.",
        self->name, kernel);
  else if (g_error_matches (*error, GST_CL_ERROR, CL_BUILD_PROGRAM_FAILURE))
    message = g_strdup ((*error)->message);
  else
    return;

  g_clear_error (error);
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      message);
}

cl_kernel
gst_cl_program_create (GstClProgram *self, GstClContext *context,
    const gchar *options, const gchar *name, GError **error)
{
  G_GNUC_UNUSED g_autoptr (GMutexLocker)
      locker = g_mutex_locker_new (&self->lock);
  cl_kernel kernel;

  gst_cl_program_debug ();
  kernel = create_kernel (self, context, self->name, options, name, error);
  if (!kernel)
    blame_text (self, name, error);

  return kernel;
}
