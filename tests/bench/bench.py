#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the plugin and its peers alternately, and prints tables in
Markdown; --json writes every figure to a file.

Peers are used if they are installed: videoanalyse, FFmpeg, OpenCV's Python
package on the CPU and on OpenCL, and NVIDIA's NPP if nvcc can compile npp.cu.
The device is GST_OPENCL_DEVICE. Needs only Python's standard library.
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

import metrics
import peers
import startup

WIDTH, HEIGHT = 1920, 1080
FRAME_BYTES = WIDTH * HEIGHT * 3 // 2
SIZES = metrics.SIZES

# Kernel cases on a CPU device: the others are for GPUs, and take long there.
CPU_CASES = {
    'integral': ['integral/multi-pass-cpu'],
    'localmean': ['localmean/sliding-cpu/means', 'localmean/direct-cpu/means'],
    'operation': ['operation/direct', 'operation/windows'],
    'moments': ['moments/cpu'],
    'metrics': ['metrics/cpu'],
    'scopes': ['scopes/cpu'],
    'scopedraw': ['scopedraw/cpu'],
}
GPU_CASES = {
    'integral': ['integral/multi-pass-gpu', 'integral/single-pass',
                 'integral/multi-pass', 'integral/async-copy'],
    'localmean': ['localmean/sliding-gpu/means', 'localmean/direct/means',
                  'localmean/async-copy/means'],
    'operation': ['operation/direct', 'operation/windows'],
    'moments': ['moments/gpu', 'moments/inner', 'moments/outer'],
    'metrics': ['metrics/gpu'],
    'scopes': ['scopes/plain'],
    'scopedraw': ['scopedraw/plain'],
}

# As in FFmpeg's signalstats=stat=tout+vrep+brng.
SIGNALSTATS = ('clframesum key-style=lavfi statistics=moments+range+percentiles'
               '+temporal+saturation+hue+bit-depth+outliers+repetition+gamut')

# In the sizes of FFmpeg's waveform and vectorscope.
SCOPES = ('tee name=both both. ! queue ! clscope kind=waveform width=1920 '
          'height=256 ! fakesink sync=false both. ! queue ! clscope '
          'kind=vectorscope width=256 height=256')

# Each frame with itself, so that both read one file.
COMPARISON = ('tee name=pairs pairs. ! queue ! compare.reference pairs. ! '
              'queue ! clcompare name=compare metrics=psnr+ssim '
              'post-messages=false')
FFMPEG_COMPARISON = 'split=4[a][b][c][d];[a][b]psnr,nullsink;[c][d]ssim'

# label, launch line after the reader (of a peer if the label says so)
PIPELINES = [
    ('reader alone', 'identity'),
    ('videoanalyse (luma mean and variance)', 'videoanalyse'),
    ('clframesum (all planes, meta and messages)', 'clframesum'),
    ('clframesum stats-meta=false', 'clframesum stats-meta=false'),
    ('clframesum, all of signalstats', SIGNALSTATS),
    ('clframesum async-depth=0, all of signalstats',
     f'{SIGNALSTATS} async-depth=0'),
    ('clcompare metrics=psnr+ssim', COMPARISON),
    ('clscope kind=waveform and kind=vectorscope', SCOPES),
    ('clscope kind=all', 'clscope kind=all'),
    ('cllocalmean 15x15', 'cllocalmean'),
    ('clintegral (luma)', 'clintegral'),
    ('clintegral ! cllocalmean 15x15 (luma)', 'clintegral ! cllocalmean'),
]
FFMPEG_FILTERS = ['signalstats', 'signalstats=stat=tout+vrep+brng',
                  'split[a][b];[a]waveform=filter=lowpass,nullsink;'
                  '[b]vectorscope', FFMPEG_COMPARISON, 'avgblur=7',
                  'boxblur=7:1']


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
    """Subtracts the start-up time, from a run of one frame."""
    return (n_frames - 1) / (ffmpeg_seconds(clip, filter_name, n_frames)
                             - ffmpeg_seconds(clip, filter_name, 1))


def has_element(name):
    # not --exists: it checks for the version of GStreamer itself
    return subprocess.run(['gst-inspect-1.0', name], check=False,
                          capture_output=True).returncode == 0


def bench_pipelines(timer, n_frames, n_rounds, lines=None, filters=None):
    """Runs all contenders once per round, so that disturbances of the machine
    affect them alike."""
    samples, device = {}, ''
    lines = [(label, line) for label, line in lines or PIPELINES
             if has_element(line.split()[0])]
    folder = '/dev/shm' if os.path.isdir('/dev/shm') else None
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        clip = os.path.join(temporary, 'clip.i420')
        make_clip(clip, n_frames)
        for label, line in lines:
            pipeline_fps(timer, clip, line)  # warm-up of caches and kernels
        for _ in range(n_rounds):
            for label, line in lines:
                fps, name = pipeline_fps(timer, clip, line)
                samples.setdefault(label, []).append(fps)
                device = name or device
            if shutil.which('ffmpeg'):
                for filter_name in filters or FFMPEG_FILTERS:
                    samples.setdefault(f'FFmpeg {filter_name}', []).append(
                        ffmpeg_fps(clip, filter_name, n_frames))
    return {label: median_and_spread(values)
            for label, values in samples.items()}, device


# --- kernels --------------------------------------------------------------

def kernel_program(build, op):
    return os.path.join(build, 'tests', f'test_{op}')


def bench_kernels(build, cases):
    rows, device = [], {}
    for op, patterns in cases.items():
        for pattern in patterns:
            output = run([kernel_program(build, op), '--bench', '--json',
                          '--test', pattern])
            for line in output.splitlines():
                if not line.startswith('{'):
                    continue
                row = json.loads(line)
                if 'name' in row:
                    rows.append(row)
                elif 'driver' in row:
                    device = row
    return rows, device


# --- report ---------------------------------------------------------------

def print_table(title, head, rows):
    print(f'\n{title}\n\n| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')


def print_growth(rows):
    """Time per pixel of each job by frame size: constant along a row if the
    time is proportional to the pixels. The time of rows of windows grows with
    the window."""
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


def report_pipelines(rows):
    print_table(f'Pipelines, {WIDTH}x{HEIGHT} I420 from memory',
                ['pipeline', 'frames per second', 'spread'],
                [[label, f'{fps["median"]:.0f}',
                  f'{fps["low"]:.0f} .. {fps["high"]:.0f}']
                 for label, fps in rows.items()])


def report_kernels(rows):
    print_table('Kernels, one 8-bit frame', ['job', 'size', 'device, us',
                                             'back to back, us', 'GB/s',
                                             'of copies'],
                [[row['name'], f'{row["width"]}x{row["height"]}',
                  f'{row["device_us"]:.0f}', f'{row["host_us"]:.0f}',
                  f'{row["gb_per_s"]:.1f}', f'{row["copy_share"]:.0%}']
                 for row in rows])


def report_peers(rows):
    print_table('Peers, one 8-bit frame', ['job', 'size', 'us'],
                [[row['name'], f'{row["width"]}x{row["height"]}',
                  f'{row["us"]:.0f}'] for row in rows])


# --- parts ----------------------------------------------------------------

def is_gpu(device_name):
    return 'NVIDIA' in device_name or 'GPU' in device_name


def measure_pipelines(arguments, results):
    rows, results['device name'] = bench_pipelines(
        arguments.timer, arguments.frames, arguments.rounds)
    report_pipelines(rows)
    return rows


def device_name(arguments, results):
    if 'device name' not in results:
        line = ('videotestsrc num-buffers=1 ! video/x-raw,width=16,height=16 '
                '! clframesum ! fakesink')
        results['device name'] = json.loads(run([arguments.timer,
                                                 line]))['device']
    return results['device name']


def measure_kernels(arguments, results):
    name = device_name(arguments, results)
    rows, device = bench_kernels(arguments.build,
                                 GPU_CASES if is_gpu(name) else CPU_CASES)
    print(f'\nDevice: {device.get("device")} ({device.get("platform")}, '
          f'driver {device.get("driver")}).')
    results['device'] = device
    report_kernels(rows)
    print_table('Figures by what is asked for, 1920x1080',
                *metrics.growth_by_metrics(rows))
    print_table('Figures by number of regions, 1920x1080',
                *metrics.growth_by_regions(rows))
    return rows


def measure_peers(arguments, results):
    contenders = [peers.opencv, peers.opencv_opencl, peers.ffmpeg]
    if is_gpu(device_name(arguments, results)):
        contenders.append(peers.npp)
    else:  # otherwise it uses GPUs only
        os.environ.setdefault('OPENCV_OPENCL_DEVICE', ':CPU:')
    all_rows = []
    for contender in contenders:
        rows, note = contender(SIZES)
        all_rows += rows
        if note:
            print(f'\n{note}.')
            results['notes'].append(note)
    report_peers(all_rows)
    return all_rows


def measure_metrics(arguments, results):
    contenders = ['OpenCV', 'OpenCV OpenCL']
    if is_gpu(device_name(arguments, results)):
        contenders.append('NPP')
    else:
        os.environ.setdefault('OPENCV_OPENCL_DEVICE', ':CPU:')
    rows, notes = metrics.measure(arguments.build, min(arguments.rounds, 3),
                                  contenders)
    results['notes'] += notes
    print(''.join(f'\n{note}.' for note in notes))
    print_table('Histogram, moments and range, one 8-bit frame',
                *metrics.table(rows))
    return rows


def measure_startup(arguments, _):
    results = startup.measure(arguments.timer, 3)
    print_table(startup.TITLE, *startup.table(results))
    return results


PARTS = {'pipelines': measure_pipelines, 'kernels': measure_kernels,
         'peers': measure_peers, 'metrics': measure_metrics,
         'startup': measure_startup}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('--json', help='file for every figure')
    parser.add_argument('--frames', type=int, default=150,
                        help='frames of the clip (3 MB each)')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('parts', nargs='*', metavar='PART',
                        help=f'of {", ".join(PARTS)}; default: all')
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in PARTS:
            parser.error(f'no part {part!r}')
    return arguments


def main():
    """Prints each table when it is ready, and writes the figures so far to the
    file."""
    arguments = parse_arguments()
    arguments.build = os.path.abspath(arguments.build)
    arguments.timer = os.path.join(arguments.build, 'tests', 'bench',
                                   'pipeline')
    os.environ['GST_PLUGIN_PATH'] = os.path.join(arguments.build, 'gst')
    results = {'machine': f'{os.cpu_count()} cores, {platform.platform()}',
               'notes': []}
    print(f'Machine: {results["machine"]}.')
    for part in arguments.parts or PARTS:
        results[part] = PARTS[part](arguments, results)
        sys.stdout.flush()
        if arguments.json:
            with open(arguments.json, 'w', encoding='utf-8') as file:
                json.dump(results, file, indent=1)
    print_growth(results.get('kernels', []) + results.get('peers', []))


if __name__ == '__main__':
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f'bench: {" ".join(failure.cmd)}\n{failure.stderr}')
