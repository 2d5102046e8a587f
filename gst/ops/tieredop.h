/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "implementation.h"

G_BEGIN_DECLS

/* An op that starts at once, as tiered compilation does. If programs of the
 * preferred row are not compiled yet, the op begins with a row that compiles
 * fast. After the first frame, a compile process (compileprocess.h), or without
 * one a thread, compiles and tests the preferred row, or measures the
 * candidates, beside the frames. Rows change between two runs. All rows give
 * the same results. GST_DEBUG=clop:4 logs the change.
 *
 * Environment variable GST_OPENCL_QUICK_START=0, or
 * gst_cl_build_is_complete(): the preferred row is compiled before the first
 * run. */
typedef struct _GstClTieredOp GstClTieredOp;

/* Functions of one kind of op. */
typedef struct {
  const GstClOpTable *table;
  gsize problem_bytes; /* the size of a problem, which is copied */

  /* Replaces gst_cl_op_table_choose(); NULL: it does not. */
  GstClCandidate (*choose) (GstClContext *context, gint method,
      gconstpointer problem, gboolean may_measure, GError **error);

  /* Builds the kernels and allocates scratch memory. NULL with @error. Any
   * thread; transfer full. */
  gpointer (*create) (GstClContext *context, const GstClCandidate *candidate,
      gconstpointer problem, GError **error);
  void (*free) (gpointer op);

  /* Enqueues one run on @io, the result of the table's make_io(). */
  gboolean (*run) (gpointer op, gconstpointer io, GError **error);

  /* Sets the state that @op keeps between runs to that of @before, whose last
   * run it was. NULL: runs are independent. Thread of the runs. */
  void (*adopt) (gpointer op, gpointer before);
} GstClTieredFuncs;

/* Creates the op for @problem. @may_measure: the fastest candidate of AUTO may
 * be measured. NULL without @error: no row supports @problem with @method. NULL
 * with @error as from choose() or create(). Transfer full. */
GstClTieredOp *gst_cl_tiered_op_new (const GstClTieredFuncs *funcs,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure, GError **error);

/* Does not wait. After a run the preferred row is still compiled, in a compile
 * process or a thread: the next start finds it in the caches, even if the
 * stream had one frame. This does not begin for an op of a changed property,
 * nor in build mode CONFIGURE, in which another op replaces this one. Accepts
 * NULL. */
void gst_cl_tiered_op_free (GstClTieredOp *self);

/* Waits for the threads of the ops of @context that have been freed, not for
 * the compile process. Called before an element stops: a process must not end
 * while a thread is in the driver, which frees its own data then. Without a
 * compile process it takes up to the compilation of a program. Logs the wait
 * (GST_DEBUG=clop:4). */
void gst_cl_tiered_ops_wait (GstClContext *context);

/* Returns the op for the next run (borrowed), the result of create(). It stays
 * valid until gst_cl_tiered_op_free(), so that its results can be read later.
 * NULL with @error if all rows have failed their self-tests. Call it once per
 * run; thread of the runs. */
gpointer gst_cl_tiered_op_next (GstClTieredOp *self, GError **error);

/* Returns the op of the next run without a change of rows (borrowed). */
gpointer gst_cl_tiered_op_current (const GstClTieredOp *self);

/* Returns TRUE if the op will not change rows any more. Thread of the runs. */
gboolean gst_cl_tiered_op_is_settled (const GstClTieredOp *self);

/* Returns the current candidate's name (borrowed). */
const gchar *gst_cl_tiered_op_name (const GstClTieredOp *self);

/* Chooses the preferred row for @problem, compiles, tests and runs it once, for
 * the caches and databases on disk. In the compile process; any thread. */
void gst_cl_tiered_op_prepare (const GstClTieredFuncs *funcs,
    GstClContext *context, gint method, gconstpointer problem,
    gboolean may_measure);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClTieredOp, gst_cl_tiered_op_free)

G_END_DECLS
