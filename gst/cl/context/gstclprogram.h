/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "gstclcontext.h"

G_BEGIN_DECLS

/* --- sources -------------------------------------------------------------- */

/* Embedded kernel files with their includes resolved. Calls no OpenCL function;
 * any thread. */

/* Returns the text of the kernel file @name. Each header that it or one of its
 * headers includes by #include "header" is inserted once, at the first such
 * line. A header is in the folder of the file that includes it, else in
 * common/. Directives of #line keep the names and line numbers of all files in
 * compiler messages.
 *
 * Every line that begins with #include counts, also in comments and under
 * conditions: includes must be at the top of a file. As each header is inserted
 * once, headers need no guard.
 *
 * NULL with an error of G_RESOURCE_ERROR if a file does not exist; the message
 * has the files and lines that include it. Transfer full. */
gchar *gst_cl_source_load (const gchar *name, GError **error);

/* Returns a digest of all kernel files, in hexadecimal digits: it changes
 * whenever a file does. Takes a millisecond. Transfer full. */
gchar *gst_cl_source_digest (void);

/* --- binaries ------------------------------------------------------------- */

/* Built programs in the driver's binary format. */

/* Returns the binary of @program for @device. With some drivers it is complete
 * only after a kernel has been created from @program. */
GBytes *gst_cl_binary_get (cl_program program, cl_device_id device,
    GError **error);

/* --- build modes ---------------------------------------------------------- */

/* How programs are built in a thread. */
typedef enum {
  GST_CL_BUILD_NOW,
  /* NOW, while an element creates ops for its frames, and frees those that they
   * replace. */
  GST_CL_BUILD_CONFIGURE,
  /* A program that is neither built nor cached on disk is refused
   * (G_IO_ERROR_WOULD_BLOCK). */
  GST_CL_BUILD_NOTHING,
  /* Programs are used for a few seconds. They are not cached on disk, because
   * reading a binary makes some drivers compile every kernel of the program. */
  GST_CL_BUILD_QUICKLY,
  /* QUICKLY, and the driver does not optimize (-cl-opt-disable). */
  GST_CL_BUILD_UNOPTIMIZED,
  /* NOW, in a thread on which no frame waits. With a driver that blocks other
   * threads meanwhile (gst_cl_device_blocks_while_compiling()), programs are
   * compiled in another context, and their binaries are loaded. */
  GST_CL_BUILD_BESIDE,
} GstClBuildMode;

/* The build mode of the current thread between enter() and leave(). Initialize
 * it with zeros before enter(). The innermost scope determines the mode. */
typedef struct _GstClBuildScope {
  struct _GstClBuildScope *outer; /* set by enter() */
  GstClBuildMode mode;
  gboolean is_change;   /* mode CONFIGURE: of a property; others may follow */
  gboolean is_complete; /* mode CONFIGURE: no frame runs before the preferred
                           kernels are built */
  gboolean was_refused; /* mode NOTHING: something would have been compiled */
  gint hurries; /* mode BESIDE: another thread waits for this one to finish;
                   set by any thread, atomic */
  cl_context compiler; /* mode BESIDE: the other context; NULL: none yet */
} GstClBuildScope;

void gst_cl_build_scope_enter (GstClBuildScope *scope, GstClBuildMode mode);
void gst_cl_build_scope_leave (void);

/* Returns the mode of the current thread; NOW outside a scope. */
GstClBuildMode gst_cl_build_mode (void);

/* Return these members of the current scope; FALSE outside a scope. */
gboolean gst_cl_build_is_change (void);
gboolean gst_cl_build_is_complete (void);

/* Returns TRUE in the modes QUICKLY and UNOPTIMIZED. */
gboolean gst_cl_build_is_quick (void);

/* Returns TRUE in mode BESIDE while hurries is not set. */
gboolean gst_cl_build_is_patient (void);

/* Called in mode NOTHING when something would have to be compiled. */
void gst_cl_build_refuse (void);

/* --- programs ------------------------------------------------------------- */

/* Creates the kernel @name of the kernel file @resource, built with @options
 * for the context's device. The program is built once per context and options,
 * from any thread: a thread that needs a program which another thread builds
 * waits for that program only. The binary is cached on disk (gstclcache.h): a
 * cached binary is loaded; if the driver rejects it, the program is built
 * again. The caller owns one reference. The error of a build has the driver's
 * code and the first error line of its log; the whole log goes to GST_ERROR.
 *
 * G_IO_ERROR_CANCELLED if the program is not built yet and the thread's current
 * GCancellable (g_cancellable_push_current()) is cancelled; a running
 * compilation is finished, but not cached on disk. G_IO_ERROR_WOULD_BLOCK in
 * build mode NOTHING.
 *
 * Kernel files are GResources. To try an edited kernel without a build, set
 * G_RESOURCE_OVERLAYS=/org/freedesktop/gstreamer/opencl/kernels=$PWD/kernels.
 */
cl_kernel gst_cl_program_create_kernel (GstClContext *context,
    const gchar *resource, const gchar *options, const gchar *name,
    GError **error);

/* The program of a text that is no kernel file, for one context and one set of
 * options. It is built when its first kernel is created, and cached on disk as
 * others are. Any thread. */
typedef struct _GstClProgram GstClProgram;

/* @name: of the text, for messages. transfer full */
GstClProgram *gst_cl_program_new (const gchar *text, const gchar *name);

/* Kernels of the program stay usable. Accepts NULL. */
void gst_cl_program_free (GstClProgram *self);

/* Creates the kernel @name, as gst_cl_program_create_kernel() does; what the
 * compiler refuses is GST_LIBRARY_ERROR_SETTINGS. */
cl_kernel gst_cl_program_create (GstClProgram *self, GstClContext *context,
    const gchar *options, const gchar *name, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstClProgram, gst_cl_program_free)

G_END_DECLS
