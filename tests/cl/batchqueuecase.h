/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstclbatchqueue.h"

/* After this time, in microseconds, a batch queue no longer waits for a source
 * that has added nothing. */
#define BATCH_QUEUE_CASE_SILENT_US 1100000

/* A batch queue whose launches are user events that the test completes, and a
 * record of the calls of its thread. */

#define BATCH_QUEUE_CASE_MAX_LAUNCHES 64

typedef struct {
  GstClFence *fence;
  gboolean is_rejected; /* completes before a launch */
} BatchQueueItem;

typedef struct {
  guint n_items;
  guint slot;
  gpointer items[GST_CL_BATCH_QUEUE_ITEMS];
  cl_event event;
} BatchQueueLaunch;

typedef struct {
  GMutex lock;
  GCond changed;
  BatchQueueLaunch
      launches[BATCH_QUEUE_CASE_MAX_LAUNCHES]; /* those that complete later */
  guint n_received, n_launches, n_ended;
  gboolean refuses; /* to launch */
  GstClBatchQueue
      *refuses_late; /* NULL, or the batch queue: refuses a launch after it has
                      * enqueued a command that ends with refused */
  cl_event refused;  /* completed by the test */
  gboolean ends_at_once; /* items of the launches */
  gint slots_in_use;     /* bits */
} BatchQueueSeen;

extern BatchQueueSeen batch_queue_seen;

/* Fixture of the test cases. */
void batch_queue_case_setup (void);
void batch_queue_case_teardown (void);

/* Creates a batch queue that has received an item of each of @n_sources. */
GstClBatchQueue *batch_queue_case_new (guint n_sources);

/* Makes later launches of @batches fail after they have enqueued a command,
 * which ends with the event batch_queue_seen.refused. */
void batch_queue_case_refuse_late (GstClBatchQueue *batches);

void batch_queue_item_init (BatchQueueItem *item);
void batch_queue_items_clear (BatchQueueItem *items, guint n_items);

/* Initializes @n_items items and adds them; they belong to @n_sources sources
 * in turn. */
void batch_queue_case_add (GstClBatchQueue *batches, BatchQueueItem *items,
    guint n_items, guint n_sources);

/* Waits until the batch queue has received @n items in total. */
void batch_queue_case_expect_received (guint n);

/* Waits until the batch queue has begun @n launches in total, and checks after
 * a pause that it has not begun another one. */
void batch_queue_case_expect_launches (guint n);

/* Checks that launch @number (from 0) has the @n_items items from @expected
 * on. */
void batch_queue_case_expect_items (guint number,
    const BatchQueueItem *expected, guint n_items);

/* Ends the commands of launch @number with @status: CL_COMPLETE, or an
 * error. */
void batch_queue_case_end_launch (guint number, cl_int status);

/* Check that the fences of @items are signalled, and that the fence of @item
 * has failed with @code. */
void batch_queue_case_expect_signalled (BatchQueueItem *items, guint n_items);
void batch_queue_case_expect_failure (BatchQueueItem *item, cl_int code);
