/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gst-opencl-compiler PLUGIN: the compile process of that file of the plugin
 * (ops/compileprocess.h), which starts this program. Standard input is a
 * socket. */

#include <dlfcn.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  void *plugin = argc == 2 ? dlopen (argv[1], RTLD_NOW) : NULL;
  int (*run) (int fd);

  if (!plugin)
    return 1;
  *(void **) &run = dlsym (plugin, "gst_opencl_compile");

  /* without exit handlers: threads may still be in the driver */
  _exit (run ? run (STDIN_FILENO) : 1);
}
