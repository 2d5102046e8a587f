#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The installed library: programs outside of the tree are compiled with its
header and its .pc file alone, and its public symbols are those of the map and
of the header.

usage: test_library.py BUILD-FOLDER
"""
import json
import os
import pathlib
import re
import shutil
import sys

import numpy

import launch

EXAMPLES = launch.ROOT / 'examples'
FRAMES = ('videotestsrc pattern=smpte num-buffers=5 ! '
          'video/x-raw,format=GRAY8,width=64,height=48')


class LibraryTest(launch.PipelineTest):
    def setUp(self):
        super().setUp()
        root = self.folder / 'installed'
        self.output('meson', 'install', '-C', BUILD, '--no-rebuild',
                    '--quiet', '--destdir', root)
        (self.pc,) = root.rglob('gst-opencl-1.0.pc')
        # meson has no option to install elsewhere than it was configured for
        text = self.pc.read_text()
        self.pc.write_text(re.sub('(?m)^prefix=', f'prefix={root}', text))
        (self.plugin,) = root.rglob('libgstopencl.so')
        (self.header,) = root.rglob('opencl.h')
        self.library = self.pc.parent.parent / 'libgstopencl-1.0.so'
        self.environment = os.environ | {
            'PKG_CONFIG_PATH': str(self.pc.parent),
            'LD_LIBRARY_PATH': str(self.library.parent),
            'GST_PLUGIN_PATH_1_0': f'{self.plugin.parent}:{self.folder}',
            'GST_REGISTRY': str(self.folder / 'registry')}

    def run_program(self, *words, **variables):
        return self.output(*words, env=self.environment | variables)

    def compile(self, name, output, *words):
        """Compiles an example in a folder that has nothing else."""
        folder = self.folder / 'source'
        folder.mkdir()
        shutil.copy(EXAMPLES / name, folder)
        flags = self.run_program('pkg-config', '--cflags', '--libs',
                                 'gst-opencl-1.0', 'gstreamer-base-1.0',
                                 'OpenCL').split()
        self.run_program(os.environ.get('CC', 'cc'), '-Wall', '-Wextra',
                         '-Wno-unused-parameter', '-Werror', '-o',
                         self.folder / output, *words, folder / name,
                         *flags)

    def frames(self):
        self.run_program('gst-launch-1.0', '-q', *FRAMES.split(), '!',
                         'filesink', f'location={self.folder}/frames.raw')
        return numpy.fromfile(f'{self.folder}/frames.raw',
                              numpy.uint8).reshape(-1, 48, 64)

    def test_filter(self):
        self.compile('square.c', 'libgstclsquare.so', '-shared', '-fPIC')
        frames = self.frames()
        squares = frames * frames  # modulo 256
        self.assertGreater(len(numpy.unique(squares)), 4)
        lines = self.folder / 'lines'
        for unified in '1', '0':
            lines.unlink(missing_ok=True)
            self.run_program(
                'gst-launch-1.0', '-q', *FRAMES.split(), '!', 'clupload', '!',
                'clsquare', '!', 'clframesum', f'location={lines}', '!',
                'fakesink', GST_OPENCL_HOST_UNIFIED=unified)
            *sums, _ = [json.loads(line)['sum'] for line in
                        lines.read_text().splitlines()]  # the last: of all
            self.assertEqual(sums, [[int(frame.sum())] for frame in squares])

    def test_application(self):
        self.compile('owncontext.c', 'owncontext')
        expected = self.run_program(
            BUILD / 'examples/owncontext',
            GST_PLUGIN_PATH_1_0=os.environ['GST_PLUGIN_PATH_1_0'])
        self.assertEqual(len(expected.splitlines()), 5)
        for arguments in [], ['--theirs']:
            self.assertEqual(
                self.run_program(self.folder / 'owncontext', *arguments),
                expected)

    def test_symbols(self):
        lines = self.run_program('nm', '-D', '--defined-only',
                                 self.library)
        versions = {}
        for name, version in re.findall(r' T (\w+)@@(\w+\.?\w*)\n', lines):
            versions.setdefault(version, set()).add(name)
        text = (launch.ROOT / 'gst-libs/gstopencl.map').read_text()
        mapped = set(re.findall(r'^ +(gst_\w+);', text, re.MULTILINE))
        self.assertEqual(versions['GST_OPENCL_1.0'], mapped)
        self.assertEqual(set(versions), {'GST_OPENCL_1.0',
                                         'GST_OPENCL_PRIVATE'})

        code = re.sub(r'/\*.*?\*/|^#.*?[^\\]$', '', self.header.read_text(),
                      flags=re.DOTALL | re.MULTILINE)
        declared = set(re.findall(r'\b(gst_\w+) \(', code))
        types = {f'{name}_get_type' for name in re.findall(
            r'G_DECLARE_FINAL_TYPE \(\w+, (\w+)', code)}
        self.assertEqual(declared | types, mapped)

    def test_cxx(self):
        compiler = shutil.which('c++')
        if not compiler:
            self.skipTest('no C++ compiler')
        source = self.folder / 'header.cc'
        source.write_text('#include <gst/opencl/opencl.h>\n')
        self.run_program(compiler, '-fsyntax-only', '-Wall', '-Werror',
                         source,
                         *self.run_program('pkg-config', '--cflags',
                                           'gst-opencl-1.0').split())


if __name__ == '__main__':
    BUILD = pathlib.Path(sys.argv.pop(1))
    launch.main()
