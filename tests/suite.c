/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* main() of all suites of gst-check. With NEEDS_DEVICE, without an OpenCL
 * device it runs nothing and returns 77, meson's code for "skipped"; with
 * CL_REQUIRE_DEVICE=1 it returns 1. */

#include "suite.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_SKIPPED 77

/* Detects a hang, also of a test that compiles many programs. */
#define TIMEOUT_S 300

static SuiteTest *tests;
static SuiteSettings settings;
static const gchar *volatile current = "no test";

/* A compiler may call the constructors of a file in any order. */
void
suite_register_test (SuiteTest *test)
{
  SuiteTest **place = &tests;

  while (*place && (*place)->line < test->line)
    place = &(*place)->next;
  test->next = *place;
  *place = test;
}

void
suite_set (const SuiteSettings *of_suite)
{
  settings = *of_suite;
}

void
suite_begin (const gchar *name)
{
  current = name;
}

/* Async-signal-safe. */
static void
on_term (int number)
{
  static const gchar words[] = "\nended in the test ";
  const gchar *name = current;

  if (write (STDERR_FILENO, words, sizeof words - 1) < 0 ||
      write (STDERR_FILENO, name, strlen (name)) < 0)
    _exit (1);
  signal (number, SIG_DFL);
  raise (number);
}

#ifdef NEEDS_DEVICE
/* Returns EXIT_SKIPPED if an element finds no device. Other failures are left
 * to the tests. */
static int
probe (void)
{
  g_autoptr (GstElement) element = NULL;
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  element = gst_element_factory_make ("clframesum", NULL);
  if (!element)
    return 0;

  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_element_set_state (element, GST_STATE_NULL);
  if (!message)
    return 0;

  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);

  return g_error_matches (error, GST_RESOURCE_ERROR,
             GST_RESOURCE_ERROR_NOT_FOUND)
             ? EXIT_SKIPPED
             : 0;
}

/* In a child process: after a process has asked PoCL for devices, its children
 * cannot use them, and gst-check forks for every test. */
static gboolean
has_device (void)
{
  pid_t child = fork ();
  int status;

  if (child == 0) {
    gst_init (NULL, NULL);
    _exit (probe ());
  }

  return child < 0 || waitpid (child, &status, 0) != child ||
         !WIFEXITED (status) || WEXITSTATUS (status) != EXIT_SKIPPED;
}

#endif

int
main (int argc, char **argv)
{
  g_autofree gchar *name = g_path_get_basename (argv[0]);
  Suite *suite;
  TCase *tcase;

#ifdef NEEDS_DEVICE
  /* PoCL compiles kernels without optimizations, which takes less time; PoCL
   * 7.1 compiles some kernels wrong then. */
  if (g_strcmp0 (g_getenv ("CL_TEST_OPTIMIZED"), "1") == 0)
    g_unsetenv ("POCL_EXTRA_BUILD_FLAGS");
  if (!has_device ())
    return g_strcmp0 (g_getenv ("CL_REQUIRE_DEVICE"), "1") == 0 ? 1
                                                                : EXIT_SKIPPED;
#endif

  gst_check_init (&argc, &argv);
  signal (SIGTERM, on_term);
  suite = suite_create (name);
  tcase = tcase_create (name);
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, TIMEOUT_S);
  tcase_add_unchecked_fixture (tcase, settings.start, settings.end);
  tcase_add_checked_fixture (tcase, settings.setup, settings.teardown);
  if (!settings.can_run || settings.can_run ()) {
    for (SuiteTest *test = tests; test; test = test->next)
      test->add (tcase);
  }

  return gst_check_run_suite (suite, name, name);
}
