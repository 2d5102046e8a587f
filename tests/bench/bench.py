#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the plugin beside its peers, ours and theirs in turn, and prints
tables in Markdown; --json writes every figure to a file.

Peers are used where they are there: videoanalyse, FFmpeg, OpenCV's Python
package, and NVIDIA's NPP where nvcc can compile npp.cu. The device is the one
that GST_OPENCL_DEVICE names. Needs nothing but Python's standard library.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import startup

WIDTH, HEIGHT = 1920, 1080
FRAME_BYTES = WIDTH * HEIGHT * 3 // 2
SIZES = [(1920, 1080), (3840, 2160), (7680, 4320)]
WINDOWS = [3, 15, 31, 101]

# Kernel cases on a CPU device: the rest is for GPUs, and takes long here.
CPU_CASES = {
    'integral': ['integral/multi-pass-cpu'],
    'localmean': ['localmean/sliding-cpu/means', 'localmean/direct-cpu/means'],
    'localop': ['localop/direct'],
    'framestats': ['framestats/cpu'],
}
GPU_CASES = {
    'integral': ['integral/multi-pass-gpu', 'integral/single-pass',
                 'integral/multi-pass', 'integral/async-copy'],
    'localmean': ['localmean/sliding-gpu/means', 'localmean/direct/means',
                  'localmean/async-copy/means'],
    'localop': ['localop/direct'],
    'framestats': ['framestats/auto', 'framestats/inner', 'framestats/outer'],
}

# label, launch line after the reader (a peer of ours where it says so)
PIPELINES = [
    ('reader alone', 'identity'),
    ('videoanalyse (luma mean and variance)', 'videoanalyse'),
    ('clframesum (all planes, meta and messages)', 'clframesum'),
    ('clframesum stats-meta=false', 'clframesum stats-meta=false'),
    ('cllocalmean 15x15', 'cllocalmean'),
    ('clintegral (luma)', 'clintegral'),
    ('clintegral ! cllocalmean 15x15 (luma)', 'clintegral ! cllocalmean'),
]
FFMPEG_FILTERS = ['signalstats', 'avgblur=7', 'boxblur=7:1']


def run(command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True,
                          timeout=600, **options).stdout


def median_and_spread(samples):
    return {'median': statistics.median(samples), 'low': min(samples),
            'high': max(samples)}


# --- pipelines ------------------------------------------------------------

def make_clip(path, n_frames):
    run(['gst-launch-1.0', '-q', 'videotestsrc', f'num-buffers={n_frames}',
         'pattern=smpte', '!',
         f'video/x-raw,format=I420,width={WIDTH},height={HEIGHT}', '!',
         'filesink', f'location={path}'])


def pipeline_fps(timer, clip, line):
    reader = (f'filesrc location={clip} blocksize={FRAME_BYTES} ! '
              f'rawvideoparse format=i420 width={WIDTH} height={HEIGHT}')
    result = json.loads(run([timer, f'{reader} ! {line} ! fakesink']))
    return result['fps'], result['device']


def ffmpeg_seconds(clip, filter_name, n_frames):
    start = time.monotonic()
    run(['ffmpeg', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt',
         'yuv420p', '-s', f'{WIDTH}x{HEIGHT}', '-i', clip, '-frames:v',
         str(n_frames), '-vf', filter_name, '-f', 'null', '-'])
    return time.monotonic() - start


def ffmpeg_fps(clip, filter_name, n_frames):
    """Start-up is taken off by timing a run of one frame."""
    return (n_frames - 1) / (ffmpeg_seconds(clip, filter_name, n_frames)
                             - ffmpeg_seconds(clip, filter_name, 1))


def has_element(name):
    # not --exists: it asks for the version of GStreamer itself
    return subprocess.run(['gst-inspect-1.0', name], check=False,
                          capture_output=True).returncode == 0


def bench_pipelines(timer, n_frames, n_rounds):
    """All contenders once a round, so that what disturbs the machine disturbs
    them alike."""
    samples, device = {}, ''
    lines = [(label, line) for label, line in PIPELINES
             if has_element(line.split()[0])]
    folder = '/dev/shm' if os.path.isdir('/dev/shm') else None
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        clip = os.path.join(temporary, 'clip.i420')
        make_clip(clip, n_frames)
        for label, line in lines:
            pipeline_fps(timer, clip, line)  # warms caches and kernels up
        for _ in range(n_rounds):
            for label, line in lines:
                fps, name = pipeline_fps(timer, clip, line)
                samples.setdefault(label, []).append(fps)
                device = name or device
            if shutil.which('ffmpeg'):
                for filter_name in FFMPEG_FILTERS:
                    samples.setdefault(f'FFmpeg {filter_name}', []).append(
                        ffmpeg_fps(clip, filter_name, n_frames))
    return {label: median_and_spread(values)
            for label, values in samples.items()}, device


# --- kernels --------------------------------------------------------------

def bench_kernels(build, cases):
    rows, device = [], {}
    for test, patterns in cases.items():
        program = os.path.join(build, 'tests', 'kernels', f'test_{test}')
        for pattern in patterns:
            output = run([program, '--bench', '--json', '--test', pattern])
            for line in output.splitlines():
                if not line.startswith('{'):
                    continue
                row = json.loads(line)
                if 'name' in row:
                    rows.append(row)
                elif 'driver' in row:
                    device = row
    return rows, device


def time_call(function, n_samples=30):
    for _ in range(3):
        function()
    samples = []
    for _ in range(n_samples):
        start = time.perf_counter()
        function()
        samples.append((time.perf_counter() - start) * 1e6)
    return statistics.median(samples)


def bench_opencv():
    try:
        import cv2
        import numpy
    except ImportError as missing:
        return [], f'OpenCV left out: {missing}'
    rows = []
    for width, height in SIZES:
        random = numpy.random.default_rng(1)
        frame = random.integers(0, 256, (height, width), numpy.uint8)
        means = numpy.empty_like(frame)
        jobs = {'integral': lambda: cv2.integral(frame),
                'meanStdDev and minMaxLoc': lambda: (cv2.meanStdDev(frame),
                                                     cv2.minMaxLoc(frame))}
        for window in WINDOWS:
            jobs[f'boxFilter {window}x{window}'] = (
                lambda w=window: cv2.blur(frame, (w, w), means))
            jobs[f'adaptiveThreshold {window}x{window}'] = (
                lambda w=window: cv2.adaptiveThreshold(
                    frame, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY,
                    w, 8))
        if hasattr(cv2, 'ximgproc'):
            for method in ['niblack', 'sauvola', 'wolf', 'nick']:
                number = getattr(cv2.ximgproc,
                                 f'BINARIZATION_{method.upper()}')
                jobs[f'niBlackThreshold {method} 15x15'] = (
                    lambda n=number: cv2.ximgproc.niBlackThreshold(
                        frame, 255, cv2.THRESH_BINARY, 15, .2,
                        binarizationMethod=n))
        for name, job in jobs.items():
            rows.append({'name': f'OpenCV {name}', 'width': width,
                         'height': height, 'us': time_call(job)})
    return rows, f'OpenCV {cv2.__version__}, {cv2.getNumThreads()} threads'


def bench_npp():
    if not shutil.which('nvcc'):
        return [], 'NPP left out: no nvcc'
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'npp.cu')
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'npp')
        try:
            run(['nvcc', '-O2', '-o', program, source, '-lnppist', '-lnppif',
                 '-lnppc'])
            for width, height in SIZES:
                for line in run([program, str(width), str(height)]).splitlines():
                    row = json.loads(line)
                    rows.append(row | {'name': f'NPP {row["name"]}'})
        except subprocess.CalledProcessError as failure:
            reason = failure.stderr.strip().splitlines() or ['it failed']
            return [], f'NPP left out: {reason[0]}'
    return rows, 'NPP of ' + run(['nvcc', '--version']).splitlines()[-1]


# --- report ---------------------------------------------------------------

def print_table(title, head, rows):
    print(f'\n{title}\n\n| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')


def print_growth(rows):
    """Time per pixel of each job by size of the frame: the same all over the
    row where time grows with the pixels alone. Rows of windows differ as time
    grows with the window."""
    jobs = {}
    for row in rows:
        time_us = row.get('host_us', row.get('us'))
        jobs.setdefault(row['name'].strip(), {})[row['width']] = (
            1000 * time_us / (row['width'] * row['height']))
    print_table('Nanoseconds per pixel, by size of the frame',
                ['job', *(f'{width}x{height}' for width, height in SIZES)],
                [[job, *(f'{sizes[width]:.3f}' if width in sizes else ''
                         for width, _ in SIZES)]
                 for job, sizes in jobs.items() if len(sizes) == len(SIZES)])


def print_report(results):
    device = results['device']
    print(f'Device: {device.get("device")} ({device.get("platform")}, driver '
          f'{device.get("driver")}). Machine: {results["machine"]}. '
          + '. '.join(results['notes']) + '.')
    print_table(f'Pipelines, {WIDTH}x{HEIGHT} I420 from memory',
                ['pipeline', 'frames per second', 'spread'],
                [[label, f'{fps["median"]:.0f}',
                  f'{fps["low"]:.0f} .. {fps["high"]:.0f}']
                 for label, fps in results['pipelines'].items()])
    print_table('Kernels, one 8-bit frame', ['job', 'size', 'device, us',
                                             'back to back, us', 'GB/s'],
                [[row['name'], f'{row["width"]}x{row["height"]}',
                  f'{row["device_us"]:.0f}', f'{row["host_us"]:.0f}',
                  f'{row["gb_per_s"]:.1f}'] for row in results['kernels']])
    if results['peers']:
        print_table('Peers, one 8-bit frame', ['job', 'size', 'us'],
                    [[row['name'], f'{row["width"]}x{row["height"]}',
                      f'{row["us"]:.0f}'] for row in results['peers']])
    print_growth(results['kernels'] + results['peers'])
    print_table(startup.TITLE, *startup.table(results['start_up']))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('--json', help='file for every figure')
    parser.add_argument('--frames', type=int, default=150,
                        help='frames of the clip (3 MB each)')
    parser.add_argument('--rounds', type=int, default=5)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    build = os.path.abspath(arguments.build)
    os.environ['GST_PLUGIN_PATH'] = os.path.join(build, 'gst')
    timer = os.path.join(build, 'tests', 'bench', 'pipeline')

    pipelines, name = bench_pipelines(timer, arguments.frames, arguments.rounds)
    is_gpu = 'NVIDIA' in name or 'GPU' in name
    kernels, device = bench_kernels(build, GPU_CASES if is_gpu else CPU_CASES)
    opencv, opencv_note = bench_opencv()
    npp, npp_note = bench_npp() if is_gpu else ([], '')
    results = {
        'device': device,
        'machine': f'{os.cpu_count()} cores, {platform.platform()}',
        'notes': [note for note in (opencv_note, npp_note) if note],
        'pipelines': pipelines,
        'kernels': kernels,
        'peers': opencv + npp,
        'start_up': startup.measure(timer, 3),
    }
    print_report(results)
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump(results, file, indent=1)


if __name__ == '__main__':
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f'bench: {" ".join(failure.cmd)}\n{failure.stderr}')
