#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a clip through clframesum, cllocalmean and clintegral, and a printed page
through cllocalmean's thresholds.

usage: demo.py FILE OUT_DIR, with GST_PLUGIN_PATH set (scripts/demo.sh does).

First pass: clframesum writes the statistics of every frame to
OUT_DIR/frames.jsonl, from where they go into a plot. Second pass: local means and integral
images of all frames up to the last of three, which go into a contact sheet.
Then the page, whatever the clip.
"""
import json
import os
import shlex
import sys
import time

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

import demo_page  # noqa: E402
import demo_pictures  # noqa: E402

WINDOW = 31  # pixels, both ways
PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    'tests', 'data', 'page.png')
PATIENCE = 30  # seconds without a frame; kernels compile before the first


class DemoError(Exception):
    """What went wrong, in one line for the user."""


class Progress:
    """One line that counts frames; a new line per second off a terminal."""

    def __init__(self, label, total):
        self.label, self.total = label, total
        self.frames, self.shown = 0, 0.0
        self.first = self.last = time.monotonic()

    def frame(self):
        """One more frame has arrived. Any one thread."""
        self.last = time.monotonic()
        if self.frames == 0:
            self.first = self.last
        self.frames += 1
        if self.last - self.shown > (0.1 if sys.stdout.isatty() else 1.0):
            self.shown = self.last
            self.show('\r' if sys.stdout.isatty() else '\n')

    def show(self, end='\n'):
        of_total = f' of {self.total}' if self.total else ''
        print(f'  {self.label}: frame {self.frames}{of_total}', end=end,
              flush=True)

    def rate(self):
        """Frames per second, in words."""
        seconds = self.last - self.first
        if self.frames < 2 or seconds <= 0:
            return 'too short a clip for a rate'
        return f'{(self.frames - 1) / seconds:.0f} frames per second'


def source(file):
    return ['filesrc', f'location={file}', '!', 'decodebin', 'name=decoder',
            '!', 'videoconvert']


def local_mean():
    return ['cllocalmean', f'kernel-width={WINDOW}', f'kernel-height={WINDOW}']


def run(arguments, prepare, progress, on_message=lambda message: None,
        is_done=lambda: False):
    """Plays a launch line to its end or until is_done(). Raises DemoError, also
    when @progress stands still: decodebin can lose the error of a demuxer."""
    try:
        pipeline = Gst.parse_launchv(arguments)
    except GLib.Error as error:  # an element is missing
        raise DemoError(error.message) from None
    media = []
    decoder = pipeline.get_by_name('decoder')
    decoder.connect('pad-added', lambda _, pad: media.append(
        pad.query_caps(None).to_string()))
    prepare(pipeline)
    bus = pipeline.get_bus()
    kinds = (Gst.MessageType.EOS | Gst.MessageType.ERROR
             | Gst.MessageType.ELEMENT)
    try:
        pipeline.set_state(Gst.State.PLAYING)
        while not is_done():
            message = bus.timed_pop_filtered(50 * Gst.MSECOND, kinds)
            if message is None:
                if time.monotonic() - progress.last > PATIENCE:
                    raise DemoError(f'no frame came for {PATIENCE} seconds')
                continue
            if message.type == Gst.MessageType.ERROR:
                raise DemoError(explain(message, media))
            if message.type == Gst.MessageType.EOS:
                break
            on_message(message)
    finally:
        pipeline.set_state(Gst.State.NULL)
    if media and not any(caps.startswith('video/') for caps in media):
        raise DemoError('it holds no video')


def explain(message, media):
    """The text of an error message, and the cause that is behind it."""
    error, debug = message.parse_error()
    if media and not any(caps.startswith('video/') for caps in media):
        return 'it holds no video'
    detail = (debug or '').strip().splitlines()
    # The first line of the debug text names the source file and line.
    detail = [line.strip() for line in detail[1:] if line.strip()]
    return error.message + (f' ({detail[0]})' if detail else '')


def measure(file, out):
    """First pass. Returns the results, one dictionary a frame, the progress
    and the name of the device."""
    found = {}
    path = os.path.join(out, 'frames.jsonl')
    progress = Progress('clframesum', None)
    arguments = source(file) + ['!', 'clframesum', 'name=statistics',
                                'stats-meta=false', f'location={path}', '!',
                                'fakesink']

    def prepare(pipeline):
        found['element'] = pipeline.get_by_name('statistics')

    def on_message(message):
        if message.get_structure().get_name() == 'clframesum':
            found['device'] = found['element'].get_property('device-name')
            progress.frame()

    run(arguments, prepare, progress, on_message)
    progress.show()
    with open(path, encoding='utf-8') as lines:
        results = [line for line in map(json.loads, lines)
                   if line['type'] == 'frame']
    if not results:
        raise DemoError('it holds no frame')
    return results, progress, found['device']


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
    yield 'the page in black and white', demo_page.page_line(PAGE, out)


def main(file, out):
    file, out = os.path.abspath(file), os.path.abspath(out)
    Gst.init(None)
    print(f'Clip: {file}')
    results, statistics_rate, device = measure(file, out)
    last = len(results) - 1
    wanted = sorted({last // 6, last // 2, last * 5 // 6})
    pictures, pictures_rate = take_pictures(file, wanted)
    name = os.path.basename(file)
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
    print(f'Numbers:  {out}/frames.jsonl (one line a frame)')
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
