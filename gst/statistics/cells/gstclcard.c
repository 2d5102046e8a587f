/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known pictures, and the event card. */

#include "gstclcard.h"

#include "statistics/series/gstcleventsprivate.h"

#define BLACK 0
#define WHITE 1000

/* The greatest level of files and frames, so that sums of levels fit their
 * types: a line of clqc-replay may have any numbers. */
#define MAX_LEVEL 10000
#define UNKNOWN   G_MAXINT16 /* a level that standards do not agree about */

/* A level of R', G' or B' agrees up to this difference: less than half of that
 * between bars of 75 % and of 100 %. Luma has less of coding errors, and of
 * noise. In a card of words, luma must agree better: cells with other words
 * differ by less than cells of other pictures. */
#define TOLERANCE       100
#define LUMA_TOLERANCE  50
#define WORDS_TOLERANCE 25

/* A card of which fewer cells are marked has words. */
#define WORDS_MARKED (GST_CL_N_CELLS / 20)

/* A frame shows a card from these percentages of all its cells and of the
 * marked ones on, and until there are fewer than the others. */
#define PERCENT              90
#define MARKED_PERCENT       80
#define LEAVE_PERCENT        85
#define LEAVE_MARKED_PERCENT 70

/* The share by which another card must be better than that of the frame before,
 * so that noise does not alternate them. */
#define SWITCH_SHARE 0.02

/* A card has at least so many marked cells: those of too few words agree with
 * other words, too. */
#define MIN_MARKED 16

#define GRID                                                                   \
  G_STRINGIFY (GST_CL_CELLS_COLUMNS) "x" G_STRINGIFY (GST_CL_CELLS_ROWS)

/* --- levels --------------------------------------------------------------- */

/* Weights of R' and B' in Y', in units of 1 / ONE. Bars may have been made or
 * converted for a matrix that the caps do not name: all are tried. */
#define ONE 10000

static const struct {
  gint r, b;
} matrices[] = {
  { 2990, 1140 }, /* ITU-R BT.601 */
  { 2126, 722 },  /* ITU-R BT.709 */
  { 2627, 593 },  /* ITU-R BT.2020 */
};

static gint
get_luma (const gint16 *rgb, guint matrix)
{
  const gint r = matrices[matrix].r, b = matrices[matrix].b;

  return (r * rgb[0] + (ONE - r - b) * rgb[1] + b * rgb[2]) / ONE;
}

static gboolean
are_alike (const gint16 *a, const gint16 *b)
{
  for (guint c = 0; c < 3; c++) {
    if (ABS (a[c] - b[c]) > TOLERANCE)
      return FALSE;
  }

  return TRUE;
}

/* --- built-in cards ------------------------------------------------------- */

/* Positions are in units of which a picture has this many: all bars of the
 * standards end at whole units. */
#define X_UNITS 168
#define Y_UNITS 12

#define MAX_BARS 12

typedef struct {
  guint width; /* 0 ends the list */
  gint16 r, g, b;
} Bar;

typedef struct {
  const gchar *card;
  guint top, bottom;
  Bar bars[MAX_BARS];
} Band;

#define GREY(width, level)                                                     \
  {                                                                            \
    width, level, level, level                                                 \
  }
#define COLORS(width, level)                                                   \
  { width, level, level, BLACK }, { width, BLACK, level, level },              \
      { width, BLACK, level, BLACK }, { width, level, BLACK, level },          \
      { width, level, BLACK, BLACK },                                          \
  {                                                                            \
    width, BLACK, BLACK, level                                                 \
  }

#define RP_219    "smpte-rp-219"
#define EBU_75    "ebu-100-0-75-0"
#define EBU_100   "ebu-100-0-100-0"
#define SMPTE_170 "smpte-170m"

/* The bands of a card are consecutive. Bands of a twelfth of the height are
 * left out: they contain no cell as a whole. SMPTE RP 219-2002; EBU bars of
 * ITU-R BT.471-1; SMPTE EG 1-1990, the bars of SMPTE 170M. */
static const Band bands[] = {
  { RP_219, 0, 7,
      { GREY (21, 400), GREY (18, 750), COLORS (18, 750), GREY (21, 400) } },
  { RP_219, 9, 12,
      { GREY (21, 150), GREY (27, BLACK), GREY (36, WHITE), GREY (15, BLACK),
          GREY (6, -20), GREY (6, BLACK), GREY (6, 20), GREY (6, BLACK),
          GREY (6, 40), GREY (18, BLACK), GREY (21, 150) } },
  { EBU_75, 0, 12, { GREY (21, WHITE), COLORS (21, 750), GREY (21, BLACK) } },
  { EBU_100, 0, 12,
      { GREY (21, WHITE), COLORS (21, WHITE), GREY (21, BLACK) } },
  { SMPTE_170, 0, 8, { GREY (24, 750), COLORS (24, 750) } },
  { SMPTE_170, 9, 12,
      { GREY (30, UNKNOWN) /* -I */, GREY (30, WHITE),
          GREY (30, UNKNOWN) /* +Q */, GREY (30, BLACK), GREY (8, -40),
          GREY (8, BLACK), GREY (8, 40), GREY (24, BLACK) } },
};

/* Returns TRUE if cell @index of @n, and a quarter of a cell around it, is
 * between @start and @end, in units of @n_units. Bars are rounded to samples,
 * and scaling blurs their edges. */
static gboolean
is_within (gint index, gint n, gint start, gint end, gint n_units)
{
  const gint from = MAX (4 * index - 1, 0), to = MIN (4 * index + 5, 4 * n);

  return from * n_units >= start * 4 * n && to * n_units <= end * 4 * n;
}

/* Sets the cells of @card that are in @bar, which begins at @x. */
static void
add_bar (GstClCard *card, const Band *band, const Bar *bar, gint x)
{
  for (gint i = 0; i < GST_CL_N_CELLS; i++) {
    const gint column = i % GST_CL_CELLS_COLUMNS;
    const gint row = i / GST_CL_CELLS_COLUMNS;

    if (bar->r == UNKNOWN ||
        !is_within (column, GST_CL_CELLS_COLUMNS, x, x + bar->width, X_UNITS) ||
        !is_within (row, GST_CL_CELLS_ROWS, band->top, band->bottom, Y_UNITS))
      continue;
    card->cells[i].is_known = TRUE;
    card->cells[i].rgb[0] = bar->r;
    card->cells[i].rgb[1] = bar->g;
    card->cells[i].rgb[2] = bar->b;
  }
}

static void
add_band (GstClCard *card, const Band *band)
{
  gint x = 0;

  for (guint i = 0; i < MAX_BARS && band->bars[i].width > 0; i++) {
    add_bar (card, band, &band->bars[i], x);
    x += band->bars[i].width;
  }
}

/* Returns TRUE if cells @i and @j of @card have the same colour. */
static gboolean
is_same_colour (const GstClCard *card, guint i, guint j)
{
  const gint16 *a = card->cells[i].rgb, *b = card->cells[j].rgb;

  return are_alike (a, b) &&
         (!card->has_words ||
             ABS (get_luma (a, 0) - get_luma (b, 0)) <= WORDS_TOLERANCE);
}

/* Returns the number of known cells of the colour of cell @index. */
static guint
count_alike (const GstClCard *card, guint index)
{
  guint n = 0;

  for (guint i = 0; i < GST_CL_N_CELLS; i++)
    n += card->cells[i].is_known && is_same_colour (card, i, index);

  return n;
}

/* Sets which cells are marked. */
static void
mark_cells (GstClCard *card)
{
  guint most = 0, frequent = 0;

  for (guint i = 0; i < GST_CL_N_CELLS; i++) {
    const guint n = card->cells[i].is_known ? count_alike (card, i) : 0;

    if (n > most) {
      most = n;
      frequent = i;
    }
  }

  card->n_known = card->n_marked = 0;
  for (guint i = 0; i < GST_CL_N_CELLS; i++) {
    card->cells[i].is_marked = card->cells[i].is_known &&
                               !is_same_colour (card, i, frequent);
    card->n_known += card->cells[i].is_known;
    card->n_marked += card->cells[i].is_marked;
  }
}

/* Sets which cells of @card are marked, and whether it has words. */
static void
mark (GstClCard *card)
{
  mark_cells (card);
  if (card->n_marked >= WORDS_MARKED)
    return;

  card->has_words = TRUE;
  mark_cells (card);
}

static gpointer
make_built_in (gpointer unused)
{
  GPtrArray *cards = g_ptr_array_new ();
  GstClCard *card = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bands); i++) {
    if (i == 0 || !g_str_equal (bands[i].card, card->name)) {
      card = g_new0 (GstClCard, 1);
      card->name = bands[i].card;
      card->has_chroma = TRUE;
      g_ptr_array_add (cards, card);
    }
    add_band (card, &bands[i]);
  }
  for (guint i = 0; i < cards->len; i++)
    mark (g_ptr_array_index (cards, i));

  return cards;
}

static const GPtrArray *
built_in (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, make_built_in, NULL);
}

/* --- files ---------------------------------------------------------------- */

/* What a file contained when it was read. Detectors use the cards: nothing is
 * freed. */
typedef struct File {
  gchar *text;
  GPtrArray *cards;    /* GstClCard, the built-in ones first */
  struct File *before; /* its earlier content, or NULL */
} File;

G_LOCK_DEFINE_STATIC (files);
static GHashTable *files; /* File by path */

/* Sets @error, which names the card. FALSE. */
static gboolean G_GNUC_PRINTF (3, 4)
    refuse (const gchar *card, GError **error, const gchar *format, ...)
{
  g_autofree gchar *reason = NULL;
  va_list arguments;

  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE,
      "card '%s': %s", card, reason);

  return FALSE;
}

static gboolean
read_levels (GstClCard *card, GKeyFile *file, const gchar *group,
    GError **error)
{
  const guint n_wanted = GST_CL_N_CELLS * (card->has_chroma ? 3 : 1);
  gsize n;
  g_autofree gint *levels = g_key_file_get_integer_list (file, group, "levels",
      &n, error);

  if (!levels) {
    g_prefix_error (error, "card '%s': ", group);
    return FALSE;
  }
  if (n != n_wanted)
    return refuse (group, error, "levels does not have %u numbers", n_wanted);

  for (gsize i = 0; i < n; i++) {
    if (levels[i] < -MAX_LEVEL || levels[i] > MAX_LEVEL)
      return refuse (group, error, "level %d is not within -%d and %d",
          levels[i], MAX_LEVEL, MAX_LEVEL);
  }
  for (guint i = 0; i < GST_CL_N_CELLS; i++) {
    card->cells[i].is_known = TRUE;
    for (guint c = 0; c < 3; c++)
      card->cells[i].rgb[c] = card->has_chroma ? levels[3 * i + c] : levels[i];
  }

  return TRUE;
}

static gboolean
read_card (GstClCard *card, GKeyFile *file, const gchar *group, GError **error)
{
  g_autofree gchar *grid = g_key_file_get_string (file, group, "grid", error);
  g_autofree gchar *components = NULL;

  if (!grid)
    return FALSE;
  if (!g_str_equal (grid, GRID))
    return refuse (group, error, "grid is not " GRID);
  components = g_key_file_get_string (file, group, "components", error);
  if (!components)
    return FALSE;
  card->has_chroma = g_str_equal (components, "RGB");
  if (!card->has_chroma && !g_str_equal (components, "Y"))
    return refuse (group, error, "components is neither RGB nor Y");
  if (!read_levels (card, file, group, error))
    return FALSE;

  mark (card);
  if (card->n_marked < MIN_MARKED)
    return refuse (group, error,
        "fewer than %d cells differ from its most frequent colour", MIN_MARKED);

  return TRUE;
}

/* Returns the cards of @file and, before them, the built-in ones. NULL with
 * @error. */
static GPtrArray *
read_cards (GKeyFile *file, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  const GPtrArray *standard = built_in ();
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *cards;

  for (guint i = 0; groups[i]; i++) {
    GstClCard *card = g_new0 (GstClCard, 1);

    g_ptr_array_add (own, card);
    card->name = g_intern_string (groups[i]);
    if (!read_card (card, file, groups[i], error))
      return NULL;
  }

  cards = g_ptr_array_new ();
  for (guint i = 0; i < standard->len; i++)
    g_ptr_array_add (cards, g_ptr_array_index (standard, i));
  for (guint i = 0; i < own->len; i++)
    g_ptr_array_add (cards, g_ptr_array_index (own, i));
  g_ptr_array_set_free_func (own, NULL);

  return cards;
}

/* Returns the newest File of @path; NULL if there is none. */
static File *
find_file (const gchar *path)
{
  return files ? g_hash_table_lookup (files, path) : NULL;
}

/* Reads @text, which @path contains. FALSE with @error. */
static gboolean
load_text (const gchar *path, const gchar *text, gsize length, GError **error)
{
  g_autoptr (GKeyFile) key_file = g_key_file_new ();
  File *before = find_file (path), *file;
  GPtrArray *cards = NULL;

  if (!g_utf8_validate (text, length, NULL)) {
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_UNKNOWN_ENCODING,
        "not UTF-8");
    return FALSE;
  }
  if (before && g_str_equal (before->text, text))
    return TRUE;

  if (g_key_file_load_from_data (key_file, text, length, G_KEY_FILE_NONE,
          error))
    cards = read_cards (key_file, error);
  if (!cards)
    return FALSE;

  if (!files)
    files = g_hash_table_new (g_str_hash, g_str_equal);
  file = g_new (File, 1);
  *file = (File){ g_strdup (text), cards, before };
  g_hash_table_replace (files, (gpointer) g_intern_string (path), file);

  return TRUE;
}

gboolean
gst_cl_cards_load (const gchar *path, GError **error)
{
  g_autofree gchar *text = NULL;
  gsize length;
  gboolean is_loaded;

  if (!g_file_get_contents (path, &text, &length, error))
    return FALSE;

  G_LOCK (files);
  is_loaded = load_text (path, text, length, error);
  G_UNLOCK (files);
  if (!is_loaded)
    g_prefix_error (error, "%s: ", path);

  return is_loaded;
}

const GPtrArray *
gst_cl_cards_find (const gchar *path)
{
  const File *file;

  if (!path)
    return built_in ();

  G_LOCK (files);
  file = find_file (path);
  G_UNLOCK (files);

  return file ? file->cards : built_in ();
}

/* --- levels of a frame ---------------------------------------------------- */

/* The levels of all cells, or of their luma alone, in thousandths. */
typedef struct {
  gboolean has_chroma;
  guint matrix;
  gint16 rgb[GST_CL_N_CELLS][3]; /* without chroma, the luma is in the first */
} Levels;

/* How a mean becomes thousandths: of a mean in 1 / 256 of a code of 8 bits. */
typedef struct {
  gint offset, range;
} Scale;

static Scale
get_scale (const GstClSeriesFrame *frame, gboolean is_chroma)
{
  const gint center = is_chroma ? 128 << 8 : 0;

  if (frame->is_full_range)
    return (Scale){ center, ((1 << frame->depth) - 1) << (16 - frame->depth) };

  return is_chroma ? (Scale){ center, 224 << 8 } : (Scale){ 16 << 8, 219 << 8 };
}

static gint
get_level (const GstClSeriesFrame *frame, guint component, guint cell,
    Scale scale)
{
  const guint64 mean = (guint64) frame->cells[component][cell]
                       << (16 - frame->depth);

  const gint64 level = ((gint64) (mean / GST_CL_CELL_ONE) - scale.offset) *
                       WHITE / scale.range;

  return CLAMP (level, -MAX_LEVEL, MAX_LEVEL);
}

/* Converts the levels of a cell from Y'CbCr. */
static void
convert (gint16 *rgb, gint luma, gint cb, gint cr, guint matrix)
{
  const gint r = matrices[matrix].r, b = matrices[matrix].b;
  const gint red = luma + 2 * (ONE - r) * cr / ONE;
  const gint blue = luma + 2 * (ONE - b) * cb / ONE;

  rgb[0] = red;
  rgb[1] = (ONE * luma - r * red - b * blue) / (ONE - r - b);
  rgb[2] = blue;
}

static void
get_levels (Levels *levels, const GstClSeriesFrame *frame, guint matrix)
{
  const Scale luma = get_scale (frame, FALSE), chroma = get_scale (frame, TRUE);

  levels->has_chroma = frame->n_components == 3;
  levels->matrix = matrix;
  for (guint i = 0; i < GST_CL_N_CELLS; i++) {
    gint16 *rgb = levels->rgb[i];

    rgb[0] = get_level (frame, 0, i, luma);
    if (!levels->has_chroma)
      continue;
    if (frame->is_rgb) {
      rgb[1] = get_level (frame, 1, i, luma);
      rgb[2] = get_level (frame, 2, i, luma);
    } else {
      convert (rgb, rgb[0], get_level (frame, 1, i, chroma),
          get_level (frame, 2, i, chroma), matrix);
    }
  }
}

/* --- comparison ----------------------------------------------------------- */

/* Numbers of cells that agree. */
typedef struct {
  guint n, n_marked;
} Score;

static gint
get_luma_of_cell (const Levels *levels, guint cell)
{
  return levels->has_chroma ? get_luma (levels->rgb[cell], levels->matrix)
                            : levels->rgb[cell][0];
}

/* Returns TRUE if cell @index of @levels agrees with that of @card. */
static gboolean
agrees (const GstClCard *card, const Levels *levels, guint index)
{
  const gint16 *rgb = card->cells[index].rgb;
  const gint difference = ABS (
      get_luma (rgb, levels->matrix) - get_luma_of_cell (levels, index));

  if (card->has_words && difference > WORDS_TOLERANCE)
    return FALSE;

  return card->has_chroma && levels->has_chroma
             ? are_alike (rgb, levels->rgb[index])
             : difference <= LUMA_TOLERANCE;
}

static Score
compare (const GstClCard *card, const Levels *levels)
{
  Score score = { 0, 0 };

  for (guint i = 0; i < GST_CL_N_CELLS; i++) {
    if (!card->cells[i].is_known || !agrees (card, levels, i))
      continue;
    score.n++;
    score.n_marked += card->cells[i].is_marked;
  }

  return score;
}

/* Returns TRUE if @score has these percentages of the cells of @card. */
static gboolean
reaches (const GstClCard *card, const Score *score, guint percent,
    guint marked_percent)
{
  return 100 * score->n >= percent * card->n_known &&
         100 * score->n_marked >= marked_percent * card->n_marked;
}

/* Returns TRUE if levels follow from the cells of @frame: one of R, G and B
 * alone says nothing. */
static gboolean
has_levels (const GstClSeriesFrame *frame)
{
  return frame->cells[0] && (!frame->is_rgb || frame->n_components == 3);
}

/* Raises @scores[i] to the score of card i of @cards. */
static void
compare_all (const GPtrArray *cards, const GstClSeriesFrame *frame,
    Score *scores)
{
  for (guint m = 0; m < G_N_ELEMENTS (matrices); m++) {
    Levels levels;

    get_levels (&levels, frame, m);
    for (guint i = 0; i < cards->len; i++) {
      const Score score = compare (g_ptr_array_index (cards, i), &levels);

      if (score.n > scores[i].n)
        scores[i] = score;
    }
  }
}

const GstClCard *
gst_cl_card_recognize (const GPtrArray *cards, const GstClSeriesFrame *frame,
    const GstClCard *before, gdouble *share)
{
  g_autofree Score *scores = g_new0 (Score, cards->len);
  const GstClCard *best = NULL;
  gdouble most = 0.0;

  *share = 0.0;
  if (!has_levels (frame))
    return NULL;

  compare_all (cards, frame, scores);
  for (guint i = 0; i < cards->len; i++) {
    const GstClCard *card = g_ptr_array_index (cards, i);
    const gboolean is_before = card == before;
    const gdouble own = gst_cl_ratio (scores[i].n, card->n_known);
    const gdouble rank = own + (is_before ? SWITCH_SHARE : 0.0);

    if (rank > most &&
        reaches (card, &scores[i], is_before ? LEAVE_PERCENT : PERCENT,
            is_before ? LEAVE_MARKED_PERCENT : MARKED_PERCENT)) {
      most = rank;
      *share = own;
      best = card;
    }
  }

  return best;
}

/* --- the event ------------------------------------------------------------ */

typedef struct {
  GstClSpan span;
  const GstClCard *card; /* when the span has begun */
} Card;

static void
step_span (Card *self, const GstClDetection *detection, const GstClInstant *at,
    gboolean is_shown, gdouble share)
{
  GstClDetection named = *detection;

  named.word = self->card->name;
  gst_cl_span_step (&self->span, &named, at, is_shown, is_shown,
      detection->settings->card_min_duration, &share);
}

static void
step (gpointer state, const GstClDetection *detection, const GstClInstant *at,
    const GstClSeriesFrame *frame)
{
  Card *self = state;
  const GPtrArray *cards = gst_cl_cards_find (detection->settings->card_file);
  gdouble share;
  const GstClCard *card = gst_cl_card_recognize (cards, frame,
      self->span.has_begun ? self->card : NULL, &share);

  if (self->span.has_begun && card != self->card)
    step_span (self, detection, at, FALSE, self->span.values[0]);
  if (card) {
    self->card = card;
    step_span (self, detection, at, TRUE, share);
  }
}

static void
finish (gpointer state, const GstClDetection *detection,
    const GstClInstant *at_end)
{
  Card *self = state;
  GstClDetection named = *detection;

  named.word = self->card ? self->card->name : NULL;
  gst_cl_span_finish (&self->span, &named, at_end);
}

static const GstClProperty card_properties[] = {
  /**
   * GstClFrameSum:card-file:
   *
   * File with known pictures for the event `card`, besides the built-in colour
   * bars: `clqc learn --card` writes it.
   *
   * Since: 0.3
   */
  { "card-file", "File with known pictures, besides the built-in colour bars",
      GST_CL_PROPERTY_STRING, GST_CL_EVENT_FIELD (card_file),
      GST_PARAM_MUTABLE_PLAYING, GST_CL_CHANGE_OPS, .values.s = { NULL } },

  /**
   * GstClFrameSum:card-min-duration:
   *
   * Minimum duration of an event `card`.
   *
   * Since: 0.3
   */
  { "card-min-duration", "Minimum duration of an event card, in nanoseconds",
      GST_CL_EVENT_UINT64 (card_min_duration, GST_SECOND / 2) },
  { .name = NULL },
};

const GstClDetector gst_cl_detect_card = {
  .type = GST_CL_EVENT_CARD,
  .name = "card",
  .needs = GST_CL_STATISTIC (CELLS),
  .word = "card",
  .values = { "share" },
  .state_bytes = sizeof (Card),
  .step = step,
  .finish = finish,
  .properties = card_properties,
};
