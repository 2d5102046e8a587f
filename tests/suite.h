/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

/* Tests of gst-check, which register themselves before main(), in suite.c, runs
 * them in the order of their lines. The name of a suite is the program's. */

typedef struct _SuiteTest SuiteTest;

struct _SuiteTest {
  int line;
  void (*add) (TCase *tcase);
  SuiteTest *next;
};

/* All fields may be NULL. */
typedef struct {
  gboolean (*can_run) (void);               /* FALSE: no test runs */
  void (*start) (void), (*end) (void);      /* before and after all tests */
  void (*setup) (void), (*teardown) (void); /* before and after each test */
} SuiteSettings;

void suite_register_test (SuiteTest *test);
void suite_set (const SuiteSettings *settings);

/* A test begins. SIGTERM, by which meson ends a program that hangs, prints its
 * name. */
void suite_begin (const gchar *name);

#define SUITE_CONSTRUCTOR __attribute__ ((constructor)) static void

/* LOOP_TEST (name, n) { ... } defines a test that runs @n times, with __i__
 * from 0 to @n - 1. */
#define LOOP_TEST(name, n)                                                     \
  static void name##_body (int __i__);                                         \
  GST_START_TEST (name)                                                        \
  {                                                                            \
    suite_begin (#name);                                                       \
    name##_body (__i__);                                                       \
  }                                                                            \
  GST_END_TEST                                                                 \
  static void name##_add (TCase *tcase)                                        \
  {                                                                            \
    tcase_add_loop_test (tcase, name, 0, n);                                   \
  }                                                                            \
  SUITE_CONSTRUCTOR name##_register (void)                                     \
  {                                                                            \
    static SuiteTest test = { __LINE__, name##_add, NULL };                    \
    suite_register_test (&test);                                               \
  }                                                                            \
  static void name##_body (G_GNUC_UNUSED int __i__)

/* TEST (name) { ... } defines a test. */
#define TEST(name) LOOP_TEST (name, 1)

/* SUITE (.field = value, ...); has the settings of all tests of a program. */
#define SUITE(...)                                                             \
  SUITE_CONSTRUCTOR suite_set_settings (void)                                  \
  {                                                                            \
    static const SuiteSettings settings = { __VA_ARGS__ };                     \
    suite_set (&settings);                                                     \
  }                                                                            \
  G_STATIC_ASSERT (TRUE)

G_END_DECLS
