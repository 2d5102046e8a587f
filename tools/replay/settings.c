/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line. */

#include "settings.h"

#include "statistics/cells/gstclcard.h"

#define N_OWN_OPTIONS 4
#define N_OPTIONS     (GST_CL_EVENT_N_PROPERTIES + N_OWN_OPTIONS)

typedef struct {
  gchar *types; /* owned, as are these: NULL where not given */
  gchar *properties[GST_CL_EVENT_N_PROPERTIES];
  gchar *zone_types;
  gboolean is_incomplete, shows_version;
} Texts;

static void
clear_texts (Texts *texts)
{
  g_free (texts->types);
  g_free (texts->zone_types);
  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++)
    g_free (texts->properties[i]);
}

/* Sets the last rows of @options: one for each property of events. */
static void
add_properties (GOptionEntry *options, Texts *texts)
{
  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++) {
    const GstClProperty *row = gst_cl_event_property (i);

    options[i] = (GOptionEntry){
      .long_name = row->name,
      .arg = G_OPTION_ARG_STRING,
      .arg_data = &texts->properties[i],
      .description = row->blurb,
      .arg_description = row->type == GST_CL_PROPERTY_STRING   ? "FILE"
                         : row->type == GST_CL_PROPERTY_DOUBLE ? "X"
                                                               : "N",
    };
  }
}

static gboolean
parse_options (Texts *texts, gint *argc, gchar ***argv, GError **error)
{
  GOptionEntry options[N_OPTIONS + 1] = {
    { "events", 0, 0, G_OPTION_ARG_STRING, &texts->types,
        "Events to detect, joined by +: black, white, freeze, scene, "
        "single-color, defocus, range, noisy, border, "
        "repeat, gap, blocky, "
        "field-order, card, flash, levels",
        "EVENTS" },
    { "zone-events", 0, 0, G_OPTION_ARG_STRING, &texts->zone_types,
        "Events to detect in each zone of the lines, joined by +: black, "
        "white, freeze, single-color, defocus",
        "EVENTS" },
    { "incomplete", 0, 0, G_OPTION_ARG_NONE, &texts->is_incomplete,
        "The stream broke off: its pooled result is not complete", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &texts->shows_version,
        "Show the version, and that of the schema of lines", NULL },
  };
  g_autoptr (GOptionContext)
      context = g_option_context_new ("< frames.jsonl > events.jsonl");

  add_properties (options + N_OWN_OPTIONS, texts);
  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_set_summary (context,
      "Detects events, and pools statistics, in the lines that clframesum "
      "location=FILE has\nwritten with statistics=moments+detection+histogram, "
      "without looking at frames.\nThe lines `event` and `pooled` that it "
      "writes are byte for byte those of clframesum. The first line also has "
      "the "
      "version of\ntheir schema.");
  g_option_context_set_description (context,
      "Values are those of the properties of clframesum. Freeze takes the "
      "limit that is in\nthe lines: freeze-noise is compared with it.\n\n"
      "Exit status: 0; 1 if nothing can be written; 2 for a wrong line, field "
      "or option.\n");
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc <= 1)
    return TRUE;

  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
      "there is no argument '%s': lines come from the standard input",
      (*argv)[1]);

  return FALSE;
}

/* --- values --------------------------------------------------------------- */

static gboolean
refuse_value (const gchar *name, const gchar *text, GError **error)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--%s cannot be '%s'", name, text);

  return FALSE;
}

static gboolean
set_property (const GstClProperty *row, const gchar *text,
    GstClEventSettings *settings, GError **error)
{
  g_autoptr (GParamSpec)
      spec = g_param_spec_ref_sink (gst_cl_property_spec (row));
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (spec));
  if (row->type == GST_CL_PROPERTY_STRING)
    g_value_set_string (&value, text);
  else if (!gst_value_deserialize (&value, text))
    return refuse_value (row->name, text, error);
  if (g_param_value_validate (spec, &value))
    return refuse_value (row->name, text, error);
  gst_cl_property_set (row, settings, &value);

  return TRUE;
}

/* Sets *types to the value of @option, all of which are among @allowed. */
static gboolean
set_types (GstClEventType *types, const gchar *option, const gchar *text,
    GstClEventType allowed, GError **error)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, gst_cl_enum_get_type (&gst_cl_events_enum));
  if (!gst_value_deserialize (&value, text))
    return refuse_value (option, text, error);
  *types = g_value_get_flags (&value);
  if (*types & GST_CL_EVENT_SIGNAL_LOSS) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--%s cannot have signal-loss, which is detected by a clock", option);
    return FALSE;
  }

  return !(*types & ~allowed) || refuse_value (option, text, error);
}

static gboolean
take_texts (Settings *self, const Texts *texts, GError **error)
{
  *self = (Settings){ .is_complete = !texts->is_incomplete,
    .shows_version = texts->shows_version };
  gst_cl_event_settings_init (&self->events);
  if (texts->types &&
      !set_types (&self->types, "events", texts->types, ~0, error))
    return FALSE;
  if (texts->zone_types &&
      !set_types (&self->zone_types, "zone-events", texts->zone_types,
          gst_cl_events_of_zones (), error))
    return FALSE;

  for (guint i = 0; i < GST_CL_EVENT_N_PROPERTIES; i++) {
    const GstClProperty *row = gst_cl_event_property (i);

    if (!texts->properties[i])
      continue;
    if (!set_property (row, texts->properties[i], &self->events, error))
      return FALSE;
    if (row->offset == G_STRUCT_OFFSET (GstClEventSettings, freeze_noise))
      self->checks_noise = (self->types & GST_CL_EVENT_FREEZE) != 0;
  }

  return !(self->types & GST_CL_EVENT_CARD) || !self->events.card_file ||
         gst_cl_cards_load (self->events.card_file, error);
}

gboolean
settings_parse (Settings *self, gint *argc, gchar ***argv, GError **error)
{
  Texts texts = { 0 };
  const gboolean is_parsed = parse_options (&texts, argc, argv, error) &&
                             take_texts (self, &texts, error);

  clear_texts (&texts);

  return is_parsed;
}
