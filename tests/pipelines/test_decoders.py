#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames that a decoder outputs in GPU memory stay there, and have the same
results as downloaded frames.

Needs nvcodec, and the GPU as OpenCL device; skipped otherwise.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SKIP = 77  # meson's exit status for a skipped test
DATA = pathlib.Path(__file__).resolve().parents[1] / 'data'
N_FRAMES = 50
DECODER = (f'filesrc location="{DATA}/testsrc.h264" ! h264parse ! nvh264dec')
DECODER_OF_H265 = (f'filesrc location="{DATA}/testsrc.h265" ! h265parse ! '
                   'nvh265dec')
ON_GPU = 'video/x-raw(memory:CUDAMemory)'
ON_HOST = 'video/x-raw'
CLQC = pathlib.Path(__file__).resolve().parents[2] / 'tools/clqc/clqc'
# The decoding of clqc in measure_part.py.
CLQC_DECODES = ('decodebin caps=video/x-raw(ANY) expose-all-streams=false ! ',
                'videoconvert name=convert dither=none ! ',
                'queue max-size-buffers=4 max-size-bytes=0 max-size-time=0 ! ')
STATISTICS = ('moments+range+histogram+percentiles+entropy+temporal+'
              'saturation+hue+bit-depth+outliers+repetition+gamut+positions')


def launch(line, **environment):
    """Runs gst-launch-1.0 with @line; returns its output, including errors."""
    result = subprocess.run(['gst-launch-1.0', '-v', *split(line)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=120, check=False,
                            env=os.environ | environment)
    if result.returncode != 0:
        raise AssertionError(f'{line}\n{result.stdout}')
    return result.stdout


def split(line):
    return line.replace('"', '').split()


def find_obstacle():
    """Returns why the tests cannot run here; None: they can."""
    if subprocess.run(['gst-inspect-1.0', '--exists', 'nvh264dec'],
                      check=False).returncode != 0:
        return 'nvh264dec is not there: no nvcodec, or no NVIDIA GPU'
    out = launch(f'{DECODER} ! clframesum ! fakesink')
    if 'NVIDIA' not in ' '.join(re.findall('device-name = (.*)', out)):
        return 'the OpenCL device is not the GPU that decodes'
    return None


class DecodersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check_came_by_gpu(self, out):
        self.assertGreaterEqual(out.count('by CUDA memory'), N_FRAMES)
        self.assertNotIn('by pinned host memory', out)

    def written(self, name, line):
        """Returns the contents of the file that @line writes as FILE, and its
        output."""
        path = self.folder / name
        out = launch(line.replace('FILE', str(path)),
                     GST_DEBUG='climport:6,climportcheck:4',
                     GST_DEBUG_NO_COLOR='1')
        return path.read_bytes(), out

    def test_links_without_converter(self):
        """The caps between decoder and element, as negotiated."""
        for decoder, element in itertools.product(
                (DECODER, DECODER_OF_H265),
                ('clframesum', 'clintegral', 'cllocalmean', 'clupload',
                 'cldownload')):
            with self.subTest(decoder=decoder, element=element):
                out = launch(f'{decoder} ! {element} ! fakesink')
                self.assertRegex(
                    out, r'dec0.GstPad:src: caps = '
                    r'video/x-raw\(memory:CUDAMemory\)')

    def test_passes_in_cuda_memory(self):
        out = launch(f'{DECODER} ! clframesum ! fakesink')
        self.assertRegex(out, r'FakeSink:.*sink: caps = '
                         r'video/x-raw\(memory:CUDAMemory\)')

    def test_same_statistics(self):
        line = f'clframesum statistics={STATISTICS} location=FILE ! fakesink'
        for decoder in DECODER, DECODER_OF_H265:
            with self.subTest(decoder=decoder):
                there, out = self.written('gpu',
                                          f'{decoder} ! {ON_GPU} ! {line}')
                here, _ = self.written('host',
                                       f'{decoder} ! {ON_HOST} ! {line}')
                self.assertEqual(len(there.splitlines()), N_FRAMES + 1)
                self.assertEqual(there, here)
                self.check_came_by_gpu(out)

    def test_the_line_of_clqc(self):
        """Files that clqc measures are decoded and measured on the GPU."""
        text = (CLQC / 'measure_part.py').read_text(encoding='utf-8')
        for part in CLQC_DECODES:
            self.assertIn(part, text)
        line = f'clframesum statistics={STATISTICS} location=FILE ! fakesink'
        there, out = self.written(
            'clqc', f'filesrc location="{DATA}/testsrc.h264" ! ' +
            ''.join(CLQC_DECODES) + line)
        here, _ = self.written('host', f'{DECODER} ! {ON_HOST} ! {line}')
        self.assertEqual(there, here)
        self.check_came_by_gpu(out)

    def test_same_frames(self):
        for element in ('clintegral ! cllocalmean kernel-width=9',
                        'cllocalmean', 'clupload ! cldownload', 'cldownload'):
            with self.subTest(element=element):
                line = f'{element} ! filesink location=FILE'
                there, _ = self.written('gpu',
                                        f'{DECODER} ! {ON_GPU} ! {line}')
                here, _ = self.written('host',
                                       f'{DECODER} ! {ON_HOST} ! {line}')
                self.assertGreater(len(there), N_FRAMES * 600 * 300)
                self.assertEqual(there, here)


if __name__ == '__main__':
    obstacle = find_obstacle()
    if obstacle:
        print(obstacle, file=sys.stderr)
        sys.exit(SKIP)
    unittest.main()
