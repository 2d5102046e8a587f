#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames that a decoder outputs in GPU memory stay there, and have the same
results as downloaded frames.

Needs nvcodec, and the GPU as OpenCL device; skipped otherwise.

environment:
  CL_TEST_DECODERS  software: libav decodes into system memory, which the
                    elements import instead; tries the tests without a GPU
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
IS_SOFTWARE = os.environ.get('CL_TEST_DECODERS') == 'software'
H264, H265 = ('avdec_h264', 'avdec_h265') if IS_SOFTWARE else (
    'nvh264dec', 'nvh265dec')
ON_HOST = 'video/x-raw'
ON_GPU = ON_HOST if IS_SOFTWARE else 'video/x-raw(memory:CUDAMemory)'
IMPORT_PATH = 'host memory in place' if IS_SOFTWARE else 'CUDA memory'
SOURCE = f'filesrc location="{DATA}/testsrc.h264"'
DECODER = f'{SOURCE} ! h264parse ! {H264} name=decoder'
DECODER_OF_H265 = (f'filesrc location="{DATA}/testsrc.h265" ! h265parse ! '
                   f'{H265} name=decoder')
# As applications decode any file.
ANY_DECODER = (f'{SOURCE} ! decodebin caps=video/x-raw(ANY) '
               'expose-all-streams=false ! videoconvert dither=none ! queue')
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
    if subprocess.run(['gst-inspect-1.0', '--exists', H264],
                      check=False).returncode != 0:
        return f'{H264} does not exist: no nvcodec, or no NVIDIA GPU'
    out = launch(f'{DECODER} ! clframesum ! fakesink')
    names = ' '.join(re.findall('device-name = (.*)', out))
    if not IS_SOFTWARE and 'NVIDIA' not in names:
        return 'the OpenCL device is not the GPU that decodes'
    return None


class DecodersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check_import_path(self, out):
        self.assertGreaterEqual(out.count(f'by {IMPORT_PATH}'), N_FRAMES)
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
                self.assertRegex(out, 'decoder.GstPad:src: caps = '
                                 + re.escape(ON_GPU))

    def test_passes_in_cuda_memory(self):
        out = launch(f'{DECODER} ! clframesum ! fakesink')
        self.assertRegex(out, 'FakeSink:.*sink: caps = ' + re.escape(ON_GPU))

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
                self.check_import_path(out)

    def test_decodebin(self):
        """Frames stay on the GPU behind elements that leave them as they
        are."""
        line = f'clframesum statistics={STATISTICS} location=FILE ! fakesink'
        there, out = self.written('any', f'{ANY_DECODER} ! {line}')
        here, _ = self.written('host', f'{DECODER} ! {ON_HOST} ! {line}')
        self.assertEqual(there, here)
        self.check_import_path(out)

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
