/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "layer.h"
#include "line.h"

G_BEGIN_DECLS

/* A small stream through elements, in phases, in one of which a call may fail;
 * and a check that the elements have handled the failure. */

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
  gboolean is_cached;      /* compiled programs are stored in a folder */
  gboolean is_empty_cache; /* which is empty before each stream */
  gboolean prepares;       /* GST_OPENCL_PREPARE=1 */
  gboolean starts_quickly; /* GST_OPENCL_QUICK_START=1 */
} Setting;

/* Output of a stream without a fault. */
typedef struct {
  gchar *results[N_PHASES]; /* g_free() */
  guint n_calls[N_PHASES][N_ENTRY_POINTS];
} Reference;

typedef enum {
  OUTCOME_RIGHT,      /* as without a fault */
  OUTCOME_ERROR,      /* one clear error */
  OUTCOME_UNREADABLE, /* a map of a device frame fails, which its caller sees */
  OUTCOME_WRONG,
  N_OUTCOMES
} Outcome;

typedef struct {
  Outcome outcome;
  gchar *fault;     /* description of the failure, g_free(); NULL: none */
  guint n_failed;   /* calls */
  gboolean is_kept; /* memory is kept, since no wait for the device succeeds */
} PlayVerdict;

/* Sets parameters of all streams of the process. @seconds: a stream that takes
 * longer ends the process. @cache: a folder for compiled kernels. */
void play_init (guint seconds, const gchar *cache);

/* Sets the environment of @setting and @is_unified. No stream may play. */
void play_use (const Setting *setting, gboolean is_unified);

/* Plays the stream without a fault, and records it in @reference, which is all
 * zeros or from an earlier call. FALSE with *fault (g_free()) if it fails. */
gboolean play_reference (const Setting *setting, Reference *reference,
    gchar **fault);

/* Plays it with @fault, which is armed when @phase begins; then the first frame
 * again without a fault. @name: name of the case, printed if it does not
 * end. */
PlayVerdict play_with_fault (const Setting *setting, const Reference *reference,
    Phase phase, const Fault *fault, const gchar *name);

G_END_DECLS
