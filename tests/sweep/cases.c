/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The calls that fail, and the streams in which they fail. */

#include "cases.h"

/* clang-format off */
#define LINE(text) .line.description = text
#define IN_DEVICE  .line.out_in_device = TRUE

const Setting settings[] = {
  { .name = "clupload", LINE ("clupload"), IN_DEVICE },
  { .name = "clupload, memory of the device",
    LINE ("clupload ! clupload"), IN_DEVICE },
  { .name = "cldownload", LINE ("clupload ! cldownload") },
  { .name = "cldownload, one layout",
    LINE ("clupload ! cldownload"), .line.lacks_video_meta = TRUE },
  { .name = "clintegral", LINE ("clintegral") },
  { .name = "clintegral, memory of the device",
    LINE ("clupload ! clintegral"), IN_DEVICE },
  { .name = "cllocalmean", LINE ("cllocalmean") },
  { .name = "cllocalmean, memory of the device",
    LINE ("clupload ! cllocalmean"), IN_DEVICE },
  { .name = "cllocalmean, packed format",
    LINE ("cllocalmean"), .line.format = GST_VIDEO_FORMAT_v210 },
  { .name = "cllocalmean, integral image", LINE ("clintegral ! cllocalmean") },
  { .name = "clframesum", LINE ("clframesum async-depth=2") },
  { .name = "clframesum, results in a thread",
    LINE ("clframesum stats-meta=false") },
  { .name = "clframesum, memory of the device",
    LINE ("clupload ! clframesum statistics=moments+temporal+percentiles"),
    IN_DEVICE },
  { .name = "clframesum, rows and columns",
    LINE ("clframesum async-depth=2 statistics=profiles+blockiness+noise") },
  { .name = "clframesum, fields",
    LINE ("clframesum async-depth=2 fields=true "
          "statistics=moments+temporal+profiles+blockiness"),
    .line.is_interlaced = TRUE },
  { .name = "clframesum, moments of fields",
    LINE ("clframesum fields=true"), .line.is_interlaced = TRUE },
  { .name = "clframesum, DMABuf",
    LINE ("clframesum async-depth=2"), .line.in_dma_buf = TRUE },
  { .name = "clscope", LINE ("clscope kind=all peak-hold=1") },
  { .name = "clscope, memory of the device",
    LINE ("clupload ! clscope kind=false-colour mode=side"), IN_DEVICE },
  { .name = "chain",
    LINE ("clframesum ! clintegral ! cllocalmean ! clframesum") },
  { .name = "queues",
    LINE ("clupload ! queue ! cllocalmean ! queue ! cldownload") },
  { .name = "an application's context",
    LINE ("cllocalmean"), .in_application = TRUE },
  { .name = "cache of programs", LINE ("clintegral"), .is_cached = TRUE },
  { .name = "empty cache of programs",
    LINE ("clupload ! clintegral"), .is_empty_cache = TRUE },
  { .name = "programs ahead", LINE ("cllocalmean"), .prepares = TRUE },
  { .name = "quick start", LINE ("clintegral"), .starts_quickly = TRUE },
  { .name = "quick start of statistics",
    LINE ("clframesum statistics=moments+temporal"), .starts_quickly = TRUE },
};
/* clang-format on */
const guint n_settings = G_N_ELEMENTS (settings);

/* Number of calls of a function that fail in a phase, one call a case. */
#define MAX_CALLS 16

static const gchar *const kind_names[N_FAULT_KINDS] = { "code", "event", "null",
  "slow", "device-lost" };
static const gchar *const times_names[N_TIMES] = { "once", "each", "on" };

gchar *
cases_name (const Case *item)
{
  const Fault *fault = &item->fault;

  return g_strdup_printf ("%s/%s/%s/%s/%s/%d/%s/%u",
      settings[item->setting].name, item->is_unified ? "unified" : "discrete",
      phase_name (item->phase), entry_points[fault->entry].name,
      kind_names[fault->kind], fault->code, times_names[fault->times],
      fault->at);
}

static void
add (GArray *cases, Case item, FaultKind kind, cl_int code, FaultTimes times,
    guint at)
{
  item.fault.kind = kind;
  item.fault.code = code;
  item.fault.times = times;
  item.fault.at = at;
  g_array_append_val (cases, item);
}

/* Returns the distance of the calls that fail: all of at most MAX_CALLS calls,
 * otherwise every second, third, ... call, because equal frames make the same
 * calls. */
static guint
step (guint n_calls)
{
  return 1 + n_calls / MAX_CALLS;
}

/* Adds the faults that are not an error code of @item.fault.entry. */
static void
add_faults_without_code (GArray *cases, Case item, guint n_calls)
{
  const EntryPoint entry = item.fault.entry;

  add (cases, item, FAULT_DEVICE_LOST, CL_DEVICE_NOT_AVAILABLE, TIMES_ONCE, 1);
  add (cases, item, FAULT_DEVICE_LOST, CL_OUT_OF_RESOURCES, TIMES_ONCE,
      n_calls);
  if (entry == ENTRY_clBuildProgram)
    add (cases, item, FAULT_SLOW, CL_SUCCESS, TIMES_ONCE, 1);
  if (entry == ENTRY_clEnqueueMapBuffer) {
    for (guint at = 1; at <= n_calls; at += step (n_calls))
      add (cases, item, FAULT_NULL, CL_SUCCESS, TIMES_ONCE, at);
    add (cases, item, FAULT_NULL, CL_SUCCESS, TIMES_ON, 1);
  }
  if (!entry_point_is_command (entry))
    return;

  for (guint at = 1; at <= n_calls; at += step (n_calls))
    add (cases, item, FAULT_EVENT,
        at % 2 == 0 ? CL_OUT_OF_RESOURCES : CL_MEM_OBJECT_ALLOCATION_FAILURE,
        TIMES_ONCE, at);
  add (cases, item, FAULT_EVENT, CL_OUT_OF_RESOURCES, TIMES_EACH, 2);
  add (cases, item, FAULT_EVENT, CL_DEVICE_NOT_AVAILABLE, TIMES_ON, 1);
}

void
cases_add (GArray *cases, guint setting, gboolean is_unified,
    const Reference *reference)
{
  for (guint i = 0; i < N_PHASES * N_ENTRY_POINTS; i++) {
    Case item = { setting, is_unified, i / N_ENTRY_POINTS, { 0 } };
    const EntryPoint entry = i % N_ENTRY_POINTS;
    const cl_int *codes = entry_points[entry].codes;
    const guint n_codes = entry_point_n_codes (entry);
    const guint n_calls = reference->n_calls[item.phase][entry];

    if (n_calls == 0)
      continue;

    item.fault.entry = entry;
    for (guint c = 0; c < n_codes; c++) {
      const FaultTimes times = (c + 2 * setting + is_unified) % N_TIMES;

      add (cases, item, FAULT_CODE, codes[c], times,
          times == TIMES_EACH ? MIN (n_calls, 2) : 1);
    }
    for (guint at = 1; at <= n_calls && n_codes > 0; at += step (n_calls))
      add (cases, item, FAULT_CODE, codes[(at + setting) % n_codes], TIMES_ONCE,
          at);
    add_faults_without_code (cases, item, n_calls);
  }
}

/* --- samples ------------------------------------------------------------- */

static void
shuffle (GArray *cases, GRand *random)
{
  for (guint i = cases->len; i > 1; i--) {
    const guint other = g_rand_int_range (random, 0, i);
    const Case item = g_array_index (cases, Case, i - 1);

    g_array_index (cases, Case, i - 1) = g_array_index (cases, Case, other);
    g_array_index (cases, Case, other) = item;
  }
}

static gint
by_stream (gconstpointer a, gconstpointer b)
{
  const Case *first = a, *second = b;

  if (first->setting != second->setting)
    return (gint) first->setting - (gint) second->setting;

  return first->is_unified - second->is_unified;
}

void
cases_sample (GArray *cases, guint n, GRand *random)
{
  gboolean has_case[N_ENTRY_POINTS][N_FAULT_KINDS] = { { FALSE } };
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (Case));
  GArray *others = g_array_new (FALSE, FALSE, sizeof (Case));

  shuffle (cases, random);
  for (guint i = 0; i < cases->len; i++) {
    const Case *item = &g_array_index (cases, Case, i);
    gboolean *has_one = &has_case[item->fault.entry][item->fault.kind];

    g_array_append_vals (*has_one ? others : chosen, item, 1);
    *has_one = TRUE;
  }
  if (chosen->len < n)
    g_array_append_vals (chosen, others->data,
        MIN (n - chosen->len, others->len));

  g_array_set_size (cases, 0);
  g_array_append_vals (cases, chosen->data, chosen->len);
  g_array_sort (cases, by_stream);
  g_array_unref (chosen);
  g_array_unref (others);
}
