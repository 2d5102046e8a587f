# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same jobs with peers: OpenCV on the CPU, OpenCV's OpenCL path ("T-API"),
FFmpeg's filters, NVIDIA's NPP. Each returns rows {name, width, height, us} of
the jobs in @wanted or of all, and a line with its name and version, or why it
is left out."""
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

WINDOWS = [3, 15, 31, 101]
BINARIZATIONS = ['niblack', 'sauvola', 'wolf', 'nick']
# If its OpenCL path has no kernel, or one that fails, OpenCV uses the CPU, and
# logs this at every call.
os.environ.setdefault('OPENCV_LOG_LEVEL', 'FATAL')

# The jobs of metrics.py, with OpenCV and NPP.
STATISTICS = {'meanStdDev and minMaxLoc', 'calcHist',
              'meanStdDev, minMaxLoc and calcHist',
              'mean and stddev, min and max', 'histogram',
              'mean, stddev, min, max and histogram'}

# A job cycles through this many frames, fewer if they and their integral
# images exceed this many bytes.
MAX_FRAMES = 8
MAX_BYTES = 128 << 20

MAX_SAMPLES = 100
MAX_SECONDS = 1.5  # of a job; at least one sample
WARM_UP_SECONDS = 0.4  # first writes to memory take longer
MAX_FFMPEG_FRAMES = 500
CALLS_PER_SAMPLE = 10  # of OpenCV's OpenCL path, consecutive
SLOW_SECONDS = 0.1  # a call that takes this long is timed alone


def run(command):
    """Returns the output; error output goes to standard error, too."""
    result = subprocess.run(command, check=True, text=True, capture_output=True,
                            timeout=300)
    sys.stderr.write(result.stderr)
    return result.stdout


def time_us(function):
    """Returns the median time of a call, after a warm-up."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP_SECONDS:
        function()
    samples, start = [], time.perf_counter()
    while (len(samples) < MAX_SAMPLES and
           (not samples or time.perf_counter() - start < MAX_SECONDS)):
        before = time.perf_counter()
        function()
        samples.append((time.perf_counter() - before) * 1e6)
    return statistics.median(samples)


def in_turn(job, frames):
    """Calls @job with each of the frames, with a result for each."""
    results = [job(frame, None) for frame in frames]
    numbers = itertools.cycle(range(len(frames)))

    def call():
        number = next(numbers)
        job(frames[number], results[number])
    return call


def rows_of(prefix, jobs, size, wanted, measure=time_us):
    """Runs the jobs in @wanted, or all; omits those that fail with the peer. A
    job is a function that creates the argument of @measure, as it allocates
    memory."""
    rows = []
    for name, job in jobs.items():
        if wanted and name not in wanted:
            continue
        try:
            rows.append({'name': f'{prefix} {name}', 'width': size[0],
                         'height': size[1], 'us': measure(job())})
        except Exception as failure:  # cv2.error: cv2 may not be installed
            print(f'\n{prefix} {name} {size[0]}x{size[1]} left out: '
                  f'{str(failure).strip().splitlines()[-1]}.')
    return rows


# --- OpenCV -----------------------------------------------------------------

def random_frames(numpy, size):
    """Several frames: a single frame that is measured repeatedly stays in a
    cache with its result, unlike the frames of a stream."""
    n_frames = max(2, min(MAX_FRAMES, MAX_BYTES // (size[0] * size[1] * 5)))
    random = numpy.random.default_rng(1)
    return [random.integers(0, 256, size[::-1], numpy.uint8)
            for _ in range(n_frames)]


def statistics_jobs(cv2):
    """Names as in STATISTICS."""
    def moments(frame, _):
        cv2.meanStdDev(frame)
        cv2.minMaxLoc(frame)

    def histogram(frame, _):
        cv2.calcHist([frame], [0], None, [256], [0, 256])

    def both(frame, _):
        moments(frame, _)
        histogram(frame, _)

    return {'meanStdDev and minMaxLoc': moments, 'calcHist': histogram,
            'meanStdDev, minMaxLoc and calcHist': both}


def common_jobs(cv2):
    """Jobs for both paths of OpenCV: functions of a frame, ndarray or UMat,
    and of their result, which is written to unless it is None."""
    jobs = {'integral': cv2.integral}
    jobs |= statistics_jobs(cv2)
    for window in WINDOWS:
        jobs[f'boxFilter {window}x{window}'] = (
            lambda frame, result, w=window: cv2.blur(frame, (w, w), result))
    for window in WINDOWS:
        jobs[f'adaptiveThreshold {window}x{window}'] = (
            lambda frame, result, w=window: cv2.adaptiveThreshold(
                frame, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, w,
                8, result))
    return jobs


def with_frames(jobs, frames):
    """Returns jobs of rows_of() for functions of a frame and a result."""
    return {name: lambda job=job: in_turn(job, frames)
            for name, job in jobs.items()}


def opencv(sizes, wanted=None):
    try:
        import cv2
        import numpy
    except ImportError as missing:
        return [], f'OpenCV left out: {missing}'
    cv2.ocl.setUseOpenCL(False)
    rows = []
    for size in sizes:
        jobs = common_jobs(cv2)
        if hasattr(cv2, 'ximgproc'):
            for method in BINARIZATIONS:
                number = getattr(cv2.ximgproc,
                                 f'BINARIZATION_{method.upper()}')
                jobs[f'niBlackThreshold {method} 15x15'] = (
                    lambda frame, result, n=number:
                    cv2.ximgproc.niBlackThreshold(
                        frame, 255, cv2.THRESH_BINARY, 15, .2, result,
                        binarizationMethod=n))
        jobs = with_frames(jobs, random_frames(numpy, size))
        rows += rows_of('OpenCV', jobs, size, wanted)
    return rows, f'OpenCV {cv2.__version__}, {cv2.getNumThreads()} threads'


def opencv_opencl(sizes, wanted=None):
    """Frames stay on the device; several consecutive calls, then a wait."""
    try:
        import cv2
        import numpy
    except ImportError:
        return [], ''
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        return [], ("OpenCV's OpenCL path left out: it finds no device "
                    '(OPENCV_OPENCL_DEVICE, OPENCV_OPENCL_RUNTIME)')

    def several(job, n_calls):
        for _ in range(n_calls):
            job()
        cv2.ocl.finish()

    def calls_us(job):
        several(job, 1)  # compiles its kernels
        start = time.perf_counter()
        several(job, 1)
        n_calls = (1 if time.perf_counter() - start > SLOW_SECONDS
                   else CALLS_PER_SAMPLE)
        return time_us(lambda: several(job, n_calls)) / n_calls

    rows = []
    for size in sizes:
        frames = [cv2.UMat(frame) for frame in random_frames(numpy, size)]
        rows += rows_of('OpenCV OpenCL', with_frames(common_jobs(cv2), frames),
                        size, wanted, calls_us)
    device = cv2.ocl.Device.getDefault().name()
    cv2.ocl.setUseOpenCL(False)
    return rows, f"OpenCV's OpenCL path on {device}"


# --- FFmpeg -----------------------------------------------------------------

def ffmpeg_jobs():
    """Filters by name. The OpenCL filter, on the first device, with one window
    only: its time grows with the window."""
    jobs = {f'avgblur {window}x{window}': f'avgblur={window // 2}'
            for window in WINDOWS}
    return jobs | {'avgblur_opencl 15x15': 'hwupload,avgblur_opencl=7,'
                                           'hwdownload,format=gray'}


def ffmpeg(sizes, wanted=None):
    """Grey frames that FFmpeg's source repeats; the additional time per
    frame."""
    if not shutil.which('ffmpeg'):
        return [], 'FFmpeg left out: it is not there'

    def seconds(size, graph, n_frames):
        device = (['-init_hw_device', 'opencl=ocl:0.0', '-filter_hw_device',
                   'ocl'] if 'opencl' in graph else [])
        start = time.perf_counter()
        run(['ffmpeg', '-nostdin', '-loglevel', 'error', *device, '-f',
             'lavfi', '-i', f'color=gray:size={size[0]}x{size[1]}:rate=1000,'
             'format=gray', '-frames:v', str(n_frames), '-vf', graph, '-f',
             'null', '-'])
        return time.perf_counter() - start

    def frame_us(size, graph):
        first = seconds(size, graph, 1)
        rough = max(seconds(size, graph, 3) - first, 1e-3) / 2
        n_more = max(2, min(MAX_FFMPEG_FRAMES, int(MAX_SECONDS / rough)))
        us = (seconds(size, graph, 1 + n_more) - first) / n_more * 1e6
        if us <= 0:
            raise ValueError('too fast to be told from its start')
        return us

    rows = []
    for size in sizes:
        jobs = {name: lambda s=size, g=graph: frame_us(s, g)
                for name, graph in ffmpeg_jobs().items()}
        rows += rows_of('FFmpeg', jobs, size, wanted, lambda us: us)
    return rows, run(['ffmpeg', '-version']).splitlines()[0].split(' Copy')[0]


# --- NPP --------------------------------------------------------------------

def npp(sizes, wanted=None):
    if not shutil.which('nvcc'):
        return [], 'NPP left out: no nvcc'
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'npp.cu')
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'npp')
        try:
            run(['nvcc', '-O2', '-o', program, source, '-lnppist', '-lnppif',
                 '-lnppc'])
            for width, height in sizes:
                output = run([program, str(width), str(height),
                              *(wanted or [])])
                rows += [row | {'name': f'NPP {row["name"]}'}
                         for row in map(json.loads, output.splitlines())]
        except subprocess.CalledProcessError as failure:
            reason = failure.stderr.strip().splitlines() or ['it failed']
            return [], f'NPP left out: {reason[0]}'
    return rows, 'NPP of ' + run(['nvcc', '--version']).splitlines()[-1]
