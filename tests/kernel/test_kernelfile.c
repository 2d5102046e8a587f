/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel files of users: heads, parameters, kernels, mistakes. No device. */

#include "ops/kernel/expression.h"
#include "ops/kernel/kernelfile.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <locale.h>

#define KERNEL(arguments) "__kernel void k (" arguments ") { }\n"
#define COPY              KERNEL ("GST_CL_IN (in), GST_CL_OUT (out)")
#define PARAM(lines)      "//!PARAM p\n" lines "\n" COPY

static GstClKernelFile *
read_file (const gchar *text)
{
  g_autoptr (GError) error = NULL;
  GstClKernelFile *file = gst_cl_kernel_file_new (text, "f.cl", NULL, NULL,
      NULL, &error);

  g_assert_no_error (error);

  return file;
}

static const GstClParameter *
parameter_at (const GstClKernelFile *file, guint i)
{
  fail_unless (i < file->parameters->len);

  return &g_array_index (file->parameters, GstClParameter, i);
}

/* --- expressions ---------------------------------------------------------- */

typedef struct {
  const gchar *text;
  gint64 value;      /* if there is no error */
  const gchar *part; /* of the error's message; NULL: none */
} Expression;

static const Expression expressions[] = {
  { "7", 7, NULL },
  { " iw / 2 ", 160, NULL },
  { "(iw+15)/16", 20, NULL },
  { "iw-ih*2", -160, NULL },
  { "-(ih-1)", -239, NULL },
  { "7/2*2", 6, NULL },
  { "2147483647", G_MAXINT32, NULL },
  { "", 0, "ends too early" },
  { "iw+", 0, "ends too early" },
  { "iw iw", 0, "unexpected \"i\"" },
  { "width", 0, "\"width\" is unknown" },
  { "(iw", 0, "\")\" is missing" },
  { "iw/(ih-240)", 0, "division by zero" },
  { "2147483648", 0, "too large" },
  { "2147483647*2", 0, "32 bits" },
  { "2147483647+1", 0, "32 bits" },
  { "1.5", 0, "unexpected \".\"" },
  { "iw\xc3\x97ih", 0, "unexpected \"\xc3\x97\"." },
  { "\xff", 0, "unexpected \"\xef\xbf\xbd\"." },
};

LOOP_TEST (expressions_are_evaluated, G_N_ELEMENTS (expressions))
{
  static const GstClVariable variables[] = { { "iw", 320 }, { "ih", 240 } };
  const Expression *row = &expressions[__i__];
  g_autoptr (GError) error = NULL;
  gint64 value = 0;
  const gboolean is_good = gst_cl_expression_evaluate (row->text, variables,
      G_N_ELEMENTS (variables), &value, &error);

  fail_unless_equals_int (is_good, row->part == NULL);
  if (is_good)
    fail_unless_equals_int64 (value, row->value);
  if (!is_good)
    fail_unless (strstr (error->message, row->part) != NULL &&
                     g_utf8_validate (error->message, -1, NULL),
        "%s: %s", row->text, error->message);
}

TEST (deep_expressions_are_refused)
{
  g_autofree gchar *text = g_strnfill (100000, '(');
  g_autoptr (GError) error = NULL;
  gint64 value;

  fail_if (gst_cl_expression_evaluate (text, NULL, 0, &value, &error));
  fail_unless (strstr (error->message, "too deep") != NULL);
}

/* --- heads ---------------------------------------------------------------- */

TEST (a_head_has_every_line)
{
  static const gchar text[] =
      "//!DESC A test\n"
      "//!PARAM radius\n"
      "//!DESC Radius of the window\n"
      "//!TYPE int\n"
      "//!MINIMUM 0\n"
      "//!MAXIMUM 64\n"
      "3\n"
      "//!PARAM mode\r\n"
      "//!TYPE ENUM int\n"
      "fast\n"
      "exact\n"
      "\n"
      "//!PARAM gain\n"
      "//!TYPE CONSTANT float2\n"
      "1.5, -2\n"
      "//!PARAM lut\n"
      "//!TYPE FILE float\n"
      "\n"
      "//!PARAM matrix\n"
      "//!TYPE float[9]\n"
      "0 1 0 1 2 1 0 1 0\n"
      "//!FORMATS I420 NV12\n"
      "//!FORMAT GRAY8\n"
      "//!WIDTH iw/2\n"
      "//!HEIGHT ih\n"
      "//!WORK samples\n"
      "//!BUFFER line float ow * 2\n"
      "//!STATISTICS hits uint 3\n"
      "//!PASS first rows\n"
      "//!PASS second\n"
      "__kernel void second (GST_CL_OUT (out),\n"
      "    volatile __global uint *hits) { }\n"
      "kernel __attribute__ ((reqd_work_group_size (8, "
      "8, 1)))\n"
      "void first (GST_CL_IN (in), int radius,\n"
      "    const int mode, global float *line,\n"
      "    GST_CL_ARRAY (float, lut), /* a, comment */\n"
      "    GST_CL_ARRAY (float, matrix)) { }\n";
  g_autoptr (GstClKernelFile) file = read_file (text);
  const GstClKernelFunction *function;

  fail_unless_equals_int (file->parameters->len, 5);
  fail_unless_equals_string (parameter_at (file, 0)->description,
      "Radius of the window");
  fail_unless_equals_int (parameter_at (file, 0)->line, 2);
  fail_unless (parameter_at (file, 0)->maximum == 64);
  fail_unless_equals_int (parameter_at (file, 1)->kind, GST_CL_PARAMETER_ENUM);
  fail_unless_equals_int (g_strv_length (parameter_at (file, 1)->names), 2);
  fail_unless (parameter_at (file, 2)->is_constant);
  fail_unless_equals_int (parameter_at (file, 2)->n, 2);
  fail_unless_equals_int (parameter_at (file, 4)->n, 9);
  fail_unless_equals_string (file->formats[1], "NV12");
  fail_unless_equals_string (file->format, "GRAY8");
  fail_unless_equals_string (file->width, "iw/2");
  fail_unless_equals_string (file->work, "samples");
  fail_unless_equals_int (file->buffers->len, 1);
  fail_unless_equals_int (file->statistics->len, 1);
  fail_unless_equals_int (file->passes->len, 2);
  fail_unless_equals_string (
      g_array_index (file->passes, GstClKernelPass, 0).work, "rows");
  fail_unless_equals_int (
      g_array_index (file->passes, GstClKernelPass, 0).function, 1);
  function = &g_array_index (file->functions, GstClKernelFunction, 1);
  fail_unless_equals_int (function->arguments->len, 6);
  fail_unless_equals_int (
      g_array_index (function->arguments, GstClKernelArgument, 3).kind,
      GST_CL_ARGUMENT_BUFFER);
}

TEST (limits_precede_the_type)
{
  g_autoptr (GstClKernelFile) file = read_file (
      PARAM ("//!MAXIMUM 7\n//!MINIMUM -7\n//!TYPE int\n//!DESC N\n3"));

  fail_unless_equals_float (parameter_at (file, 0)->minimum, -7);
  fail_unless_equals_float (parameter_at (file, 0)->maximum, 7);
}

/* The compiler's line numbers are those of the file. */
TEST (lines_stay_where_they_are)
{
  static const gchar text[] = "//!PARAM n\n//!TYPE DEFINE int\n3\n"
                              "#include \"gst_cl.clh\"\n" COPY;
  g_autoptr (GstClKernelFile) file = read_file (text);
  g_auto (GStrv) lines = g_strsplit (file->text, "\n", -1);

  fail_unless_equals_string (lines[2], "");
  fail_unless_equals_string (lines[3], "");
  fail_unless (g_str_has_prefix (lines[4], "__kernel void k"));
  fail_unless_equals_int (
      g_array_index (file->functions, GstClKernelFunction, 0).line, 5);
}

#define OTHER "__kernel void j () { }\n"

/* Text without kernels, before and after a kernel. */
static const gchar *const no_kernels[] = {
  "/* " OTHER " */\n",
  "// " OTHER,
  "// comment \\\n" OTHER,
  "/*/ " OTHER " */\n",
  "/**/ /***/ /* // */ int i;\n",
  "/* " OTHER "*//* \" */\n",
  "#define C \\\n" OTHER,
  "#define C /*\n*/ " OTHER,
  "  # define C 'kernel' // " OTHER,
  "constant char s[] = \"kernel void j ()\";\n",
  "constant char s[] = \"\\\"kernel void j () /*\";\n",
  "constant char s = '\"', t = '\\'', u = '\\\\';\n",
  "constant char s = '\"'; /* \" */\n",
  "#error don't\n",
  "int my_kernel (int kernels) { return 0; }\n",
  "#if 0\n" OTHER "#endif\n",
  "# if /* never */ 0 // 1\n" OTHER "# endif /* 0 */\n",
  "#if 0\n#if 1\n#else\n" OTHER "#endif\n" OTHER "#endif\n",
  "#if 0\n#ifdef A\n#elif B\n#endif\n" OTHER "#else\nint i;\n#endif\n",
  "#if 0\n" OTHER "#elif 1\nint i;\n#endif\n",
  "#if 1\nint i;\n#endif\n",
};

LOOP_TEST (only_kernels_are_read, G_N_ELEMENTS (no_kernels))
{
  g_autofree gchar *text = g_strconcat (no_kernels[__i__], COPY,
      no_kernels[__i__], NULL);
  g_autoptr (GstClKernelFile) file = read_file (text);

  fail_unless_equals_int (file->functions->len, 1);
}

static const gchar *const two_kernels[] = {
  "#if 0\n#else\n" OTHER "#endif\n",
  "#if 0\n#if 1\n#else\n#endif\n#else\n" OTHER "#endif\n",
  "#if 0\n#endif\n" OTHER,
  "#if 1\n" OTHER "#endif\n",
  "#if 0 + 1\n" OTHER "#endif\n",
  "#ifdef A\n" OTHER "#endif\n",
  "/*\n#if 0\n*/\n" OTHER,
  "constant char s = '\"';\n" OTHER,
  "/*/ */ " OTHER,
};

LOOP_TEST (kernels_of_other_conditions_are_read, G_N_ELEMENTS (two_kernels))
{
  g_autofree gchar *text = g_strconcat (two_kernels[__i__], COPY, NULL);
  g_autoptr (GstClKernelFile)
      file = gst_cl_kernel_file_new (text, "f.cl", NULL, "k", NULL, NULL);

  fail_unless (file != NULL);
  fail_unless_equals_int (file->functions->len, 2);
}

/* --- mistakes ------------------------------------------------------------- */

typedef struct {
  const gchar *text, *part;
} Mistake;

/* Two kernels, in lines 3 and 4. */
#define PASSES(first, second)                                                  \
  "//!PASS a\n//!PASS b\n"                                                     \
  "__kernel void a (" #first ", GST_CL_IN (in)) { }\n"                         \
  "__kernel void b (" #second ", GST_CL_IN (in)) { }\n"

static const Mistake mistakes[] = {
  { "", "f.cl: It has no __kernel." },
  { "/* \xff */" COPY, "f.cl: It is not a text in UTF-8." },
  { "//!PARM p\n" COPY, "f.cl:1: \"//!PARM p\" is not a line" },
  { PARAM ("3"), "f.cl:1: Parameter p has no //!TYPE." },
  { PARAM ("//!TYPE double\n3"), "f.cl:2: \"double\" is not a type" },
  { PARAM ("//!TYPE int5\n3"), "f.cl:2: \"int5\" is not a type" },
  { PARAM ("//!TYPE float4[3]\n3"), "is not a type" },
  { PARAM ("//!TYPE int[0]\n3"), "is not a type" },
  { PARAM ("//!TYPE STATIC int\n3"), "f.cl:2: \"STATIC\" is not DYNAMIC" },
  { PARAM ("//!TYPE int\n//!MINIMUM x\n3"), "f.cl:3: \"x\" is not a number" },
  { PARAM ("//!TYPE int\n//!TYPE int[]\n3"), "f.cl:3: There are two" },
  { PARAM ("//!TYPE int[-1]\n3"), "f.cl:2: \"int[-1]\" is not a type" },
  { PARAM ("//!TYPE int[4294967297]\n3"), "is not a type" },
  { PARAM ("//!TYPE FILE float4\nlut"), "\"float4\" is not a type" },
  { PARAM ("//!TYPE ENUM int[2]\nfast\n"), "f.cl:2: An ENUM is an int" },
  { PARAM ("//!TYPE int\n//!MAXIMUM 1e20\n3"),
      "f.cl:3: The limit 1e20 is not of the type: int." },
  { PARAM ("//!TYPE uint\n//!MINIMUM -1\n3"), "f.cl:3: The limit -1" },
  { PARAM ("//!TYPE int\n//!MINIMUM 0.5\n3"), "f.cl:3: The limit 0.5" },
  { PARAM ("//!TYPE float\n//!MAXIMUM 1e39\n3"), "f.cl:3: The limit 1e39" },
  { PARAM ("//!MINIMUM nan\n//!TYPE float\n3"), "f.cl:2: The limit nan" },
  { PARAM ("//!MAXIMUM 2\n//!TYPE int\n//!MINIMUM 3\n3"),
      "f.cl:4: //!MINIMUM 3 is above //!MAXIMUM 2." },
  { PARAM ("//!TYPE bool\n//!MINIMUM 0\n1"),
      "f.cl:3: Parameter p has no range: numbers, arrays and files" },
  { PARAM ("//!TYPE ENUM int\n//!MAXIMUM 1\nfast\n"), "has no range" },
  { PARAM ("//!TYPE int\n"), "Parameter p has no default" },
  { PARAM ("//!TYPE int\n//!WORK rows"), "Parameter p has no default" },
  { PARAM ("//!TYPE ENUM int\n"), "Parameter p has no names" },
  { PARAM ("//!TYPE int\n1.5"), "f.cl:3: The default: Parameter p takes int" },
  { PARAM ("//!TYPE int\r\n//!MAXIMUM 2\r\n3\r"), "f.cl:4: The default: " },
  { PARAM ("//!TYPE int\n//!MAXIMUM 5\n6"), "to 5, not \"6\"" },
  { PARAM ("//!TYPE int3\n1 2"), "takes int, 3 numbers" },
  { PARAM ("//!TYPE bool\n2"), "takes true or false, not \"2\"" },
  { "//!PARAM 1p\n//!TYPE int\n3\n" COPY, "\"1p\" is not a name" },
  { "//!PARAM p\n//!TYPE int\n3\n//!PARAM p\n//!TYPE int\n3\n" COPY,
      "f.cl:4: The name p is used twice." },
  { PARAM ("//!TYPE float[]\n//!REGIONS\n3"), "and is no int[]" },
  { "//!WORK\n" COPY, "f.cl:1: The line has no value." },
  { "//!BUFFER b float\n" COPY, "NAME TYPE COUNT" },
  { "//!BUFFER b half 3\n" COPY, "\"half\" is not int, uint or float" },
  { "//!BUFFER b int 3\n//!STATISTICS b int 3\n" COPY, "b is used twice" },
  { "//!BUFFER p int 3\n" PARAM ("//!TYPE int\n3"),
      "f.cl:2: The name p is used twice" },
  { "//!BUFFER a int 1\n//!STATISTICS frame uint 1\n" COPY,
      "f.cl:2: A statistic cannot be called frame: messages" },
  { "//!STATISTICS stream-time int 1\n" COPY,
      "f.cl:1: \"stream-time\" is not" },
  { "//!PASS j\n" COPY, "f.cl:1: It has no kernel \"j\"; it has k." },
  { COPY "#include <math.h>\n", "f.cl:2: \"#include <math.h>\"" },
  { COPY "__kernel void j (GST_CL_OUT (out)) { }\n", "It has 2 kernels" },
  { "__kernel __attribute__ ((a\n", "f.cl:1: A parenthesis" },
  { "__kernel void __attribute__\n", "f.cl:1: A parenthesis" },
  { "__kernel int k (GST_CL_OUT (out)) { }\n", "f.cl:1: A kernel returns" },
  { "\n__kernel void k (GST_CL_OUT (out)\n", "f.cl:2: The parameters of" },
  { KERNEL (""), "f.cl:1: The kernel has no frame" },
  { KERNEL ("GST_CL_OUT (out),\n int n"), "f.cl:2: \"n\" is no frame" },
  { KERNEL ("GST_CL_PREVIOUS (b)"), "GST_CL_PREVIOUS has a number" },
  { KERNEL ("GST_CL_PREVIOUS (b, 17)"), "1 to 16" },
  { KERNEL ("GST_CL_PREVIOUS (b, 0)"), "1 to 16" },
  { KERNEL ("GST_CL_PREVIOUS (b, 4294967297)"), "1 to 16" },
  { KERNEL ("GST_CL_PREVIOUS (b, 18446744073709551617)"), "1 to 16" },
  { KERNEL ("GST_CL_IN (b, 0)"), "others have none" },
  { KERNEL ("GST_CL_IN (b, 4294967296)"), "others have none" },
  { KERNEL ("GST_CL_IN (\u00e9)"), "is no frame" },
  { KERNEL ("GST_CL_IN_OUT (a),\nGST_CL_OUT (b)"),
      "f.cl:2: A file has frames GST_CL_IN_OUT or GST_CL_OUT (line 1), not" },
  { PASSES (GST_CL_IN (f), GST_CL_OUT (f)),
      "f.cl:4: Frame f is the output, in line 3 the first input: " },
  { PASSES (GST_CL_IN (f), GST_CL_IN_OUT (f)),
      "f.cl:4: Frame f is the output" },
  { PASSES (GST_CL_OUT (f), GST_CL_PREVIOUS (f, 1)),
      "f.cl:4: Frame f is the first input, in line 3 the output: " },
  { "//!PASS b\n//!PASS a\n"
    "__kernel void a (GST_CL_PREVIOUS (g, 1), GST_CL_OUT (out)) { }\n"
    "__kernel void b (GST_CL_IN (f), GST_CL_IN (g)) { }\n",
      "f.cl:3: Frame g is the first input, in line 4 another input: " },
  { "//!WIDTH iw/2\n" KERNEL ("GST_CL_IN_OUT (a)"), "has the format and size" },
  { "//!PARAM p\n//!TYPE float\n3\n" KERNEL ("GST_CL_OUT (out), int p"),
      "f.cl:4: Parameter p is declared as \"int\", its //!TYPE is float." },
  { "//!PARAM p\n//!TYPE DEFINE int\n3\n" KERNEL ("GST_CL_OUT (out), int p"),
      "is compiled into the program" },
  { "//!PARAM p\n//!TYPE int[]\n3\n" KERNEL ("GST_CL_OUT (out), int p"),
      "not as GST_CL_ARRAY (int, p)" },
  { "//!BUFFER b int 3\n" KERNEL ("GST_CL_OUT (out), int b"),
      "not as __global int *b" },
};

/* Frames of the same name that are the same, or not launched. */
TEST (a_name_is_one_frame)
{
  g_autoptr (GstClKernelFile) file = read_file (
      "//!PASS a\n//!PASS b\n"
      "__kernel void a (GST_CL_IN (f), GST_CL_OUT (out)) { }\n"
      "__kernel void b (GST_CL_PREVIOUS (f, 2), GST_CL_OUT (out)) { }\n"
      "__kernel void c (GST_CL_IN_OUT (f)) { }\n");

  fail_unless_equals_int (file->inputs->len, 1);
  fail_unless_equals_int (file->n_previous, 2);
  fail_if (file->is_in_place);
}

LOOP_TEST (mistakes_name_file_and_line, G_N_ELEMENTS (mistakes))
{
  const Mistake *row = &mistakes[__i__];
  g_autoptr (GError) error = NULL;

  fail_unless (gst_cl_kernel_file_new (row->text, "f.cl", NULL, NULL, NULL,
                   &error) == NULL);
  fail_unless (
      g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  fail_unless (strstr (error->message, row->part) != NULL,
      "expected \"%s\", found \"%s\"", row->part, error->message);
}

/* A message's own fields are no names for statistics; buffers are in none. */
TEST (statistics_keep_the_fields_of_messages)
{
  static const gchar *const fields[] = { "timestamp", "duration", "frame",
    "element", "earlier" };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    g_autofree gchar *list = g_strdup_printf ("%s:uint:1", fields[i]);
    g_autofree gchar *buffer = g_strdup_printf ("//!BUFFER %s int 1\n" COPY,
        fields[i]);
    g_autoptr (GstClKernelFile) file = read_file (buffer);
    g_autoptr (GError) error = NULL;

    fail_unless_equals_int (file->buffers->len, 1);
    fail_unless (gst_cl_kernel_file_new (COPY, "f.cl", NULL, NULL, list,
                     &error) == NULL);
    fail_unless (strstr (error->message, fields[i]) != NULL);
  }
}

TEST (statistics_of_the_property)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstClKernelFile) file = gst_cl_kernel_file_new (
      KERNEL ("GST_CL_IN (in), __global int *a, __global uint *b"), "f.cl",
      NULL, NULL, "a:int:1, b:uint:4*4", &error);

  g_assert_no_error (error);
  fail_unless_equals_int (file->statistics->len, 2);
  fail_unless (gst_cl_kernel_file_new (COPY, "f.cl", NULL, NULL, "a:int",
                   &error) == NULL);
  fail_unless (strstr (error->message, "NAME:TYPE:COUNT") != NULL);
}

TEST (files_that_cannot_be_read)
{
  g_autofree gchar *path = g_build_filename (g_get_tmp_dir (),
      "test_kernelfile.cl", NULL);
  g_autoptr (GError) error = NULL;

  fail_unless (g_file_set_contents (path, "\xff\xfe", -1, NULL));
  fail_unless (gst_cl_kernel_file_load (path, NULL, NULL, &error) == NULL);
  fail_unless (strstr (error->message, "UTF-8") != NULL);
  g_clear_error (&error);
  fail_unless (g_file_set_contents (path, "a\0b", 3, NULL));
  fail_unless (gst_cl_kernel_file_load (path, NULL, NULL, &error) == NULL);
  fail_unless (strstr (error->message, "UTF-8") != NULL);
  g_clear_error (&error);
  g_unlink (path);
  fail_unless (gst_cl_kernel_file_load (path, NULL, NULL, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ));
}

/* --- values --------------------------------------------------------------- */

static const gchar typed[] = "//!PARAM i\n//!TYPE int\n//!MAXIMUM 9\n3\n"
                             "//!PARAM f\n//!TYPE float\n1.5\n"
                             "//!PARAM v\n//!TYPE float3\n1 2 3\n"
                             "//!PARAM b\n//!TYPE bool\nyes\n"
                             "//!PARAM e\n//!TYPE ENUM int\nlow\nhigh\n\n"
                             "//!PARAM a\n//!TYPE uint[]\n1 2\n" COPY;
#define N_TYPED 6

typedef struct {
  const gchar *text; /* the property */
  gdouble first[N_TYPED];
  const gchar *part; /* of the error's message; NULL: none */
} Values;

static const Values values_rows[] = {
  { "p", { 3, 1.5, 1, 1, 0, 1 }, NULL },
  { "p, i=7", { 7, 1.5, 1, 1, 0, 1 }, NULL },
  { "p, i=7.0, f=-2, b=false, e=HIGH", { 7, -2, 1, 0, 1, 1 }, NULL },
  { "p, f=0.1, v=<4.0,5.0,6.0>, a=<7,8,9>", { 3, 0.1, 4, 1, 0, 7 }, NULL },
  { "p, v=\"4 5 6\", a=(string)\"8\", i=(uint)2", { 2, 1.5, 4, 1, 0, 8 },
      NULL },
  { "p, j=1", { 0 }, "no parameter \"j\"; it has i, f, v, b, e, a." },
  { "p, i=10", { 0 },
      "f.cl:1: Parameter i takes int, -2147483648 to 9, not "
      "\"10\"" },
  { "p, i=1.5", { 0 }, "Parameter i takes int" },
  { "p, i=true", { 0 }, "Parameter i takes int" },
  { "p, i=abc", { 0 }, "not \"abc\"" },
  { "p, f=(string)\"nan\"", { 0 }, "Parameter f takes float" },
  { "p, v=<1,2>", { 0 }, "takes float, 3 numbers" },
  { "p, b=2", { 0 }, "true or false" },
  { "p, e=medium", { 0 }, "one of low, high, not \"medium\"" },
  { "p, e=2", { 0 }, "one of low, high" },
  { "p, a=<-1>", { 0 }, "takes numbers (uint)" },
};

LOOP_TEST (values_have_types_and_ranges, G_N_ELEMENTS (values_rows))
{
  const Values *row = &values_rows[__i__];
  g_autoptr (GstClKernelFile) file = read_file (typed);
  g_autoptr (GstStructure)
      structure = gst_structure_new_from_string (row->text);
  GstClParameterValue values[N_TYPED] = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean is_good;

  fail_unless (structure != NULL);
  is_good = gst_cl_kernel_file_values (file, structure, NULL, values, &error);
  fail_unless_equals_int (is_good, row->part == NULL);
  for (guint i = 0; is_good && i < N_TYPED; i++)
    fail_unless_equals_float (values[i].numbers[0], row->first[i]);
  if (!is_good)
    fail_unless (strstr (error->message, row->part) != NULL,
        "expected \"%s\", found \"%s\"", row->part, error->message);
  for (guint i = 0; i < N_TYPED; i++)
    gst_cl_parameter_value_clear (&values[i]);
}

/* A file has numbers in lines; words, as those of .cube files, are left out. */
TEST (a_file_of_numbers)
{
  static const gchar text[] = "//!PARAM lut\n//!TYPE FILE float\n"
                              "//!MAXIMUM 2\n\n" COPY;
  g_autoptr (GstClKernelFile) file = read_file (text);
  g_autofree gchar *path = g_build_filename (g_get_tmp_dir (),
      "test_kernelfile.cube", NULL);
  GstClParameterValue value = { 0 };
  g_autoptr (GError) error = NULL;

  fail_unless (g_file_set_contents (path,
      "TITLE \"1 2\"\nLUT_3D_SIZE 2\n# 5\n0.5 1e-3 2\n\n-1, .25\r\n", -1,
      NULL));
  fail_unless (gst_cl_parameter_parse (parameter_at (file, 0),
      "test_kernelfile.cube", g_get_tmp_dir (), &value, &error));
  g_assert_no_error (error);
  fail_unless_equals_int (value.n, 5);
  fail_unless_equals_float (value.numbers[1], 1e-3);
  fail_unless_equals_float (value.numbers[4], .25);
  gst_cl_parameter_value_clear (&value);

  fail_unless (g_file_set_contents (path, "0.5 2.5\n", -1, NULL));
  fail_if (gst_cl_parameter_parse (parameter_at (file, 0), path, NULL, &value,
      &error));
  fail_unless (strstr (error->message, "to 2, not") != NULL);
  g_clear_error (&error);

  g_unlink (path);
  fail_if (gst_cl_parameter_parse (parameter_at (file, 0), path, NULL, &value,
      &error));
  fail_unless (g_str_has_prefix (error->message, "Parameter lut: "));
}

/* Messages are UTF-8 whatever the value is, and of a limited length. */
TEST (messages_of_values_are_utf8)
{
  static const gchar *const words[] = { "a", "\xc3\xa9", "\xff" };
  g_autoptr (GstClKernelFile) file = read_file (typed);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    g_autofree gchar *text = g_strjoin ("", words[i], words[i], words[i], NULL);
    g_autoptr (GString) given = g_string_new ("-");
    GstClParameterValue value = { 0 };
    g_autoptr (GError) error = NULL;

    while (given->len < 500)
      g_string_append (given, text);
    fail_if (gst_cl_parameter_parse (parameter_at (file, 0), given->str, NULL,
        &value, &error));
    fail_unless (g_utf8_validate (error->message, -1, NULL));
    fail_unless_equals_int (
        g_utf8_strlen (strstr (error->message, "not \""), -1), 5 + 60 + 2);
  }
}

/* A FILE is not read again for other parameters, only for another path. */
TEST (files_are_read_once)
{
  static const gchar text[] = "//!PARAM lut\n//!TYPE FILE float\n\n"
                              "//!PARAM n\n//!TYPE int\n1\n" COPY;
  g_autoptr (GstClKernelFile) file = read_file (text);
  g_autofree gchar *path = g_build_filename (g_get_tmp_dir (),
      "test_kernelfile.lut", NULL);
  g_autoptr (GstStructure)
      earlier = gst_structure_new ("p", "lut", G_TYPE_STRING, path, NULL);
  g_autoptr (GstStructure) next = gst_structure_new ("p", "lut", G_TYPE_STRING,
      path, "n", G_TYPE_INT, 5, NULL);
  GstClParameterValue values[2] = { 0 }, again[2] = { 0 }, gone[2] = { 0 };
  const GstClKernelValues before = { earlier, values };

  fail_unless (g_file_set_contents (path, "1 2 3", -1, NULL));
  fail_unless (gst_cl_kernel_file_values (file, earlier, NULL, values, NULL));
  g_unlink (path);
  fail_unless (gst_cl_kernel_file_values (file, next, &before, again, NULL));
  fail_unless_equals_int (again[0].n, 3);
  fail_unless_equals_float (again[0].numbers[2], 3);
  fail_unless_equals_float (again[1].numbers[0], 5);
  gst_structure_set (next, "lut", G_TYPE_STRING, "/nonexistent", NULL);
  fail_if (gst_cl_kernel_file_values (file, next, &before, gone, NULL));
  for (guint i = 0; i < 2; i++) {
    gst_cl_parameter_value_clear (&values[i]);
    gst_cl_parameter_value_clear (&again[i]);
    gst_cl_parameter_value_clear (&gone[i]);
  }
}

typedef struct {
  const gchar *type, *value, *literal;
} Literal;

static const Literal literals[] = {
  { "DEFINE int", "-3", "(-3)" },
  { "CONSTANT int", "-2147483648", "((int) (-2147483647 - 1))" },
  { "DEFINE uint", "4294967295", "4294967295u" },
  { "DEFINE float", "1.5", "1.500000000e+00f" },
  { "CONSTANT float2", "0.1 -1",
      "((float2) (1.000000000e-01f, "
      "(-1.000000000e+00f)))" },
  { "DEFINE int[2]", "1 2", "{ 1, 2 }" },
  { "CONSTANT float[]", "1", "{ 1.000000000e+00f }" },
};

/* Numbers in source text have a point in each locale. */
LOOP_TEST (literals_do_not_depend_on_the_locale, G_N_ELEMENTS (literals))
{
  const Literal *row = &literals[__i__];
  g_autofree gchar *text = g_strdup_printf ("//!PARAM p\n//!TYPE %s\n%s\n" COPY,
      row->type, row->value);
  g_autoptr (GstClKernelFile) file = read_file (text);
  GstClParameterValue value = { 0 };
  g_autofree gchar *literal = NULL;

  setlocale (LC_NUMERIC, "de_DE.UTF-8");
  fail_unless (gst_cl_kernel_file_values (file, NULL, NULL, &value, NULL));
  literal = gst_cl_parameter_literal (parameter_at (file, 0), &value);
  fail_unless_equals_string (literal, row->literal);
  gst_cl_parameter_value_clear (&value);
}

SUITE (NULL);
