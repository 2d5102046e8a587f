# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's second clip: the first one with cuts, a fade and a freeze."""
import gi

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

import demo_pictures  # noqa: E402
import demo_run  # noqa: E402

RATE = 10    # frames per second
WIDTH = 480  # pixels; the height follows

# What one sees, and for how many frames.
PARTS = (('clip', 20), ('bars', 15), ('clip', 20), ('fade', 15), ('black', 15),
         ('clip', 20), ('freeze', 30), ('clip', 10))
# A freeze holds one frame of the clip.
N_CLIP = sum({'clip': n, 'fade': n, 'freeze': 1}.get(kind, 0)
             for kind, n in PARTS)


def take(arguments, progress):
    """The frames that a launch line leads to an appsink, as arrays."""
    frames = []

    def keep(sink):
        progress.frame()
        frames.append(demo_pictures.to_array(sink.emit('pull-sample')))
        return Gst.FlowReturn.OK

    def prepare(pipeline):
        pipeline.get_by_name('sink').connect('new-sample', keep)

    demo_run.run(arguments + ['!', 'appsink', 'name=sink', 'sync=false',
                              'emit-signals=true'], prepare, progress)
    return frames


def take_clip(file, progress):
    """The first frames of @file, at our rate and size."""
    clip = take(demo_run.source(file) + [
        '!', 'videorate', '!', f'video/x-raw,framerate={RATE}/1', '!',
        'identity', f'eos-after={N_CLIP}', '!', 'videoscale', '!',
        'videoconvert', '!', f'video/x-raw,format=RGB,width={WIDTH},'
        'pixel-aspect-ratio=1/1'], progress)
    # at the end of a file videorate of GStreamer 1.28 repeats its last frame
    if 1 < len(clip) < N_CLIP and (clip[-1] == clip[-2]).all():
        clip.pop()
    return clip[:N_CLIP]


def take_bars(height, progress):
    """A test pattern, with snow in a corner."""
    return take(['videotestsrc', f'num-buffers={dict(PARTS)["bars"]}', '!',
                 f'video/x-raw,format=RGB,width={WIDTH},height={height}'],
                progress)


def change(clip, bars):
    """The frames of the second clip, one after the other. A short @clip runs to
    and fro."""
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


def write(frames, path, progress):
    """Into a file that players and decodebin know."""
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

    demo_run.run(
        ['appsrc', 'name=frames', 'format=time',
         f'caps=video/x-raw,format=RGB,width={width},height={height},'
         f'framerate={RATE}/1', '!', 'videoconvert', '!', 'video/x-raw,'
         'format=I420,colorimetry=1:4:0:0', '!', 'jpegenc', 'quality=95', '!',
         'avimux', '!', 'filesink', f'location={path}'],
        lambda pipeline: pipeline.get_by_name('frames').connect(
            'need-data', push), progress)


def make(file, path):
    """The second clip of @file into @path."""
    progress = demo_run.Progress('second clip, taken', N_CLIP)
    clip = take_clip(file, progress)
    if not clip:
        raise demo_run.DemoError('it holds no frame')
    bars = take_bars(clip[0].shape[0], progress)
    frames = list(change(clip, bars))
    progress = demo_run.Progress('second clip, made', len(frames))
    write(frames, path, progress)
    progress.show()
