#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a clip through clframesum, cllocalmean and clintegral, a second clip
made from it through clframesum, and a printed page through cllocalmean's
thresholds.

usage: demo.py FILE OUT_DIR, with GST_PLUGIN_PATH set (scripts/demo.sh does).

First pass: clframesum writes the statistics of every frame, and the events, to
OUT_DIR/frames.jsonl, from where they go into plots. Second pass: local means
and integral images of all frames up to the last of three, which go into a
contact sheet. Then the clip with cuts, a fade and a freeze:
OUT_DIR/changed.avi and changed.jsonl. Then the page, whatever the clip.
"""
import os
import shlex
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

import demo_changes  # noqa: E402
import demo_page  # noqa: E402
import demo_pictures  # noqa: E402
import demo_timeline  # noqa: E402
from demo_run import DemoError, Progress, run, source  # noqa: E402

WINDOW = 31  # pixels, both ways
PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    'tests', 'data', 'page.png')


def local_mean():
    return ['cllocalmean', f'kernel-width={WINDOW}', f'kernel-height={WINDOW}']


def statistics(location):
    """What is measured; drawn from the lines in @location."""
    return ['clframesum', 'statistics=moments+range+histogram+percentiles+'
            'temporal+saturation', 'histogram-bins=64',
            'events=black+freeze+scene', 'black-min-duration=1000000000',
            'stats-meta=false', f'location={location}']


def measure(file, path):
    """Statistics and events of @file, as lines into @path. Returns the progress
    and the name of the device."""
    found = {}
    progress = Progress('clframesum', None)
    arguments = source(file) + ['!', *statistics(path), 'name=statistics', '!',
                                'fakesink']

    def prepare(pipeline):
        found['element'] = pipeline.get_by_name('statistics')

    def on_message(message):
        if message.get_structure().get_name() == 'clframesum':
            found['device'] = found['element'].get_property('device-name')
            progress.frame()

    run(arguments, prepare, progress, on_message)
    progress.show()
    if not found.get('device'):
        raise DemoError('it holds no frame')
    return progress, found['device']


def take_pictures(file, wanted):
    """Second pass. Returns {branch: {frame number: array}} and the progress."""
    branches = {
        'frame': [],
        'mean': local_mean() + ['!'],
        'integral': ['clintegral', 'component=0', '!'],
    }
    arguments = source(file) + ['!', 'tee', 'name=t']
    for name, element in branches.items():
        convert = [] if name == 'integral' else [
            'videoconvert', '!', 'video/x-raw,format=RGB', '!']
        arguments += ['t.', '!', 'queue', '!'] + element + [
            'identity', f'name=pick-{name}', '!'] + convert + [
            'appsink', f'name={name}', 'sync=false', 'emit-signals=true']
    pictures = {name: {} for name in branches}
    progress = Progress('cllocalmean and clintegral', max(wanted) + 1)

    def prepare(pipeline):
        for name in branches:
            # Only the wanted frames go on to the conversion and the sink.
            count = iter(range(sys.maxsize))

            def pick(_pad, _info, name=name, count=count):
                number = next(count)
                if name == 'mean' and number <= max(wanted):
                    progress.frame()
                return (Gst.PadProbeReturn.OK if number in wanted
                        else Gst.PadProbeReturn.DROP)

            def keep(sink, name=name, numbers=iter(wanted)):
                pictures[name][next(numbers)] = demo_pictures.to_array(
                    sink.emit('pull-sample'))
                return Gst.FlowReturn.OK

            pad = pipeline.get_by_name(f'pick-{name}').get_static_pad('src')
            pad.add_probe(Gst.PadProbeType.BUFFER, pick)
            pipeline.get_by_name(name).connect('new-sample', keep)

    run(arguments, prepare, progress, is_done=lambda: all(
        len(taken) == len(wanted) for taken in pictures.values()))
    progress.show()
    return pictures, progress


def launch_lines(file, out):
    """What a reader pastes into a shell to do the same."""
    start = ['filesrc', f'location={file}', '!', 'decodebin', '!',
             'videoconvert', '!']
    yield 'statistics of every frame, on the bus', ['-m'] + start + [
        'clframesum', '!', 'fakesink']
    yield 'local means of the first frame, as a picture', ['-q'] + start + \
        local_mean() + ['!', 'videoconvert', '!', 'pngenc', 'snapshot=true',
                        '!', 'filesink', f'location={out}/local-mean.png']
    yield 'integral image of its first component, raw uint32', ['-q'] + \
        start + ['imagefreeze', 'num-buffers=1', '!', 'clintegral',
                 'component=0', '!', 'filesink',
                 f'location={out}/integral.u32']
    yield 'statistics and events of the second clip, as lines of JSON', [
        '-q', 'filesrc', f'location={out}/changed.avi', '!', 'decodebin', '!',
        'videoconvert', '!', *statistics(f'{out}/again.jsonl'),
        'post-messages=false', '!', 'fakesink']
    yield 'the page in black and white', demo_page.page_line(PAGE, out)


def main(file, out):
    file, out = os.path.abspath(file), os.path.abspath(out)
    changed = f'{out}/changed.avi'
    Gst.init(None)
    print(f'Clip: {file}')
    statistics_rate, device = measure(file, f'{out}/frames.jsonl')
    lines = demo_timeline.Lines(f'{out}/frames.jsonl')
    results = lines.frames
    last = len(results) - 1
    wanted = sorted({last // 6, last // 2, last * 5 // 6})
    pictures, pictures_rate = take_pictures(file, wanted)
    demo_changes.make(file, changed)
    measure(changed, f'{out}/changed.jsonl')
    changed_lines = demo_timeline.Lines(f'{out}/changed.jsonl')
    name = os.path.basename(file)
    demo_timeline.draw(
        [(name, lines),
         ('changed.avi: the same with cuts, a fade, a freeze', changed_lines)],
        f'{out}/timeline.png', width=8, dpi=110)
    demo_pictures.plot_statistics(results, name, f'{out}/statistics.png')
    demo_pictures.draw_contact_sheet(
        pictures, f'cllocalmean, {WINDOW} x {WINDOW}',
        f'{out}/contact-sheet.png')
    demo_page.draw_page(PAGE, f'{out}/page.png')

    first = results[0]
    print(f'\nDevice:   {device}')
    print(f'Frames:   {len(results)} of {first["width"]}x{first["height"]} '
          f'{first["format"]}')
    print(f'Speed:    clframesum {statistics_rate.rate()}; cllocalmean and '
          f'clintegral\n          together {pictures_rate.rate()}; decoding '
          'included')
    print('Events:   ' + '; '.join(lines.describe()))
    print('  of a clip made from it, with cuts, a fade and a freeze:')
    for event in changed_lines.describe():
        print(f'          {event}')
    print(f'Numbers:  {out}/frames.jsonl (one line a frame, and the events)')
    print(f'          {out}/changed.jsonl (of {changed})')
    print(f'Timeline: {out}/timeline.png (statistics, events, histogram over '
          'time)')
    print(f'Plot:     {out}/statistics.png (mean and range over time)')
    print(f'Pictures: {out}/contact-sheet.png (frame, local mean, integral)')
    print(f'Page:     {out}/page.png (under uneven light; thresholds)')
    print('\nTo repeat it by hand:')
    print('export GST_PLUGIN_PATH=' + shlex.quote(
        os.environ.get('GST_PLUGIN_PATH', '')))
    for what, arguments in launch_lines(file, out):
        words = [word if word == '!' else shlex.quote(word)
                 for word in arguments]
        print(f'# {what}\ngst-launch-1.0 ' + ' '.join(words))


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except DemoError as error:
        sys.exit(f'demo: {sys.argv[1]}: {error}')
    except demo_page.PageError as error:
        sys.exit(f'demo: {PAGE}: {error}')
    except OSError as error:
        sys.exit(f'demo: {error}')
    except KeyboardInterrupt:
        sys.exit(130)
