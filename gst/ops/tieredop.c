/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ops that start with a row that compiles fast, and change to the preferred
 * row. */

#include "tieredop.h"

#include <string.h>

#include "choose.h"
#include "common/gstcldebug.h"
#include "compileprocess.h"
#include "selftest.h"

GST_CL_DEBUG_CATEGORY_EXTERN (gst_cl_op_debug); /* choose.c */
#define GST_CAT_DEFAULT gst_cl_op_debug ()

/* An op and the candidate that it was created from. */
typedef struct {
  gpointer op; /* NULL: none */
  GstClCandidate candidate;
} Tier;

/* The first frame has at most as many runs: its components. With some drivers
 * it would take longer if the thread started meanwhile. */
#define RUNS_BEFORE_THREAD 4

/* A property that is changed again sooner needs no preferred row for its value
 * before: compiling it would delay the row for the next value. */
#define SETTLED_US (300 * 1000)

struct _GstClTieredOp {
  gint refs; /* atomic: the owner, and the thread */
  const GstClTieredFuncs *funcs;
  GstClContext *context;
  gint method;
  gpointer problem;
  gboolean may_measure;
  gboolean is_change; /* of a property; others may follow */
  gint64 created_us;  /* monotonic time */

  /* thread of the runs */
  Tier tier;               /* of the next run */
  Tier retired;            /* of the runs before the change */
  gboolean is_unoptimized; /* the tier was built in mode UNOPTIMIZED */
  guint64 n_runs;

  gboolean is_pending;   /* the preferred tier is to be built */
  gboolean is_building;  /* a thread builds it, or has built it */
  guint64 freed;         /* number of the op among those freed; 0: not yet */
  GstClBuildScope scope; /* of that thread */
  GCancellable *freeing; /* cancelled then: of its compile process */

  /* The thread sets these before it sets is_done. */
  Tier preferred;
  GError *failure; /* no row gives correct results */
  gint is_done;    /* atomic */
};

static GMutex building_lock; /* all below, and freed of all ops */
static GCond building_ended;
static GList *building; /* GstClTieredOp (borrowed), whose threads run */
static guint64 n_freed; /* ops */

static void
unref (GstClTieredOp *self)
{
  if (!g_atomic_int_dec_and_test (&self->refs))
    return;

  g_clear_pointer (&self->preferred.op, self->funcs->free);
  g_clear_error (&self->failure);
  g_free (self->problem);
  g_object_unref (self->freeing);
  gst_object_unref (self->context);
  g_free (self);
}

/* Transfer full. */
static GstClTieredOp *
alloc (const GstClTieredFuncs *funcs, GstClContext *context, gint method,
    gconstpointer problem, gboolean may_measure)
{
  GstClTieredOp *self = g_new0 (GstClTieredOp, 1);

  gst_cl_op_debug ();
  self->refs = 1;
  self->is_change = gst_cl_build_is_change ();
  self->created_us = g_get_monotonic_time ();
  self->funcs = funcs;
  self->context = gst_object_ref (context);
  self->method = method;
  self->problem = g_memdup2 (problem, funcs->problem_bytes);
  self->may_measure = may_measure;
  self->freeing = g_cancellable_new ();

  return self;
}

static gboolean
is_on (void)
{
  return !gst_cl_build_is_complete () &&
         g_strcmp0 (g_getenv ("GST_OPENCL_QUICK_START"), "0") != 0;
}

/* --- creating a tier ------------------------------------------------------ */

static GstClCandidate
choose_row (GstClTieredOp *self, gboolean may_measure, GError **error)
{
  const GstClTieredFuncs *funcs = self->funcs;

  return funcs->choose ? funcs->choose (self->context, self->method,
                             self->problem, may_measure, error)
                       : gst_cl_op_table_choose (funcs->table, self->context,
                             self->method, self->problem, may_measure, error);
}

/* Returns FALSE, with @error unless no row supports the problem. */
static gboolean
create_op (GstClTieredOp *self, Tier *tier, GError **error)
{
  if (!tier->candidate.implementation)
    return FALSE;

  gst_cl_trial_begin (self->context, self->funcs->table,
      tier->candidate.implementation, self->problem);
  tier->op = self->funcs->create (self->context, &tier->candidate,
      self->problem, error);
  gst_cl_trial_end ();

  return tier->op != NULL;
}

/* Creates the preferred tier if nothing has to be compiled for it. Returns
 * FALSE if something has; sets *@result to that of create() otherwise. */
static gboolean
create_compiled (GstClTieredOp *self, gboolean *result, GError **error)
{
  GstClBuildScope scope = { 0 };
  GError *reason = NULL;

  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_NOTHING);
  self->tier.candidate = choose_row (self, FALSE, &reason);
  *result = create_op (self, &self->tier, &reason);
  gst_cl_build_scope_leave ();

  if (!scope.was_refused) {
    if (reason)
      g_propagate_error (error, reason);
    return TRUE;
  }

  g_clear_error (&reason);

  return FALSE;
}

/* Returns FALSE if that fails, which the preferred tier reports better. */
static gboolean
create_quick (GstClTieredOp *self)
{
  GstClBuildScope scope = { 0 };
  GstClBuildMode mode;
  g_autoptr (GError) reason = NULL;

  /* the choice excludes rows with a stored failure */
  gst_cl_build_scope_enter (&scope, GST_CL_BUILD_QUICKLY);
  self->tier.candidate = gst_cl_op_table_choose_quick (self->funcs->table,
      self->context, self->method, self->problem, &mode);
  scope.mode = mode;
  self->is_unoptimized = create_op (self, &self->tier, &reason) &&
                         mode == GST_CL_BUILD_UNOPTIMIZED;
  gst_cl_build_scope_leave ();
  if (reason)
    GST_INFO_OBJECT (self->context, "no quick start: %s", reason->message);

  return self->tier.op != NULL;
}

/* --- another process ------------------------------------------------------ */

static GstClCompileJob
describe_job (const GstClTieredOp *self)
{
  return (GstClCompileJob){ self->context, self->funcs->table->name,
    self->method, self->may_measure, self->problem,
    self->funcs->problem_bytes };
}

/* Returns once the compile process has ended the job, or self is freed. */
static GstClCompileResult
compile_elsewhere (GstClTieredOp *self)
{
  const GstClCompileJob job = describe_job (self);

  return gst_cl_compile_process_run (&job, self->freeing);
}

/* With a driver whose compiler may end the process, compiles the preferred tier
 * in another process before the first run. Returns FALSE with @error if that
 * does not end. */
static gboolean
compile_safely (GstClTieredOp *self, GError **error)
{
  const GstClDevice *device = self->context->device;

  if (!gst_cl_device_may_crash_while_compiling (device) ||
      compile_elsewhere (self) != GST_CL_COMPILE_GIVEN_UP)
    return TRUE;

  g_set_error (error, GST_CL_ERROR, CL_COMPILER_NOT_AVAILABLE,
      "The compiler of %s (%s, driver %s) crashes or does not end with the "
      "kernels of op %s. Choose another device by property device; an update "
      "of the driver may help.",
      device->name, device->platform_name, device->driver_version,
      self->funcs->table->name);

  return FALSE;
}

static gboolean
create_preferred (GstClTieredOp *self, GError **error)
{
  g_clear_pointer (&self->tier.op, self->funcs->free);
  if (!compile_safely (self, error))
    return FALSE;

  self->tier.candidate = choose_row (self, self->may_measure, error);

  return create_op (self, &self->tier, error);
}

/* --- the preferred tier --------------------------------------------------- */

/* Runs the preferred tier once and waits: some drivers compile at a kernel's
 * first launch. Returns FALSE with @error. */
static gboolean
warm_up (GstClTieredOp *self, GError **error)
{
  const GstClOpTable *table = self->funcs->table;
  gpointer io;
  gboolean is_done;

  if (!table->make_io)
    return TRUE;

  io = table->make_io (self->context, self->problem, error);
  if (!io)
    return FALSE;
  gst_cl_trial_begin (self->context, table,
      self->preferred.candidate.implementation, self->problem);
  is_done = self->funcs->run (self->preferred.op, io, error) &&
            gst_cl_context_finish (self->context, error);
  gst_cl_trial_end ();
  table->free_io (io);

  return is_done;
}

/* On a queue of its own: on the stream's queue the thread would wait for the
 * frames that are enqueued meanwhile, and the frames for its measurements. Sets
 * *@failure if no row gives correct results. */
static void
create_beside (GstClTieredOp *self, gboolean may_measure, GError **failure)
{
  cl_command_queue queue = gst_cl_context_create_queue (self->context, NULL);
  g_autoptr (GError) reason = NULL;

  gst_cl_context_use_queue (queue);
  gst_cl_build_scope_enter (&self->scope, GST_CL_BUILD_BESIDE);
  self->preferred.candidate = choose_row (self, may_measure, failure);
  if ((!create_op (self, &self->preferred, &reason) ||
          !warm_up (self, &reason)) &&
      reason) {
    g_clear_pointer (&self->preferred.op, self->funcs->free);
    GST_WARNING_OBJECT (self->context,
        "%s: not created, the stream continues with %s: %s",
        gst_cl_candidate_name (&self->preferred.candidate),
        self->tier.op ? gst_cl_tiered_op_name (self) : "none", reason->message);
  }
  gst_cl_build_scope_leave ();
  gst_cl_context_use_queue (NULL);
  gst_cl_context_release_queue (queue);
}

/* Compiles in a process of its own, if there is one, and then loads. */
static gpointer
build_preferred (gpointer user_data)
{
  GstClTieredOp *self = user_data;
  const GstClCompileResult result = compile_elsewhere (self);
  g_autoptr (GError) failure = NULL;

  if (result != GST_CL_COMPILE_GIVEN_UP)
    create_beside (self,
        self->may_measure && result == GST_CL_COMPILE_IMPOSSIBLE, &failure);
  self->failure = g_steal_pointer (&failure);
  g_atomic_int_set (&self->is_done, TRUE);

  g_mutex_lock (&building_lock);
  building = g_list_remove (building, self);
  unref (self);
  g_cond_broadcast (&building_ended);
  g_mutex_unlock (&building_lock);

  return NULL;
}

static void
start_thread (GstClTieredOp *self)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GThread) thread = NULL;

  g_mutex_lock (&building_lock);
  building = g_list_prepend (building, self);
  g_mutex_unlock (&building_lock);
  g_atomic_int_inc (&self->refs);
  self->is_pending = FALSE;
  self->is_building = TRUE;
  thread = g_thread_try_new ("cl-build", build_preferred, self, &reason);
  if (thread)
    return;

  GST_WARNING_OBJECT (self->context, "the stream continues with %s: %s",
      gst_cl_tiered_op_name (self), reason->message);
  self->is_building = FALSE;
  g_mutex_lock (&building_lock);
  building = g_list_remove (building, self);
  g_mutex_unlock (&building_lock);
  unref (self);
}

/* Nobody waits for the preferred row: it is built for the next start. */
static void
request_build (GstClTieredOp *self)
{
  const GstClCompileJob job = describe_job (self);

  if (!gst_cl_compile_process_post (&job))
    start_thread (self);
}

/* Returns TRUE if the preferred row is to be built now: after the first frame,
 * and not while a property is changed again and again. */
static gboolean
shall_build (const GstClTieredOp *self)
{
  return self->is_pending && self->n_runs >= RUNS_BEFORE_THREAD &&
         (!self->is_change ||
             g_get_monotonic_time () - self->created_us >= SETTLED_US);
}

static gboolean
are_same (const GstClCandidate *a, const GstClCandidate *b)
{
  return a->implementation == b->implementation &&
         memcmp (a->values, b->values, sizeof a->values) == 0;
}

/* The thread has ended. */
static void
change_tier (GstClTieredOp *self)
{
  const Tier *now = &self->tier, *next = &self->preferred;
  const gboolean stays = !next->op ||
                         (!self->is_unoptimized &&
                             are_same (&now->candidate, &next->candidate));

  GST_INFO_OBJECT (self->context,
      "%s: %s after %" G_GUINT64_FORMAT " runs with %s",
      self->funcs->table->name,
      gst_cl_candidate_name (stays ? &now->candidate : &next->candidate),
      self->n_runs, gst_cl_tiered_op_name (self));
  if (stays) {
    g_clear_pointer (&self->preferred.op, self->funcs->free);
    return;
  }

  if (self->funcs->adopt)
    self->funcs->adopt (next->op, now->op);
  self->retired = self->tier;
  self->tier = self->preferred;
  self->preferred.op = NULL;
}

/* --- public functions ----------------------------------------------------- */

GstClTieredOp *
gst_cl_tiered_op_new (const GstClTieredFuncs *funcs, GstClContext *context,
    gint method, gconstpointer problem, gboolean may_measure, GError **error)
{
  g_autoptr (GstClTieredOp)
      self = alloc (funcs, context, method, problem, may_measure);
  gboolean is_created;

  if (!is_on ())
    return create_preferred (self, error) ? g_steal_pointer (&self) : NULL;

  if (create_compiled (self, &is_created, error)) {
    if (!is_created)
      return NULL;
    self->is_pending = may_measure &&
                       gst_cl_op_table_is_undecided (funcs->table, context,
                           method, problem);
  } else if (!gst_cl_device_may_crash_while_compiling (context->device) &&
             (self->tier.op || create_quick (self))) {
    self->is_pending = TRUE;
  } else {
    return create_preferred (self, error) ? g_steal_pointer (&self) : NULL;
  }

  if (self->is_pending)
    GST_INFO_OBJECT (context, "%s: starts with %s", funcs->table->name,
        gst_cl_tiered_op_name (self));

  return g_steal_pointer (&self);
}

void
gst_cl_tiered_op_free (GstClTieredOp *self)
{
  if (!self)
    return;

  if (self->is_pending && self->n_runs > 0 && !self->is_change &&
      gst_cl_build_mode () != GST_CL_BUILD_CONFIGURE)
    request_build (self);
  g_cancellable_cancel (self->freeing);
  g_mutex_lock (&building_lock);
  self->freed = ++n_freed;
  g_mutex_unlock (&building_lock);
  g_clear_pointer (&self->tier.op, self->funcs->free);
  g_clear_pointer (&self->retired.op, self->funcs->free);
  unref (self);
}

/* Returns TRUE if the thread of an op of @context is running that is among the
 * first @n freed ones, and lets such threads hurry. building_lock held */
static gboolean
is_building (GstClContext *context, guint64 n)
{
  gboolean is_found = FALSE;

  for (const GList *i = building; i; i = i->next) {
    GstClTieredOp *op = i->data;

    if (op->context != context || op->freed == 0 || op->freed > n)
      continue;
    g_atomic_int_set (&op->scope.hurries, TRUE);
    is_found = TRUE;
  }

  return is_found;
}

void
gst_cl_tiered_ops_wait (GstClContext *context)
{
  const gint64 begin_us = g_get_monotonic_time ();
  gboolean waits;
  guint64 n;

  gst_cl_compile_process_detach (context);
  g_mutex_lock (&building_lock);
  n = n_freed;
  waits = is_building (context, n);
  if (waits)
    GST_INFO_OBJECT (context, "waits for kernels that the next start may need");
  while (is_building (context, n))
    g_cond_wait (&building_ended, &building_lock);
  g_mutex_unlock (&building_lock);

  if (waits)
    GST_INFO_OBJECT (context, "waited for %" G_GINT64_FORMAT " us",
        g_get_monotonic_time () - begin_us);
}

gpointer
gst_cl_tiered_op_next (GstClTieredOp *self, GError **error)
{
  if (shall_build (self))
    start_thread (self);
  if (self->is_building && g_atomic_int_get (&self->is_done)) {
    self->is_building = FALSE;
    change_tier (self);
  }
  if (!self->is_building && self->failure) {
    g_propagate_error (error, g_error_copy (self->failure));
    return NULL;
  }
  self->n_runs++;

  return self->tier.op;
}

void
gst_cl_tiered_op_prepare (const GstClTieredFuncs *funcs, GstClContext *context,
    gint method, gconstpointer problem, gboolean may_measure)
{
  g_autoptr (GstClTieredOp)
      self = alloc (funcs, context, method, problem, may_measure);

  create_beside (self, may_measure, NULL);
}

gpointer
gst_cl_tiered_op_current (const GstClTieredOp *self)
{
  return self->tier.op;
}

gboolean
gst_cl_tiered_op_is_settled (const GstClTieredOp *self)
{
  return !self->is_pending && !self->is_building;
}

const gchar *
gst_cl_tiered_op_name (const GstClTieredOp *self)
{
  return gst_cl_candidate_name (&self->tier.candidate);
}
