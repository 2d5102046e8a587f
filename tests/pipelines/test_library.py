#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The installed library: programs outside of the tree are compiled with its
headers and its .pc file alone, or those of the build folder; its public symbols
are those of the map and of the header; released functions have kept their
prototypes.

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
import pagecommands

EXAMPLES = launch.ROOT / 'examples'
PAGE = 'docs/library.md'
FRAMES = ('videotestsrc pattern=smpte num-buffers=5 ! '
          'video/x-raw,format=GRAY8,width=64,height=48')
SUMS = 'clframesum location={} ! fakesink'
# After the code of the page: writes the first frame, which a command reads on a
# queue of the program, to a file.
PYTHON = f"""
import ctypes
import sys


def get(function, *arguments):
    value = ctypes.c_void_p()
    function(*arguments, ctypes.byref(value), None)
    return value


Gst.init(None)
cl = ctypes.CDLL('libOpenCL.so.1')
cl.clCreateContext.restype = ctypes.c_void_p
cl.clCreateCommandQueue.restype = ctypes.c_void_p
platform = get(cl.clGetPlatformIDs, 1)
device = get(cl.clGetDeviceIDs, platform, ctypes.c_uint64(0xffffffff), 1)
context = ctypes.c_void_p(cl.clCreateContext(
    None, 1, ctypes.byref(device), None, None, None))
queues = [ctypes.c_void_p(cl.clCreateCommandQueue(
    context, device, ctypes.c_uint64(0), None)) for _ in range(2)]


def enqueue(memory, offset, size):
    data = ctypes.create_string_buffer(size)
    cl.clEnqueueReadBuffer(queues[1], ctypes.c_void_p(memory), 0,
                           ctypes.c_size_t(offset), ctypes.c_size_t(size),
                           data, 0, None, None)
    parts.append(data)


parts = []
pipeline = Gst.parse_launch('{FRAMES} ! clupload ! appsink name=sink '
                            'caps=video/x-raw(memory:OpenCLMemory)')
share(pipeline, context.value, queues[0].value)
pipeline.set_state(Gst.State.PLAYING)
sample = pipeline.get_by_name('sink').emit('pull-sample')
read(sample.get_buffer(), queues[1].value, enqueue)
cl.clFinish(queues[1])
memory = sample.get_buffer().peek_memory(0)
used = GstOpenCL.cl_memory_get_context(memory)
assert used.get_handle() == context.value
assert used.get_queue() == queues[0].value
with open(sys.argv[1], 'wb') as file:
    file.writelines(bytes(part) for part in parts)
pipeline.set_state(Gst.State.NULL)
"""


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

    def compile(self, text, begin, **replaced):
        """Compiles a program in a folder that has nothing else, by the line of
        the page that begins so. @replaced: words of the line."""
        line, = (block.text for block in pagecommands.blocks_of(PAGE)
                 if block.text.startswith(begin))
        folder = self.folder / 'source'
        folder.mkdir()
        source = folder / re.search(r'\w+\.c', line)[0]
        source.write_text(text)
        for word, other in replaced.items():
            self.assertIn(word, line)
            line = line.replace(word, other)
        line = line.replace('cc', os.environ.get('CC', 'cc') + ' -Wall -Wextra '
                            '-Wno-unused-parameter -Werror -Wl,--no-undefined',
                            1)
        self.run_program('sh', '-euc', f'cd {folder}\n{line}')
        source.unlink()
        output, = folder.iterdir()
        return output

    def frames(self):
        self.run_program('gst-launch-1.0', '-q', *FRAMES.split(), '!',
                         'filesink', f'location={self.folder}/frames.raw')
        return numpy.fromfile(f'{self.folder}/frames.raw',
                              numpy.uint8).reshape(-1, 48, 64)

    def measure(self, line, unified):
        """Plays a line, and returns the sums of frames of each SUMS."""
        files = [self.folder / f'lines{i}' for i in range(line.count('{}'))]
        for file in files:
            file.unlink(missing_ok=True)
        self.run_program('gst-launch-1.0', '-q', *line.format(*files).split(),
                         GST_OPENCL_HOST_UNIFIED=unified)
        return [[json.loads(row)['sum'][0] for row in
                 file.read_text().splitlines()[:-1]]  # the last: of all
                for file in files]

    def test_filter(self):
        plugin = self.compile((EXAMPLES / 'square.c').read_text(),
                              'cc -shared', NAME='clsquare')
        plugin.rename(self.folder / plugin.name)
        frames = self.frames()
        squares = frames * frames  # modulo 256
        self.assertGreater(len(numpy.unique(squares)), 4)
        expected, shown = ([int(frame.sum()) for frame in of]
                           for of in (squares, frames))
        for unified in '1', '0':
            with self.subTest(unified=unified):
                self.assertEqual(
                    self.measure(f'{FRAMES} ! clupload ! clsquare ! {SUMS}',
                                 unified), [expected])
                # it writes to a copy of what others use, too: another branch
                # of a tee, an element that pushes a memory again
                self.assertEqual(
                    self.measure(
                        f'{FRAMES} ! clupload ! tee name=t t. ! queue ! '
                        f'clsquare ! {SUMS} t. ! queue ! {SUMS}', unified),
                    [expected, shown])
                self.assertEqual(
                    self.measure(
                        f'{FRAMES} ! imagefreeze num-buffers=4 ! clupload ! '
                        f'clsquare ! {SUMS}', unified), [expected[:1] * 4])

    def test_application(self):
        program = self.compile((EXAMPLES / 'owncontext.c').read_text(),
                               'cc program.c $(pkg-config --cflags --libs')
        expected = self.run_program(
            BUILD / 'examples/owncontext',
            GST_PLUGIN_PATH_1_0=os.environ['GST_PLUGIN_PATH_1_0'])
        self.assertEqual(len(expected.splitlines()), 5)
        for arguments in [], ['--theirs']:
            self.assertEqual(
                self.run_program(program, *arguments),
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

        # programs that are linked call them as they were released
        released = (launch.ROOT / 'gst-libs/gst-opencl-1.0.prototypes')
        prototypes = {' '.join(words.split()) for words in re.findall(
            r'^\w[\w ]*\*?\s*gst_\w+ \([^;]*\);', code, re.MULTILINE)}
        self.assertEqual(len(prototypes), len(declared))
        self.assertEqual(set(released.read_text().splitlines()) - prototypes,
                         set())

    def test_python(self):
        """The code of the page, on a queue of the program."""
        if not list(BUILD.glob('gst-libs/*.typelib')):
            self.skipTest('a build without introspection')
        script = self.folder / 'script.py'
        (block,) = pagecommands.fenced(PAGE, 'python')
        script.write_text(block + PYTHON)
        (typelib,) = self.folder.glob('installed/**/*.typelib')
        for unified in '1', '0':
            read = self.run_program(
                '/usr/bin/python3', script, str(self.folder / 'read'),
                GST_OPENCL_HOST_UNIFIED=unified,
                GI_TYPELIB_PATH=str(typelib.parent))
            self.assertEqual(read, '')
            self.assertEqual((self.folder / 'read').read_bytes(),
                             self.frames()[0].tobytes())

    def test_statistics(self):
        """The code of the page, with the installed header and that of the build
        folder."""
        page = (launch.ROOT / 'docs/statistics.md').read_text(encoding='utf-8')
        block, = re.findall(r'^  ```c\n(.*?)^  ```$', page, re.S | re.M)
        for folder in self.pc.parent, BUILD / 'meson-uninstalled':
            self.environment['PKG_CONFIG_PATH'] = str(folder)
            program = self.compile(
                '#include <gst/opencl/statistics.h>\n'
                'static void use (GstStructure *structure)\n'
                f'{{\n{block}}}\n'
                'int main (int n, char **words)\n'
                '{\n'
                '  gst_init (&n, &words);\n'
                '  use (gst_structure_from_string ("clframesum, components=<Y>,'
                ' zone-columns=4, zone-rows=2, zone-mean=<<1.,1.,1.,1.,1.,1.,'
                '1.,7.5>>;", NULL));\n'
                '}\n', 'cc program.c $(pkg-config --cflags gst-opencl-1.0)')
            self.assertEqual(self.output(program), 'mean of the zone in column '
                             '3, row 1: 7.5\n')
            shutil.rmtree(program.parent)

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
