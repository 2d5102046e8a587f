/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "faults/layer.h"
#include "line.h"

G_BEGIN_DECLS

/* A small stream through elements, in phases. A call may fail in one phase;
 * then a check finds out whether the elements have handled the failure. */

typedef enum {
  PHASE_OPEN,        /* to PLAYING: the device is opened */
  PHASE_FIRST,       /* the first caps and frame: kernels are compiled */
  PHASE_STEADY,      /* frames in each layout of memory */
  PHASE_RENEGOTIATE, /* another size, and two frames */
  PHASE_FLUSH,       /* a flush, and a frame */
  PHASE_SEEK,        /* a seek from downstream, and a frame */
  PHASE_STOP,        /* the end of the stream, and the state NULL */
  N_PHASES
} Phase;

const gchar *phase_name (Phase phase);

/* Elements and their environment. */
typedef struct {
  const gchar *name;
  LineKind line;
  gboolean in_application; /* with an application's context */
  gboolean is_cached;      /* compiled programs come from a folder */
  gboolean is_empty_cache; /* compiled programs are stored in an empty folder */
  gboolean prepares;       /* GST_OPENCL_PREPARE=1 */
  gboolean starts_quickly; /* GST_OPENCL_QUICK_START=1 */
} Setting;

/* Output of a stream without a fault. */
typedef struct {
  gchar *results[N_PHASES]; /* g_free() */
  guint n_calls[N_PHASES][N_ENTRY_POINTS];
} Reference;

typedef enum {
  OUTCOME_RIGHT,      /* the results are those of the stream without a fault */
  OUTCOME_ERROR,      /* one error, which names the element and the cause */
  OUTCOME_UNREADABLE, /* a map of a device frame fails and returns FALSE */
  OUTCOME_WRONG,      /* anything else */
  N_OUTCOMES
} Outcome;

typedef struct {
  Outcome outcome;
  gchar *fault;   /* description of the failure, g_free(); NULL: none */
  guint n_failed; /* calls */
  gboolean
      keeps_memory; /* the plugin keeps memory in quarantine because waits for
                          * the device fail */
} PlayVerdict;

/* Sets the parameters of all streams of the process. @seconds: timeout of a
 * stream, after which the process aborts. @cache: a folder for compiled
 * programs (borrowed, must outlive all streams). */
void play_init (guint seconds, const gchar *cache);

/* Sets the environment variables for @setting. @is_unified: host-unified or
 * discrete mode. No stream may be playing. */
void play_use (const Setting *setting, gboolean is_unified);

/* Plays the stream of @setting without a fault, and records its results and
 * calls in @reference, which is all zeros or from an earlier call. FALSE with
 * *fault (g_free()) if the stream fails. */
gboolean play_reference (const Setting *setting, Reference *reference,
    gchar **fault);

/* Plays the stream of @setting with @fault, which is armed when @phase begins;
 * then plays the first frame of a new stream without a fault. @name: name of
 * the case, printed if the stream exceeds its timeout. */
PlayVerdict play_with_fault (const Setting *setting, const Reference *reference,
    Phase phase, const Fault *fault, const gchar *name);

G_END_DECLS
