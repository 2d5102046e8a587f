# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs gst-launch lines on the real clip for the pipeline tests.

environment:
  CL_REQUIRE_DEVICE  1: a missing device or module is a failure, not a skip
  CL_TEST_OPTIMIZED  1: PoCL optimizes its kernels, whatever the suite says
"""
import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIP = 77  # meson's exit status for a skipped test
ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_JOBS = 200
CLIP = str(ROOT / 'tests/data/pedestrians.avi')
if os.environ.get('CL_TEST_OPTIMIZED') == '1':
    os.environ.pop('POCL_EXTRA_BUILD_FLAGS', None)


def skip(reason):
    """Exits with the status for skipped, or for failed if a skip is not
    allowed."""
    print(reason, file=sys.stderr)
    required = os.environ.get('CL_REQUIRE_DEVICE', '') not in ('', '0')
    sys.exit(1 if required else SKIP)


try:
    import formats
except ImportError as error:  # NumPy is not installed
    skip(str(error))


def run(line, timeout=120, check=True):
    """Runs gst-launch-1.0 with @line, as typed in a shell. Returns its output;
    raises AssertionError with the output if the pipeline fails."""
    result = subprocess.run(f'gst-launch-1.0 {line}', shell=True, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=timeout, check=False)
    if check and result.returncode != 0:
        raise AssertionError(f'gst-launch-1.0 {line}\n{result.stdout}')
    return result.stdout


WIDTH, HEIGHT = 768, 576  # of the decoded clip


@functools.lru_cache(maxsize=None)
def decoded_clip():
    """The whole clip as raw I420 video, decoded once per program. A filesrc
    that reads N blocks ends a stream after N frames."""
    folder = tempfile.mkdtemp(prefix='gst-opencl-clip-')
    atexit.register(shutil.rmtree, folder)
    run(f'-q filesrc location="{CLIP}" ! decodebin ! videoscale ! '
        f'videoconvert ! video/x-raw,format=I420,width={WIDTH},'
        f'height={HEIGHT} ! filesink location={folder}/clip.raw')
    return f'{folder}/clip.raw'


def clip(video_format, width, height, frames):
    """Returns the head of a launch line: @frames frames of the clip as raw
    video."""
    return (f'filesrc location={decoded_clip()} num-buffers={frames} '
            f'blocksize={WIDTH * HEIGHT * 3 // 2} ! '
            f'rawvideoparse format=i420 width={WIDTH} height={HEIGHT} '
            'framerate=10/1 ! videoscale ! videoconvert ! '
            f'video/x-raw,format={video_format},width={width},height={height}')


class PipelineTest(unittest.TestCase):
    """A separate folder for each test, and one comparison."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='gst-opencl-'))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def output(self, *command, **options):
        """Returns the output of a program that succeeds."""
        result = subprocess.run(command, text=True, timeout=120, **options,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        return result.stdout

    def filter_clips(self, jobs):
        """Runs the clip through an element for each of @jobs, which are
        (element, format, width, height, frames), in one process: starting one
        takes longer than most jobs. A command line has at most MAX_JOBS.
        Returns for each the input frames, as from
        formats.read_frames(), and the output bytes."""
        def path(kind, i):
            return self.folder / f'{kind}{i}.raw'

        lines = [
            f'{clip(video_format, width, height, frames)} ! tee name=t{i} '
            f't{i}. ! queue ! filesink location={path("in", i)} '
            f't{i}. ! queue ! {element} ! filesink location={path("out", i)}'
            for i, (element, video_format, width, height, frames)
            in enumerate(jobs)]
        for start in range(0, len(lines), MAX_JOBS):
            run('-q ' + ' '.join(lines[start:start + MAX_JOBS]))
        for i, (_, video_format, width, height, frames) in enumerate(jobs):
            inputs = formats.read_frames(path('in', i).read_bytes(),
                                         video_format, width, height)
            self.assertEqual(len(inputs), frames)
            yield inputs, path('out', i).read_bytes()

    def filter_clip(self, element, video_format, width, height, frames=3):
        """One job of filter_clips()."""
        return next(self.filter_clips(
            [(element, video_format, width, height, frames)]))

    def assert_equal_arrays(self, actual, expected, what):
        self.assertEqual(actual.shape, expected.shape, what)
        wrong = (actual != expected).nonzero()
        if wrong[0].size:
            first = tuple(int(axis[0]) for axis in wrong)
            self.fail(f'{what}: {wrong[0].size} of {expected.size} differ, '
                      f'first at {first}: {actual[first]}, '
                      f'not {expected[first]}')


def main():
    """Runs the tests of the calling program; skips if there is no device."""
    if shutil.which('gst-launch-1.0') is None:
        skip('no gst-launch-1.0')
    probe = run('-q videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8 ! '
                'clframesum ! fakesink', check=False)
    if 'ERROR' in probe and 'device' in probe:
        skip(probe)
    unittest.main()
