/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-opencl-compiler SECONDS PLUGIN: the compile process of that file of the
 * plugin (ops/compileprocess.h), which starts this program. It ends after
 * SECONDS. Standard input is a socket. */

#define _GNU_SOURCE /* sigset_t, setrlimit() */

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The application may block or ignore signals, which processes inherit. */
static void
reset_signals (void)
{
  static const int numbers[] = { SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGPIPE,
    SIGTERM };
  sigset_t none;

  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
    signal (numbers[i], SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

int
main (int argc, char **argv)
{
  const struct rlimit no_core = { 0, 0 };
  void *plugin;
  int (*run) (int fd);

  if (argc != 3)
    return 1;
  reset_signals ();
  setrlimit (RLIMIT_CORE, &no_core); /* a crash leaves nothing */
  alarm ((unsigned) atoi (argv[1]));

  plugin = dlopen (argv[2], RTLD_NOW);
  if (!plugin)
    return 1;
  *(void **) &run = dlsym (plugin, "gst_opencl_compile");

  /* without exit handlers: threads may still be in the driver */
  _exit (run ? run (STDIN_FILENO) : 1);
}
