/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* What every suite of element tests needs: a main() that knows whether there is
 * a device, harnesses with a bus, and the errors on that bus. */

/* gst-check's main() over the suite that @make_suite makes. Without an OpenCL
 * device it runs nothing and returns 77, which meson takes for "skipped"; with
 * CL_REQUIRE_DEVICE=1 it returns 1. With CL_TEST_OPTIMIZED=1 PoCL optimizes its
 * kernels, which takes longer: PoCL 7.1 gets some wrong that it does not. */
int element_suite_main (int argc, char **argv, Suite *(*make_suite) (void),
    const gchar *name, const gchar *file);

#define ELEMENT_CHECK_MAIN(name)                                               \
  int main (int argc, char **argv)                                             \
  {                                                                            \
    return element_suite_main (argc, argv, name##_suite, #name, __FILE__);     \
  }

/* --- harnesses ----------------------------------------------------------- */

/* All harnesses that a process makes from now on have one GstClContext: what
 * one of them compiles the others find. Suites call it as they are made that
 * look at results, not at how a context comes and goes. */
void harness_share_context (void);

/* A playing harness around what @description says: one element with its
 * properties, or several linked by "!". It has a bus of its own, for
 * harness_bus(). transfer full, harness_free(). */
GstHarness *harness_new (const gchar *description);

/* A harness whose downstream announces that it understands GstVideoMeta. */
GstHarness *harness_new_with_video_meta (const gchar *description);

/* Takes it down. The messages left on its bus go with it: they hold on to the
 * elements, which hold on to the bus. */
void harness_free (GstHarness *h);

/* The bus of what the harness holds; transfer full. */
GstBus *harness_bus (GstHarness *h);

/* The element made by factory @factory in the harness; transfer full. */
GstElement *harness_element (GstHarness *h, const gchar *factory);

/* From the next buffer on, raw frames of this kind at 25 a second. */
void harness_set_format (GstHarness *h, GstVideoFormat format, gint width,
    gint height, GstVideoInfo *info);

/* Pushes @buffer (transfer full), which must succeed; transfer full. */
GstBuffer *harness_run (GstHarness *h, GstBuffer *buffer);

/* Pushes @buffer, which must fail with @flow. */
void harness_run_into (GstHarness *h, GstBuffer *buffer, GstFlowReturn flow);

/* Everything that is on its way arrives: results on the bus, frames that were
 * held back downstream. */
void harness_settle (GstHarness *h);

/* The caps of what comes out now; transfer full. */
GstCaps *harness_out_caps (GstHarness *h);

/* The output caps of the harness as raw video. */
void harness_out_info (GstHarness *h, GstVideoInfo *info);

/* --- bus ----------------------------------------------------------------- */

/* There is exactly one error on @bus, of @domain and @code, and its text
 * contains each of @parts (NULL-terminated). Takes every message off the bus.
 * Errors that a source adds ("Internal data stream error") are not counted. */
void expect_one_error (GstBus *bus, GQuark domain, gint code,
    const gchar *const *parts);

/* There is no error and no warning on @bus; takes nothing but those. */
void expect_no_error (GstBus *bus);

/* The next element message named @name, or NULL; transfer full. */
GstMessage *pop_element_message (GstBus *bus, const gchar *name);

/* Runs @description to its end, which must come without an error. */
void run_pipeline (const gchar *description);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstHarness, harness_free)

G_END_DECLS
