/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Shared by all suites of element tests: harnesses with a bus, and the errors
 * on that bus. */

/* Returns TRUE if elements run in discrete mode. */
gboolean runs_as_discrete (void);

/* --- harnesses ----------------------------------------------------------- */

/* From now on all harnesses of a process share one GstClContext, so that each
 * kernel is compiled once. For suites that test results, not the lifetime of
 * contexts; they call it when they are created. */
void harness_share_context (void);

/* Creates a playing harness around @description: one element with its
 * properties, or several linked by "!". It has a bus of its own, for
 * harness_bus(). transfer full, harness_free(). */
GstHarness *harness_new (const gchar *description);

/* Creates a harness as harness_new() does; downstream supports GstVideoMeta. */
GstHarness *harness_new_with_video_meta (const gchar *description);

/* Creates a harness as harness_new() does, for an element with request pads: of
 * its pad @sink and its output. Upstream is not live. */
GstHarness *harness_new_of_pad (const gchar *description, const gchar *sink);

/* Creates a harness of one more input of the element of @h, pad @sink. It has
 * no output. transfer full, gst_harness_teardown() before @h is freed. */
GstHarness *harness_new_input (GstHarness *h, const gchar *sink);

/* Frees the harness and discards the messages on its bus: they hold references
 * to the elements, which hold references to the bus. */
void harness_free (GstHarness *h);

/* Returns the bus of the harness's elements; transfer full. */
GstBus *harness_bus (GstHarness *h);

/* Returns the element of factory @factory in the harness; transfer full. */
GstElement *harness_element (GstHarness *h, const gchar *factory);

/* Sets the caps of the next buffers: raw frames of this format and size, 25
 * frames a second. *info receives the format. */
void harness_set_format (GstHarness *h, GstVideoFormat format, gint width,
    gint height, GstVideoInfo *info);

/* Pushes @buffer (transfer full), which must succeed, and returns the output
 * buffer; transfer full. */
GstBuffer *harness_run (GstHarness *h, GstBuffer *buffer);

/* Pushes @buffer (transfer full), which must fail with @flow. */
void harness_run_into (GstHarness *h, GstBuffer *buffer, GstFlowReturn flow);

/* Drains the elements: waits for their results on the bus, and for delayed
 * frames. */
void harness_drain (GstHarness *h);

/* Returns the current output caps; transfer full. */
GstCaps *harness_out_caps (GstHarness *h);

/* Returns the output caps of the harness as raw video. */
void harness_out_info (GstHarness *h, GstVideoInfo *info);

/* --- bus ----------------------------------------------------------------- */

/* Checks that there is exactly one error on @bus, of @domain and @code, whose
 * text contains each of @parts (NULL-terminated). Takes every message off the
 * bus. Errors that a source adds ("Internal data stream error") are not
 * counted. */
void expect_one_error (GstBus *bus, GQuark domain, gint code,
    const gchar *const *parts);

/* Checks that there is no error and no warning on @bus; other messages stay on
 * the bus. */
void expect_no_error (GstBus *bus);

/* Returns the value of field @name of @structure, a uint64, or fails the test.
 */
guint64 uint64_field (const GstStructure *structure, const gchar *name);

/* Returns the next element message named @name, or NULL; transfer full. */
GstMessage *pop_element_message (GstBus *bus, const gchar *name);

/* Plays the pipeline @description until EOS; fails at an error. */
void run_pipeline (const gchar *description);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstHarness, harness_free)

G_END_DECLS
