#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a clip through clframesum, cllocalmean and clintegral, a second clip
made from it through clframesum, and a printed page through cllocalmean's
thresholds.

usage: demo.py FILE OUT_DIR, with GST_PLUGIN_PATH set (scripts/demo.sh does)
       demo.py --pages OUT_DIR, draws the pictures of thresholds.md,
       archive.md and picture.md into OUT_DIR

In the first pass, clframesum writes the statistics of every frame and the
events to OUT_DIR/frames.jsonl, from which plots are drawn. The second pass
computes local means and integral images, and draws three frames on a contact
sheet. OUT_DIR/changed.avi is a second clip with cuts, a fade and a freeze, with
its statistics in changed.jsonl. letterboxed.jsonl and telecined.jsonl have the
active area of the clip with black bars, and its fields after telecine;
light.jsonl has its flashes, light and levels. The printed page is the same for
all clips.
"""
import json
import os
import shlex
import sys
import tempfile
import time

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

import demo_pictures  # noqa: E402

# --- launch lines: progress, timeout, errors in one line ---------------------

TIMEOUT = 30  # seconds without a frame; kernels compile before the first


class DemoError(Exception):
    """An error with a message of one line for the user."""


class Progress:
    """Shows the number of frames: on a terminal in one line, otherwise in a
    new line each second."""

    def __init__(self, label, total):
        self.label, self.total = label, total
        self.frames, self.shown = 0, 0.0
        self.first = self.last = time.monotonic()

    def frame(self):
        """Counts a frame. Must be called from one thread only."""
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
        """Returns the number of frames per second as text."""
        seconds = self.last - self.first
        if self.frames < 2 or seconds <= 0:
            return 'too short a clip for a rate'
        return f'{(self.frames - 1) / seconds:.0f} frames per second'


def source(file):
    return ['filesrc', f'location={file}', '!', 'decodebin', 'name=decoder',
            '!', 'videoconvert']


def run(arguments, prepare, progress, on_message=lambda message: None,
        is_done=lambda: False):
    """Plays a launch line to its end or until is_done(). Raises DemoError on
    errors, and if no frame arrives within the timeout: decodebin can lose the
    error of a demuxer."""
    try:
        pipeline = Gst.parse_launchv(arguments)
    except GLib.Error as error:  # an element is missing
        raise DemoError(error.message) from None
    media = []
    decoder = pipeline.get_by_name('decoder')
    if decoder:
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
                if time.monotonic() - progress.last <= TIMEOUT:
                    continue
                if lacks_video(media):
                    break
                raise DemoError(f'no frame arrived for {TIMEOUT} seconds')
            if message.type == Gst.MessageType.ERROR:
                raise DemoError(explain(message, media))
            if message.type == Gst.MessageType.EOS:
                break
            on_message(message)
    finally:
        pipeline.set_state(Gst.State.NULL)
    if lacks_video(media):
        raise DemoError('the file has no video')


def lacks_video(media):
    """Returns whether the decoder has reported streams (@media), and none of
    them is video."""
    return media and not any(caps.startswith('video/') for caps in media)


def explain(message, media):
    """Returns the text of an error message and its cause."""
    error, debug = message.parse_error()
    if lacks_video(media):
        return 'the file has no video'
    detail = (debug or '').strip().splitlines()
    # The first line of the debug text names the source file and line.
    detail = [line.strip() for line in detail[1:] if line.strip()]
    return error.message + (f' ({detail[0]})' if detail else '')


# --- the second clip: the first one with cuts, a fade and a freeze -----------

RATE = 10    # frames per second
CLIP_WIDTH = 480  # pixels; the height follows

# The contents of the clip, and their numbers of frames.
PARTS = (('clip', 20), ('bars', 15), ('clip', 20), ('fade', 15), ('black', 15),
         ('clip', 20), ('freeze', 30), ('clip', 10))
# A freeze repeats one frame of the clip.
N_CLIP = sum({'clip': n, 'fade': n, 'freeze': 1}.get(kind, 0)
             for kind, n in PARTS)


def take_frames(arguments, progress):
    """Returns the frames that a launch line pushes to its appsink, as
    arrays."""
    frames = []

    def keep(sink):
        progress.frame()
        frames.append(demo_pictures.to_array(sink.emit('pull-sample')))
        return Gst.FlowReturn.OK

    def prepare(pipeline):
        pipeline.get_by_name('sink').connect('new-sample', keep)

    run(arguments + ['!', 'appsink', 'name=sink', 'sync=false',
                     'emit-signals=true'], prepare, progress)
    return frames


def take_clip(file, progress):
    """Returns the first frames of @file at the rate and the size of the
    clip."""
    clip = take_frames(source(file) + [
        '!', 'videorate', '!', f'video/x-raw,framerate={RATE}/1', '!',
        'identity', f'eos-after={N_CLIP}', '!', 'videoscale', '!',
        'videoconvert', '!', f'video/x-raw,format=RGB,width={CLIP_WIDTH},'
        'pixel-aspect-ratio=1/1'], progress)
    # at the end of a file videorate of GStreamer 1.28 repeats its last frame
    if 1 < len(clip) < N_CLIP and (clip[-1] == clip[-2]).all():
        clip.pop()
    return clip[:N_CLIP]


def take_bars(height, progress):
    """Returns frames of a test pattern with snow in a corner."""
    return take_frames(
        ['videotestsrc', f'num-buffers={dict(PARTS)["bars"]}', '!',
         f'video/x-raw,format=RGB,width={CLIP_WIDTH},height={height}'],
        progress)


def change(clip, bars):
    """Yields the frames of the second clip. A short @clip is played forward
    and backward."""
    last = len(clip) - 1
    shown = 0  # of @clip
    for kind, n in PARTS:
        for i in range(n):
            light = {'fade': 1 - i / n, 'black': 0}.get(kind, 1)
            there = last - abs(last - shown % max(2 * last, 1))
            frame = bars[i] if kind == 'bars' else clip[there]
            yield (frame * light).astype('u1')
            shown += kind in ('clip', 'fade')
        shown += kind == 'freeze'


def write_clip(frames, path, progress):
    """Writes the frames to a file that players and decodebin support."""
    height, width = frames[0].shape[:2]

    def push(source, _size):
        number = progress.frames
        if number == len(frames):
            source.emit('end-of-stream')
            return
        buffer = Gst.Buffer.new_wrapped(frames[number].tobytes())
        buffer.pts = number * Gst.SECOND // RATE
        buffer.duration = Gst.SECOND // RATE
        progress.frame()
        source.emit('push-buffer', buffer)

    run(
        ['appsrc', 'name=frames', 'format=time',
         f'caps=video/x-raw,format=RGB,width={width},height={height},'
         f'framerate={RATE}/1', '!', 'videoconvert', '!', 'video/x-raw,'
         'format=I420,colorimetry=1:4:0:0', '!', 'jpegenc', 'quality=95', '!',
         'avimux', '!', 'filesink', f'location={path}'],
        lambda pipeline: pipeline.get_by_name('frames').connect(
            'need-data', push), progress)


def make_changed(file, path):
    """Writes the second clip of @file to @path."""
    progress = Progress('second clip, taken', N_CLIP)
    clip = take_clip(file, progress)
    if not clip:
        raise DemoError('the file has no frame')
    bars = take_bars(clip[0].shape[0], progress)
    frames = list(change(clip, bars))
    progress = Progress('second clip, made', len(frames))
    write_clip(frames, path, progress)
    progress.show()


# --- the same clip with black bars, and telecined ----------------------------

BAR = 48  # rows

# What GStreamer makes of the clip, and what clframesum measures.
LETTERBOX = (['videobox', f'top=-{BAR}', f'bottom=-{BAR}'],
             'active-area+profiles')
TELECINE = (['videorate', '!', 'video/x-raw,framerate=24/1', '!', 'interlace',
             'field-pattern=2:3'], 'fields')
LIGHT = ['identity'], 'flash+light+levels'
FLASH_RESULTS = 'pass', 'warning', 'extended', 'fail'


def measure_made(file, made, path):
    """Writes the results of a clip made from @file to @path. Returns the lines
    of its frames."""
    elements, flags = made
    progress = Progress(os.path.basename(path), None)
    run(source(file) + [
        '!', *elements, '!', 'videoconvert', '!', 'clframesum',
        f'statistics={flags}', 'stats-meta=false', f'location={path}', '!',
        'fakesink'],
        lambda pipeline: None, progress,
        lambda message: message.get_structure().get_name() == 'clframesum'
        and progress.frame())
    progress.show()
    with open(path, encoding='utf-8') as file_of_lines:
        lines = [json.loads(line) for line in file_of_lines]
    return [line for line in lines if line['type'] == 'frame']


def describe_light(file, path):
    """Returns what is found of the light of the clip."""
    lines = measure_made(file, LIGHT, path)
    worst = max(line[name] for line in lines for name in line
                if name.startswith('flash-') and name.endswith('-result'))
    beyond = {name: max(line[f'levels-{name}'] for line in lines)
              for name in 'rgby'}
    name = max(beyond, key=beyond.get)
    return (f'Light:    flashes: {FLASH_RESULTS[worst]}; up to '
            f'{max(line["light-max"] for line in lines):.0f} cd/m2; '
            f'{beyond[name]:.2%} of {name.upper()} beyond EBU R 103 at most\n'
            f'          ({path})')


def describe_made(file, out):
    """Yields what is found in the letterboxed and in the telecined clip, and of
    the light of the clip."""
    path = f'{out}/letterboxed.jsonl'
    last = measure_made(file, LETTERBOX, path)[-1]
    yield (f'Borders:  {last["active-width"]}x{last["active-height"]} at '
           f'{last["active-x"]},{last["active-y"]} of '
           f'{last["width"]}x{last["height"]}, with black bars\n'
           f'          ({path})')
    path = f'{out}/telecined.jsonl'
    lines = measure_made(file, TELECINE, path)
    n_repeats = sum(line['field-repeated'] != 'neither' for line in lines)
    yield (f'Telecine: {n_repeats} of {len(lines)} frames repeat a field\n'
           f'          ({path})')
    yield describe_light(file, f'{out}/light.jsonl')


# --- the printed page: thresholds and even light by cllocalmean --------------

PAGE_TIMEOUT = 60 * Gst.SECOND  # kernels compile before the first picture

# The pictures of the sheet, row by row: properties of cllocalmean; None: the
# page.
SHEET = (
    ('the page', None),
    # at each position, the window covers the whole page
    ('one threshold for the whole page', 'operation=mean-c kernel-width=32767 '
     'kernel-height=32767 offset=8'),
    ('mean-c, offset 8', 'operation=mean-c offset=8 kernel-width=31 '
     'kernel-height=31'),
    ('sauvola, k 0.2', 'operation=sauvola kernel-width=31 kernel-height=31'),
    ('nick, k -0.1', 'operation=nick kernel-width=31 kernel-height=31'),
    ('normalize, target 200', 'operation=normalize target=200 kernel-width=61 '
     'kernel-height=61'),
)


class PageError(Exception):
    """An error with a message of one line for the user."""


def page_source(file):
    return (f'filesrc location={shlex.quote(file)} ! pngdec ! videoconvert ! '
            'video/x-raw,format=GRAY8')


def take_page(file, properties):
    """Filters the page with each of @properties (strings of cllocalmean's
    properties; None: not filtered), in one pipeline. Returns arrays of rows x
    columns. Raises PageError."""
    line = f'{page_source(file)} ! tee name=page'
    for i, text in enumerate(properties):
        element = f'cllocalmean {text} ! ' if text else ''
        line += (f' page. ! queue ! {element}appsink name=sink{i} '
                 'sync=false wait-on-eos=false')
    try:
        pipeline = Gst.parse_launch(line)
    except GLib.Error as error:  # an element is missing
        raise PageError(error.message) from None

    pipeline.set_state(Gst.State.PLAYING)
    try:
        message = pipeline.get_bus().timed_pop_filtered(
            PAGE_TIMEOUT, Gst.MessageType.ERROR | Gst.MessageType.EOS)
        if message is None:
            raise PageError('no picture came for a minute')
        if message.type == Gst.MessageType.ERROR:
            raise PageError(message.parse_error()[0].message)
        sinks = [pipeline.get_by_name(f'sink{i}')
                 for i in range(len(properties))]
        return [demo_pictures.to_array(sink.emit('pull-sample'))
                for sink in sinks]
    finally:
        pipeline.set_state(Gst.State.NULL)


def draw_page(file, path):
    """Draws the sheet of @file, a PNG of a printed page, into @path."""
    pictures = take_page(file, [text for _, text in SHEET])
    demo_pictures.draw_pages(
        list(zip([title for title, _ in SHEET], pictures)), 3, path)


def page_line(file, out):
    """Returns a shell command that thresholds a page."""
    return ['-q', 'filesrc', f'location={file}', '!', 'pngdec', '!',
            'videoconvert', '!', 'video/x-raw,format=GRAY8', '!',
            'cllocalmean', 'operation=sauvola', 'kernel-width=31',
            'kernel-height=31', '!', 'pngenc', '!', 'filesink',
            f'location={out}/page-sauvola.png']


# --- the clip ----------------------------------------------------------------

WINDOW = 31  # pixels, in both directions
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    'tests', 'data')
PAGE = os.path.join(DATA, 'page.png')
CLIP = os.path.join(DATA, 'pedestrians.avi')


def local_mean():
    return ['cllocalmean', f'kernel-width={WINDOW}', f'kernel-height={WINDOW}']


def statistics(location):
    """Returns the elements that measure and write lines to @location."""
    return ['clframesum', 'statistics=moments+range+histogram+percentiles+'
            'temporal+saturation', 'histogram-bins=64',
            'events=black+freeze+scene', 'black-min-duration=1000000000',
            'stats-meta=false', f'location={location}']


def measure(file, path):
    """Writes statistics and events of @file to @path. Returns the progress and
    the name of the device."""
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
        raise DemoError('the file has no frame')
    return progress, found['device']


def take_pictures(file, wanted):
    """Runs the second pass. Returns {branch: {frame number: array}} and the
    progress."""
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
            # Only the requested frames are converted and pushed to the sink.
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
    """Returns the shell commands that do the same."""
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
    yield 'the page in black and white', page_line(PAGE, out)


def main(file, out):
    file, out = os.path.abspath(file), os.path.abspath(out)
    changed = f'{out}/changed.avi'
    Gst.init(None)
    print(f'Clip: {file}')
    statistics_rate, device = measure(file, f'{out}/frames.jsonl')
    lines = demo_pictures.Lines(f'{out}/frames.jsonl')
    results = lines.frames
    last = len(results) - 1
    wanted = sorted({last // 6, last // 2, last * 5 // 6})
    pictures, pictures_rate = take_pictures(file, wanted)
    make_changed(file, changed)
    measure(changed, f'{out}/changed.jsonl')
    changed_lines = demo_pictures.Lines(f'{out}/changed.jsonl')
    name = os.path.basename(file)
    demo_pictures.draw_timeline(
        [(name, lines),
         ('changed.avi: the same with cuts, a fade, a freeze', changed_lines)],
        f'{out}/timeline.png', width=8, dpi=110)
    demo_pictures.plot_statistics(results, name, f'{out}/statistics.png')
    demo_pictures.draw_contact_sheet(
        pictures, f'cllocalmean, {WINDOW} x {WINDOW}',
        f'{out}/contact-sheet.png')
    draw_page(PAGE, f'{out}/page.png')

    found = list(describe_made(file, out))
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
    for text in found:
        print(text)
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


# --- pictures of the documentation -------------------------------------------

def window(size):
    return f'kernel-width={size} kernel-height={size}'


SHEETS = {
    'windows.png': [
        (f'sauvola, {size} x {size}', f'operation=sauvola {window(size)}')
        for size in (7, 15, 31, 101)],
    'k.png': [
        (f'sauvola, k {k}', f'operation=sauvola k={k} {window(31)}')
        for k in (.05, .2, .35, .5)],
    'operations.png': [
        (title, f'operation={text} {window(31)}') for title, text in (
            ('mean-c, offset 8', 'mean-c offset=8'),
            ('bradley, k 0.15', 'bradley'),
            ('niblack, k -0.2', 'niblack'),
            ('sauvola, k 0.2', 'sauvola'),
            ('wolf, k 0.5', 'wolf'),
            ('nick, k -0.1', 'nick'))],
    'light.png': [
        ('the page', None),
        ('difference', f'operation=difference {window(61)}'),
        ('normalize, target 200',
         f'operation=normalize target=200 {window(61)}'),
        ('stddev', f'operation=stddev {window(15)}')],
}


def draw_sheets(out):
    for name, rows in SHEETS.items():
        pictures = take_page(PAGE, [text for _, text in rows])
        demo_pictures.draw_pages(
            list(zip([title for title, _ in rows], pictures)),
            4 if len(rows) == 4 else 3, os.path.join(out, name), dpi=75)


def draw_timeline_of_pages(out):
    with tempfile.TemporaryDirectory() as folder:
        clip, lines = f'{folder}/changed.avi', f'{folder}/changed.jsonl'
        make_changed(CLIP, clip)
        measure(clip, lines)
        demo_pictures.draw_timeline(
            [('changed.avi', demo_pictures.Lines(lines))],
            os.path.join(out, 'timeline.png'), width=9, dpi=100)


def take_made(elements, flags, n_frames):
    """Returns the first frames of a clip made from CLIP by @elements, and the
    lines of its frames."""
    with tempfile.TemporaryDirectory() as folder:
        lines = measure_made(CLIP, (elements, flags), f'{folder}/lines.jsonl')
    frames = take_frames(source(CLIP) + [
        '!', *elements, '!', 'identity', f'eos-after={n_frames + 1}', '!',
        'videoconvert', '!', 'video/x-raw,format=RGB'],
        Progress('frames', n_frames))
    return frames, lines


def draw_borders_of_pages(out):
    frames, lines = take_made(*LETTERBOX, 1)
    demo_pictures.draw_borders(frames[0], lines[0],
                               os.path.join(out, 'borders.png'))


def draw_fields_of_pages(out):
    frames, lines = take_made(*TELECINE, 30)
    demo_pictures.draw_fields(frames, lines[:31],
                              os.path.join(out, 'fields.png'))


def draw_blocks_of_pages(out):
    clips = []
    for quality in 90, 30, 10:
        frames, lines = take_made(
            ['jpegenc', f'quality={quality}', '!', 'jpegdec'],
            'blockiness+profiles', 1)
        clips.append((f'JPEG, quality {quality}', frames[0], lines[0]))
    demo_pictures.draw_blocks(clips, os.path.join(out, 'blocks.png'))


def reduce_colours(path):
    """Leaves 64 colours, and a third of the bytes."""
    from PIL import Image  # comes with matplotlib; the demo does not need it

    picture = Image.open(path)
    if picture.mode == 'RGBA':  # as matplotlib writes it
        picture.convert('RGB').quantize(64, dither=Image.Dither.NONE).save(
            path, optimize=True)


def draw_pages(out):
    Gst.init(None)
    os.makedirs(out, exist_ok=True)
    draw_sheets(out)
    draw_timeline_of_pages(out)
    draw_borders_of_pages(out)
    draw_fields_of_pages(out)
    draw_blocks_of_pages(out)
    for name in os.listdir(out):
        if name.endswith('.png'):
            reduce_colours(os.path.join(out, name))


if __name__ == '__main__':
    try:
        if sys.argv[1] == '--pages':
            draw_pages(sys.argv[2])
        else:
            main(*sys.argv[1:])
    except DemoError as error:
        sys.exit(f'demo: {sys.argv[1]}: {error}')
    except PageError as error:
        sys.exit(f'demo: {PAGE}: {error}')
    except OSError as error:
        sys.exit(f'demo: {error}')
    except KeyboardInterrupt:
        sys.exit(130)
