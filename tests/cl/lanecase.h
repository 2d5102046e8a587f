/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cl/context/gstcllane.h"

/* After so many microseconds a lane does not wait any longer for a source that
 * has added nothing. */
#define LANE_CASE_SILENT_US 1100000

/* A lane whose launches are events that the test ends, and what its thread has
 * been asked for. */

#define LANE_CASE_MAX_LAUNCHES 64

typedef struct {
  GstClFence *fence;
  gboolean is_rejected; /* ends before a launch */
} LaneItem;

typedef struct {
  guint n_items;
  guint slot;
  gpointer items[GST_CL_LANE_ITEMS];
  cl_event event;
} LaneLaunch;

typedef struct {
  GMutex lock;
  GCond changed;
  LaneLaunch launches[LANE_CASE_MAX_LAUNCHES]; /* those that end later */
  guint n_received, n_launches, n_ended;
  gboolean refuses;        /* to launch */
  GstClLane *refuses_late; /* NULL, or the lane: refuses when it has enqueued a
                              command that ends with refused */
  cl_event refused;        /* which the test ends */
  gboolean ends_at_once;   /* what is launched */
  gint slots_in_use;       /* bits */
} LaneSeen;

extern LaneSeen lane_seen;

/* Fixture of the test cases. */
void lane_case_setup (void);
void lane_case_teardown (void);

/* A lane that has had an item of each of @n_sources. */
GstClLane *lane_case_new (guint n_sources);

/* Launches of @lane are refused from now on, when they have enqueued a command
 * that ends with lane_seen.refused. */
void lane_case_refuse_late (GstClLane *lane);

void lane_item_init (LaneItem *item);
void lane_items_clear (LaneItem *items, guint n_items);

/* Adds items of so many sources in turn, which it initialises. */
void lane_case_add (GstClLane *lane, LaneItem *items, guint n_items,
    guint n_sources);

/* Waits until the lane has received @n items in all. */
void lane_case_expect_received (guint n);

/* Waits until the lane has begun @n launches in all, and gives it the time for
 * one that it should not begin. */
void lane_case_expect_launches (guint n);

/* Launch @number (from 0) has @n_items, those of @expected on. */
void lane_case_expect_items (guint number, const LaneItem *expected,
    guint n_items);

/* @status: CL_COMPLETE, or what the commands of the launch fail with */
void lane_case_end_launch (guint number, cl_int status);

/* The fences of @items are signalled, or that of @item fails with @code. */
void lane_case_expect_signalled (LaneItem *items, guint n_items);
void lane_case_expect_failure (LaneItem *item, cl_int code);
