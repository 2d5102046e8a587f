/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs from binaries on disk: which are compiled and which are loaded, and
 * how invalid binaries are handled. */

#define _GNU_SOURCE /* RTLD_NEXT */

#include "folder.h"
#include "kernelfolder.h"
#include "cl/context/gstclprogram.h"
#include "cl/device/gstclpocl.h"
#include "cl/memory/gstclbuffer.h"
#include "cl/cache/gstclcache.h"
#include "cl/context/gstclkernel.h"
#include "elements/common.h"
#include "mocks/realfunction.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>

#define N_ITEMS 64

#define KERNEL(name, offset)                                                   \
  "__kernel __attribute__ ((reqd_work_group_size (1, 1, 1))) void\n" name      \
  " (__global int *dst)\n"                                                     \
  "{\n"                                                                        \
  "  const int i = (int) get_global_id (0);\n"                                 \
  "  dst[i] = SCALE * i + " offset ";\n"                                       \
  "}\n"

static gchar *cache; /* folder of the binaries, one for each test */
static GstClDevice *device;
static gint n_complaints; /* lines at WARNING or above; atomic */

/* --- folders ------------------------------------------------------------- */

/* The only file of the cache: its key, or NULL if there is none. */
static gchar *
only_key (void)
{
  g_autoptr (GDir) entries = g_dir_open (cache, 0, NULL);
  const gchar *name = g_dir_read_name (entries);
  gchar *key = NULL;

  if (name)
    key = g_strndup (name, strlen (name) - strlen (".clbin"));
  fail_unless (g_dir_read_name (entries) == NULL);

  return key;
}

static void
write_kernel (const gchar *text)
{
  test_kernel_write ("test.cl", text);
}

/* --- fixtures ------------------------------------------------------------ */

static void
count_complaints (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer user_data)
{
  if (level <= GST_LEVEL_WARNING &&
      g_str_has_prefix (gst_debug_category_get_name (category), "cl"))
    g_atomic_int_inc (&n_complaints);
}

static void
setup (void)
{
  cache = g_dir_make_tmp ("cache-XXXXXX", NULL);
  fail_unless (cache != NULL);
  g_setenv ("GST_OPENCL_CACHE_DIR", cache, TRUE);
  write_kernel (KERNEL ("test_fill", "7"));

  g_atomic_int_set (&n_complaints, 0);
  if (gst_debug_get_default_threshold () < GST_LEVEL_WARNING)
    gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_complaints, NULL, NULL);

  device = gst_cl_device_choose ("auto", NULL);
  fail_unless (device != NULL);
}

static void
teardown (void)
{
  fail_unless_equals_int (g_atomic_int_get (&n_complaints), 0);
  gst_debug_remove_log_function (count_complaints);
  g_clear_pointer (&device, gst_cl_device_unref);
  test_folder_remove (g_steal_pointer (&cache));
}

static GstClContext *
open_context (void)
{
  g_autoptr (GError) error = NULL;
  GstClContext *context = gst_cl_context_new (device, FALSE, &error);

  g_assert_no_error (error);

  return context;
}

/* Runs the kernel, and checks that it computes @scale * i + @offset. */
static void
run (GstClContext *context, gint scale, gint offset)
{
  g_autofree gchar *options = g_strdup_printf ("-DSCALE=%d", scale);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClKernel) kernel = gst_cl_kernel_new (context, "test.cl",
      options, "test_fill", &error);
  cl_mem mem = gst_cl_buffer_new (context, N_ITEMS * sizeof (cl_int), NULL);
  const GstClArg args[] = { GST_CL_MEM (mem) };
  cl_int values[N_ITEMS];

  g_assert_no_error (error);
  fail_unless (gst_cl_kernel_launch (kernel, N_ITEMS, 1, 1, args, 1, NULL));
  fail_unless (
      gst_cl_buffer_read (context, mem, 0, sizeof values, values, NULL));
  for (gint i = 0; i < N_ITEMS; i++)
    fail_unless_equals_int (values[i], scale * i + offset);
  gst_cl_buffer_free (mem);
}

/* Runs the kernel in a new context. @from_cache: whether the context must load
 * the program instead of compiling it. */
static void
run_in_new_context (gint offset, gboolean from_cache)
{
  g_autoptr (GstClContext) context = open_context ();

  run (context, 3, offset);
  fail_unless_equals_int (context->n_programs_from_cache, from_cache ? 1 : 0);
}

/* --- loading ------------------------------------------------------------- */

TEST (second_context_loads_stored_program)
{
  g_autofree gchar *key = NULL;
  g_autofree gchar *again = NULL;

  run_in_new_context (7, FALSE);
  key = only_key ();
  fail_unless (key != NULL);

  run_in_new_context (7, TRUE);
  run_in_new_context (7, TRUE);
  again = only_key ();
  fail_unless_equals_string (key, again);
}

TEST (each_context_loads_a_program_once)
{
  g_autoptr (GstClContext) context = NULL;

  run_in_new_context (7, FALSE);
  context = open_context ();
  run (context, 3, 7);
  run (context, 3, 7);
  fail_unless_equals_int (context->n_programs_from_cache, 1);
  run (context, 4, 7);
  fail_unless_equals_int (context->n_programs_from_cache, 1);
}

TEST (edited_kernels_are_compiled)
{
  run_in_new_context (7, FALSE);
  write_kernel (KERNEL ("test_fill", "8"));
  run_in_new_context (8, FALSE);
  run_in_new_context (8, TRUE);
  write_kernel (KERNEL ("test_fill", "7"));
  run_in_new_context (7, TRUE);
}

TEST (edited_headers_are_recompiled)
{
  test_kernel_write ("common/used.clh", "#define OFFSET 7\n");
  test_kernel_write ("common/unused.clh", "#define OFFSET 8\n");
  write_kernel ("#include \"used.clh\"\n" KERNEL ("test_fill", "OFFSET"));
  run_in_new_context (7, FALSE);
  test_kernel_write ("common/unused.clh", "#define OFFSET 9\n");
  run_in_new_context (7, TRUE);
  test_kernel_write ("common/used.clh", "#define OFFSET 8\n");
  run_in_new_context (8, FALSE);
  run_in_new_context (8, TRUE);
}

TEST (each_driver_has_its_programs)
{
  run_in_new_context (7, FALSE);
  g_free (device->driver_version);
  device->driver_version = g_strdup ("of tomorrow");
  run_in_new_context (7, FALSE);
  run_in_new_context (7, TRUE);
}

TEST (disabled_cache_stores_nothing)
{
  g_setenv ("GST_OPENCL_CACHE_DIR", "", TRUE);
  run_in_new_context (7, FALSE);
  run_in_new_context (7, FALSE);
  fail_unless (only_key () == NULL);
}

TEST (read_only_folder_is_no_error)
{
  g_setenv ("GST_OPENCL_CACHE_DIR", "/dev/null/x", TRUE);
  run_in_new_context (7, FALSE);
  run_in_new_context (7, FALSE);
  fail_unless (only_key () == NULL);
}

/* Programs are compiled each time; one line of the log gives the reason, for
 * any number of programs and contexts. */
TEST (folder_writable_by_others_is_not_used)
{
  run_in_new_context (7, FALSE);
  fail_unless_equals_int (g_chmod (cache, 0770), 0);
  run_in_new_context (7, FALSE);
  write_kernel (KERNEL ("test_fill", "8"));
  run_in_new_context (8, FALSE);
  run_in_new_context (8, FALSE);
  fail_unless_equals_int (g_atomic_int_get (&n_complaints), 1);
  g_atomic_int_set (&n_complaints, 0);

  fail_unless_equals_int (g_chmod (cache, 0700), 0);
  run_in_new_context (8, FALSE);
  write_kernel (KERNEL ("test_fill", "7"));
  run_in_new_context (7, TRUE);
}

static gpointer
run_in_thread (gpointer context)
{
  run (context, 3, 7);

  return NULL;
}

TEST (threads_share_one_program)
{
  g_autoptr (GstClContext) context = NULL;
  g_autofree gchar *key = NULL;
  GThread *threads[8];

  for (gint round = 0; round < 2; round++) {
    gst_clear_object (&context);
    context = open_context ();
    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
      threads[i] = g_thread_new ("run", run_in_thread, context);
    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
      g_thread_join (threads[i]);
    fail_unless_equals_int (context->n_programs_from_cache, round);
  }
  key = only_key ();
  fail_unless (key != NULL);
}

/* --- compiling in another context ----------------------------------------- */

static gint n_failing_builds; /* that many builds fail */

/* Replaces the ICD loader's function. */
cl_int
clBuildProgram (cl_program program, cl_uint n_devices,
    const cl_device_id *devices, const char *options,
    void (CL_CALLBACK *notify) (cl_program, void *), void *user_data)
{
  if (n_failing_builds > 0) {
    n_failing_builds--;
    return CL_BUILD_PROGRAM_FAILURE;
  }

  return REAL (
      clBuildProgram) (program, n_devices, devices, options, notify, user_data);
}

/* PoCL before 6.0, if another process builds the same program. */
TEST (a_build_that_fails_with_pocl_is_tried_again)
{
  g_autoptr (GstClContext) context = open_context ();

  if (!gst_cl_pocl_is (device->platform_name))
    return;

  n_failing_builds = 1;
  run (context, 3, 7);
  fail_unless_equals_int (n_failing_builds, 0);
}

static gboolean refuses_contexts;

/* Replaces the ICD loader's function. */
cl_context
clCreateContext (const cl_context_properties *properties, cl_uint n_devices,
    const cl_device_id *devices,
    void (CL_CALLBACK *notify) (const char *, const void *, size_t, void *),
    void *user_data, cl_int *code)
{
  if (refuses_contexts) {
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }

  return REAL (clCreateContext) (properties, n_devices, devices, notify,
      user_data, code);
}

/* Runs the kernel in a thread on which no frame waits, with a driver that
 * blocks other threads while it compiles. Returns whether another context has
 * compiled the kernel. */
static gboolean
run_beside (GstClContext *context, gboolean hurries)
{
  GstClBuildScope scope = { .hurries = hurries };
  gboolean is_apart;

  device->compute_capability = 1;
  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_BESIDE);
  run (context, 3, 7);
  is_apart = scope.compiler != NULL;
  gst_cl_build_scope_leave ();
  fail_unless (scope.compiler == NULL);

  return is_apart;
}

TEST (another_context_compiles_beside_frames)
{
  g_autoptr (GstClContext) context = open_context ();

  fail_unless (run_beside (context, FALSE));
  fail_unless_equals_int (context->n_programs_from_cache, 0);
  run_in_new_context (7, TRUE);
}

TEST (the_same_context_compiles_while_a_thread_waits)
{
  g_autoptr (GstClContext) context = open_context ();

  fail_if (run_beside (context, TRUE));
}

TEST (the_same_context_compiles_if_there_is_no_other)
{
  g_autoptr (GstClContext) context = open_context ();

  refuses_contexts = TRUE;
  fail_if (run_beside (context, FALSE));
  refuses_contexts = FALSE;
}

/* --- invalid binaries ----------------------------------------------------- */

static void
write_binary (const gchar *path, const gchar *content, gsize n_bytes)
{
  fail_unless (g_file_set_contents_full (path, content, n_bytes,
      G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL));
}

/* Checks that the changed file is not used, and is replaced by the next
 * binary. */
static void
expect_replaced (void)
{
  g_autofree gchar *key = NULL;

  run_in_new_context (7, FALSE);
  run_in_new_context (7, TRUE);
  key = only_key ();
  fail_unless (key != NULL);
}

TEST (damaged_files_are_replaced)
{
  g_autofree gchar *key = NULL;
  g_autofree gchar *name = NULL;
  g_autofree gchar *path = NULL;
  g_autofree gchar *content = NULL;
  gsize n_bytes;

  run_in_new_context (7, FALSE);
  key = only_key ();
  name = g_strconcat (key, ".clbin", NULL);
  path = g_build_filename (cache, name, NULL);
  fail_unless (g_file_get_contents (path, &content, &n_bytes, NULL));

  content[n_bytes / 2] ^= 1;
  write_binary (path, content, n_bytes);
  expect_replaced ();

  content[n_bytes / 2] ^= 1;
  write_binary (path, content, n_bytes / 2);
  expect_replaced ();

  write_binary (path, "", 0);
  expect_replaced ();
}

/* A binary that the driver rejects. Some drivers crash on less obvious garbage
 * (docs/devices.md); the digest of the file protects them. */
TEST (rejected_binaries_are_replaced)
{
  g_autofree gchar *key = NULL;
  g_autofree gchar *garbage = g_strnfill (5000, 'U');
  g_autoptr (GBytes) binary = g_bytes_new (garbage, 5000);

  run_in_new_context (7, FALSE);
  key = only_key ();
  fail_unless (gst_cl_cache_save (cache, key, binary, NULL));
  expect_replaced ();
}

/* The binary loads, but its program has no such kernel. */
TEST (binaries_without_the_kernel_are_replaced)
{
  g_autofree gchar *key = NULL;
  g_autoptr (GBytes) binary = NULL;
  g_autoptr (GstClContext) context = open_context ();
  const gchar *text = "#define SCALE 3\n" KERNEL ("another", "7");
  cl_program program = clCreateProgramWithSource (context->handle, 1, &text,
      NULL, NULL);

  fail_unless_equals_int (
      clBuildProgram (program, 1, &device->id, "", NULL, NULL), CL_SUCCESS);
  binary = gst_cl_binary_get (program, device->id, NULL);
  fail_unless (binary != NULL);
  clReleaseProgram (program);

  run_in_new_context (7, FALSE);
  key = only_key ();
  fail_unless (gst_cl_cache_save (cache, key, binary, NULL));
  expect_replaced ();
}

/* --- a full disk ---------------------------------------------------------- */

static guint64 n_free; /* bytes that the next queries find; 0: as it is */

/* In place of GIO's: the disk of PoCL's folder is full. */
GFileInfo *
g_file_query_filesystem_info (GFile *file, const char *attributes,
    GCancellable *cancellable, GError **error)
{
  GFileInfo *info;

  if (n_free == 0)
    return REAL (
        g_file_query_filesystem_info) (file, attributes, cancellable, error);

  info = g_file_info_new ();
  g_file_info_set_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_SIZE,
      G_MAXINT32);
  g_file_info_set_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE,
      n_free);

  return info;
}

/* PoCL ends the process if it cannot write a program: no program is built or
 * loaded then, and the error says where there is no room. */
TEST (full_disk_is_an_error)
{
  g_autoptr (GstClContext) context = open_context ();
  g_autoptr (GError) error = NULL;

  n_free = 3 * 1024 * 1024 / 2;
  if (gst_cl_pocl_is (device->platform_name)) {
    fail_unless (gst_cl_program_create_kernel (context, "test.cl", "-DSCALE=1",
                     "test_fill", &error) == NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT));
    fail_unless (strstr (error->message, "has 1.5 MB free") != NULL);
    fail_unless (strstr (error->message, g_getenv ("POCL_CACHE_DIR")) != NULL);
  }
  n_free = 0;
}

TEST (failed_programs_are_not_stored)
{
  g_autoptr (GstClContext) context = open_context ();

  write_kernel ("this is no kernel");
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    fail_unless (gst_cl_kernel_new (context, "test.cl", "-DSCALE=3",
                     "test_fill", &error) == NULL);
    fail_unless (
        g_error_matches (error, GST_CL_ERROR, CL_BUILD_PROGRAM_FAILURE));
  }
  fail_unless (only_key () == NULL);
  g_atomic_int_set (&n_complaints, 0); /* the compiler's, at ERROR */
}

/* The program compiles, and has no such kernel: an error of the caller. */
TEST (unknown_kernels_fail_with_and_without_cache)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstClContext) context = open_context ();
    g_autoptr (GError) error = NULL;

    fail_unless (gst_cl_kernel_new (context, "test.cl", "-DSCALE=3", "no_such",
                     &error) == NULL);
    fail_unless (g_error_matches (error, GST_CL_ERROR, CL_INVALID_KERNEL_NAME));
    run (context, 3, 7);
  }
}

SUITE (.start = test_kernel_folder_make, .end = test_kernel_folder_remove,
    .setup = setup, .teardown = teardown);
