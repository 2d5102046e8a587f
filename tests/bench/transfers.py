#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures whole pipelines against what the transfers of their frames allow,
and prints a table in Markdown; --json writes every figure to a file.

GRAY8 frames that are there already (a replay of eight) go up, are worked on,
and go down where the line says so. The bound is the time that pinned transfers
alone take, measured in the same run; beside it the same chain written with one
blocking call after the other. The device is the one that GST_OPENCL_DEVICE
names.
"""
import argparse
import json
import os
import statistics
import subprocess

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


def run(command):
    return json.loads(subprocess.run(command, check=True, text=True,
                                     capture_output=True, timeout=300).stdout)


def measure(build, width, height, n_frames, n_rounds):
    folder = os.path.join(build, 'tests', 'bench')
    bounds, samples, bytes_moved, device = [], {}, {}, ''
    for _ in range(n_rounds):
        bounds.append(run([os.path.join(folder, 'transfer'), str(width),
                           str(height)]))
        for label, line, _, _ in LINES:
            for upstream in ('offered', 'system'):
                result = run([
                    os.path.join(folder, 'pipeline'),
                    f'--frames={n_frames}', f'--upstream={upstream}',
                    'appsrc name=replay max-buffers=4 block=true '
                    f'caps=video/x-raw,format=GRAY8,width={width},'
                    f'height={height},framerate=1000/1 ! {line} ! '
                    'fakesink sync=false'])
                key = f'{label}|{upstream}'
                samples.setdefault(key, []).append(1e6 / result['fps'])
                bytes_moved[key] = [result['to_device'] / n_frames,
                                    result['from_device'] / n_frames]
                device = result['device'] or device
    bound = {name: statistics.median(row[name] for row in bounds)
             for name in bounds[0]}
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


def report(result):
    print(f'\n{result["width"]}x{result["height"]} GRAY8 on '
          f'{result["device"]}: pinned up {result["bound"]["up"]:.0f} us, down '
          f'{result["bound"]["down"]:.0f}, both at once '
          f'{result["bound"]["both"]:.0f}.\n')
    print('| line | frames lie in | bytes up, down | us a frame | frames/s | '
          'of the bound | plain blocking, us |')
    print('|---|---|---|---|---|---|---|')
    for row in result['rows']:
        memory = ('our pool' if row['upstream'] == 'offered'
                  else 'other memory')
        blocking = f'{row["blocking"]:.0f}' if row['blocking'] else '-'
        print(f'| `{row["line"]}` | {memory} | {row["bytes"][0]:.0f}, '
              f'{row["bytes"][1]:.0f} | {row["us"]:.0f} | '
              f'{1e6 / row["us"]:.0f} | {row["share"]:.0%} | {blocking} |')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', default='build', help='build folder')
    parser.add_argument('--json', help='file for every figure')
    parser.add_argument('--frames', type=int, default=1000)
    parser.add_argument('--rounds', type=int, default=3)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    os.environ['GST_PLUGIN_PATH'] = os.path.join(build, 'gst')

    results = [measure(build, width, height, arguments.frames,
                       arguments.rounds) for width, height in SIZES]
    for result in results:
        report(result)
    if arguments.json:
        with open(arguments.json, 'w', encoding='utf-8') as file:
            json.dump(results, file, indent=1)


if __name__ == '__main__':
    main()
