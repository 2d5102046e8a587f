# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each statistic, operation, kind of scope and element in a launch line of its
own, as users start it: with self-tests, measurements and caches, which are
empty at first. The preferred kernels run, not those of a quick start. It shows
what a driver cannot compile.

environment:
  GST_OPENCL_DEVICE  the device
"""
import os
import subprocess

import launch

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

SOURCE = ('gst-launch-1.0 -q videotestsrc num-buffers=2 ! '
          'video/x-raw,format=I420,width=320,height=240 ! ')

# An element, and its property each value of which has a line; or None.
ELEMENTS = {'clframesum': 'statistics', 'cllocalmean': 'operation',
            'clscope': 'kind', 'clintegral': 'method', 'clupload': None,
            'cldownload': None, 'clcompare': 'metrics'}
# They run kernels of users: tests/kernel has files with all of their macros.
OF_USERS = {'clkernel', 'clkernelmix'}


def values(element, name):
    """Yields the nicks of the flags or values of a property."""
    kind = type(Gst.ElementFactory.make(element).get_property(name))
    if hasattr(kind, '__flags_values__'):
        for flag in kind.__flags_values__.values():
            yield flag.value_nicks[0]
    else:
        for value in kind.__enum_values__.values():
            yield value.value_nick


class LinesTest(launch.PipelineTest):
    def play(self, element):
        line = element if element.startswith('clupload') else (
            f'{element} wait-for-kernels=true')
        after = ''
        if element.startswith('clcompare'):  # of the picture with itself
            line = f'tee name=t ! queue ! {line} name=compare'
            after = ' t. ! queue ! compare.reference'
        with self.subTest(line=line):
            done = subprocess.run(
                f'{SOURCE} {line} ! fakesink{after}'.split(),
                text=True, timeout=600, check=False, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, env=self.environment)
            self.assertEqual((done.returncode, done.stdout), (0, ''))

    def test_lines(self):
        self.environment = {
            name: value for name, value in os.environ.items()
            if name == 'GST_OPENCL_DEVICE' or not name.startswith(
                ('GST_OPENCL_', 'POCL_EXTRA_'))} | {
                    'GST_OPENCL_CACHE_DIR': f'{self.folder}/programs',
                    'GST_DEBUG': '2', 'GST_DEBUG_NO_COLOR': '1'}
        Gst.init(None)
        factories = Gst.Registry.get().get_feature_list_by_plugin('opencl')
        self.assertEqual({factory.get_name() for factory in factories},
                         set(ELEMENTS) | OF_USERS)
        for element, name in ELEMENTS.items():
            if name:
                for value in values(element, name):
                    self.play(f'{element} {name}={value}')
        self.play('clupload ! cldownload')


if __name__ == '__main__':
    launch.main()
