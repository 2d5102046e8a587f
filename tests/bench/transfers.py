#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures whole pipelines, compared with the limits of their transfers, and
prints a table in Markdown; --json writes every figure to a file.

Prepared GRAY8 frames (a replay of eight) are uploaded, processed, and
downloaded if the line does so. The bound is the time of the pinned transfers
alone, measured in the same run; for comparison, the same chain with one
blocking call after the other. Then many streams of I420 at once, in one
process: their total frames per second. The device is GST_OPENCL_DEVICE.
"""
import argparse
import json
import os
import statistics
import subprocess

from bench import is_gpu

SIZES = [(1920, 1080), (3840, 2160)]

# label, line, bound, blocking version
LINES = [
    ('clframesum stats-meta=false', 'clframesum stats-meta=false',
     'up', 'blocking-framesum'),
    ('clframesum', 'clframesum', 'up', 'blocking-framesum'),
    ('clframesum async-depth=4', 'clframesum async-depth=4', 'up',
     'blocking-framesum'),
    ('cllocalmean, kept on the device',
     'cllocalmean ! video/x-raw(memory:OpenCLMemory)', 'up', None),
    ('clupload ! cllocalmean ! cldownload',
     'clupload ! cllocalmean ! cldownload', 'both', 'blocking-localmean'),
    ('the same, a queue between each',
     'queue ! clupload ! queue ! cllocalmean ! queue ! cldownload ! queue',
     'both', 'blocking-localmean'),
]

STREAM_WIDTH, STREAM_HEIGHT = 1920, 1080  # I420
STREAM_LINES = [
    ('moments and range', 'clframesum stats-meta=false'),
    ('the same, as metas too', 'clframesum'),
    ('what signalstats gives',
     'clframesum stats-meta=false key-style=lavfi statistics=moments+range+'
     'percentiles+temporal+saturation+hue+bit-depth+outliers+repetition+gamut'),
]


def run(command):
    return json.loads(subprocess.run(command, check=True, text=True,
                                     capture_output=True, timeout=300).stdout)


def transfer(build, width, height):
    """Microseconds of a frame of that many bytes, by transfer.c."""
    return run([os.path.join(build, 'tests', 'bench', 'transfer'), str(width),
                str(height)])


def play(build, line, upstream, n_frames, n_warm_up=1):
    """Returns the measurement of pipeline.c for replays of that many frames
    each."""
    return run([os.path.join(build, 'tests', 'bench', 'pipeline'),
                f'--frames={n_frames}', f'--warm-up={n_warm_up}',
                f'--upstream={upstream}', line])


def replay(name, video_format, width, height):
    return (f'appsrc name={name} max-buffers=4 block=true '
            f'caps=video/x-raw,format={video_format},width={width},'
            f'height={height},framerate=1000/1')


def medians(rows):
    return {name: statistics.median(row[name] for row in rows)
            for name in rows[0]}


def measure(build, width, height, n_frames, n_rounds):
    bounds, samples, bytes_moved, device = [], {}, {}, ''
    for _ in range(n_rounds):
        bounds.append(transfer(build, width, height))
        for label, line, _, _ in LINES:
            for upstream in ('offered', 'system'):
                source = replay('replay', 'GRAY8', width, height)
                result = play(build,
                              f'{source} ! {line} ! fakesink sync=false',
                              upstream, n_frames)
                key = f'{label}|{upstream}'
                samples.setdefault(key, []).append(1e6 / result['fps'])
                bytes_moved[key] = [result['to_device'] / n_frames,
                                    result['from_device'] / n_frames]
                device = result['device'] or device
    bound = medians(bounds)
    rows = []
    for label, _, bound_name, blocking in LINES:
        for upstream in ('offered', 'system'):
            key = f'{label}|{upstream}'
            us = statistics.median(samples[key])
            rows.append({'line': label, 'upstream': upstream, 'us': us,
                         'bytes': bytes_moved[key],
                         'bound': bound[bound_name],
                         'share': bound[bound_name] / us,
                         'blocking': bound.get(blocking)})
    return {'width': width, 'height': height, 'bound': bound, 'rows': rows,
            'device': device}


def play_streams(build, line, upstream, n_streams, n_frames):
    """All in one pipeline, a replay and a chain of elements for each. The
    first fifth, in which each allocates its device buffers, is not timed."""
    chains = [replay(f'replay{i}', 'I420', STREAM_WIDTH, STREAM_HEIGHT)
              + f' ! {line} ! fakesink sync=false' for i in range(n_streams)]
    return play(build, ' '.join(chains), upstream, n_frames,
                max(n_frames // 5, 1))


def measure_streams(build, n_streams, n_frames, n_rounds):
    """@n_streams, @n_frames of each; None: defaults for the device."""
    probe = play_streams(build, STREAM_LINES[0][1], 'offered', 1, 2)
    gpu = is_gpu(probe['device'])
    n_streams = n_streams or (64 if gpu else 4 * os.cpu_count())
    n_frames = n_frames or (500 if gpu else 20)
    bounds, samples = [], {}
    for _ in range(n_rounds):
        # as many bytes as a frame of I420 has
        bounds.append(transfer(build, STREAM_WIDTH, STREAM_HEIGHT * 3 // 2))
        for label, line in STREAM_LINES:
            for upstream in ('offered', 'system'):
                result = play_streams(build, line, upstream, n_streams,
                                      n_frames)
                samples.setdefault((label, upstream), []).append(result['fps'])
    bound = medians(bounds)['up']
    rows = [{'line': label, 'upstream': upstream,
             'fps': statistics.median(values), 'low': min(values),
             'high': max(values),
             'share': statistics.median(values) * bound / 1e6}
            for (label, upstream), values in samples.items()]
    return {'streams': n_streams, 'frames': n_frames, 'bound': bound,
            'rows': rows, 'device': probe['device']}


def memory(upstream):
    return 'our pool' if upstream == 'offered' else 'other memory'


def report(result):
    print(f'\n{result["width"]}x{result["height"]} GRAY8 on '
          f'{result["device"]}: pinned up {result["bound"]["up"]:.0f} us, down '
          f'{result["bound"]["down"]:.0f}, both at once '
          f'{result["bound"]["both"]:.0f}.\n')
    print('| line | frames lie in | bytes up, down | us a frame | frames/s | '
          'of the bound | plain blocking, us |')
    print('|---|---|---|---|---|---|---|')
    for row in result['rows']:
        blocking = f'{row["blocking"]:.0f}' if row['blocking'] else '-'
        print(f'| `{row["line"]}` | {memory(row["upstream"])} | '
              f'{row["bytes"][0]:.0f}, {row["bytes"][1]:.0f} | '
              f'{row["us"]:.0f} | {1e6 / row["us"]:.0f} | '
              f'{row["share"]:.0%} | {blocking} |')


def report_streams(result):
    print(f'\n{result["streams"]} streams of {STREAM_WIDTH}x{STREAM_HEIGHT} '
          f'I420 in one process, {result["frames"]} frames of each, on '
          f'{result["device"]}: pinned up {result["bound"]:.0f} us, '
          f'{1e6 / result["bound"]:.0f} frames/s.\n')
    print('| `clframesum` of | frames lie in | frames/s in total | spread | '
          'of the bound |')
    print('|---|---|---|---|---|')
    for row in result['rows']:
        print(f'| {row["line"]} | {memory(row["upstream"])} | '
              f'{row["fps"]:.0f} | {row["low"]:.0f} .. {row["high"]:.0f} | '
              f'{row["share"]:.0%} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('--json', help='file for every figure')
    parser.add_argument('--frames', type=int, default=1000)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--streams', type=int,
                        help='default: 64 on a GPU, 4 for each core of a CPU')
    parser.add_argument('--stream-frames', type=int,
                        help='of each; default: 500 on a GPU, 20 on a CPU')
    parser.add_argument('parts', nargs='*', metavar='PART',
                        help='of sizes, streams; default: all')
    arguments = parser.parse_args()
    parts = arguments.parts or ['sizes', 'streams']
    if set(parts) - {'sizes', 'streams'}:
        parser.error(f'what is {" ".join(parts)!r}?')
    build = os.path.abspath(arguments.build)
    os.environ['GST_PLUGIN_PATH'] = os.path.join(build, 'gst')

    results = {}
    if 'sizes' in parts:
        results['sizes'] = [measure(build, width, height, arguments.frames,
                                    arguments.rounds)
                            for width, height in SIZES]
        for result in results['sizes']:
            report(result)
    if 'streams' in parts:
        results['streams'] = measure_streams(build, arguments.streams,
                                             arguments.stream_frames,
                                             arguments.rounds)
        report_streams(results['streams'])
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump(results, file, indent=1)


if __name__ == '__main__':
    main()
