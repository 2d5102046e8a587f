/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A failure that several threads of an element detect at once. */

#include "cl/context/gstclcontext.h"
#include "elements/base/gstclfailure.h"
#include "elements/common.h"
#include "suite.h"

#define N_THREADS 2
#define N_ROUNDS  500

/* Data that the threads share. */
typedef struct {
  GstClFailure failure;
  GstElement *element;
  GstClContext *context;
  gint n_waiting; /* atomic; threads that are about to post */
} Round;

static gpointer
post (gpointer data)
{
  Round *round = data;
  g_autoptr (GError)
      lost = g_error_new (GST_CL_ERROR, CL_DEVICE_NOT_AVAILABLE, "gone");

  g_atomic_int_inc (&round->n_waiting);
  while (g_atomic_int_get (&round->n_waiting) < N_THREADS)
    continue;
  gst_cl_failure_post (&round->failure, round->element, round->context, lost);

  return NULL;
}

static guint
count_errors (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    gst_message_unref (message);
    n++;
  }

  return n;
}

/* Whichever thread is first, the application gets one error. */
TEST (test_lost_device_has_one_error)
{
  g_autoptr (GstElement) device_user = gst_object_ref_sink (gst_bin_new (NULL));

  for (guint i = 0; i < N_ROUNDS; i++) {
    g_autoptr (GstElement) element = gst_object_ref_sink (gst_bin_new (NULL));
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autoptr (GstClContext)
        context = gst_cl_ensure_element_context (device_user, "auto", NULL);
    GThread *threads[N_THREADS];
    Round round = { .element = element, .context = context };

    fail_unless (context != NULL);
    gst_element_set_bus (element, bus);
    for (guint t = 0; t < N_THREADS; t++)
      threads[t] = g_thread_new ("poster", post, &round);
    for (guint t = 0; t < N_THREADS; t++)
      g_thread_join (threads[t]);

    fail_unless_equals_int (count_errors (bus), 1);
    fail_unless_equals_int (
        gst_cl_failure_flow (&round.failure, element, context), GST_FLOW_ERROR);
    gst_element_set_bus (element, NULL);
  }
}
