# SPDX-License-Identifier: LGPL-2.1-or-later
"""How demo.py plays a launch line: progress, patience, errors in one line."""
import sys
import time

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

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
                if time.monotonic() - progress.last <= PATIENCE:
                    continue
                if lacks_video(media):
                    break
                raise DemoError(f'no frame came for {PATIENCE} seconds')
            if message.type == Gst.MessageType.ERROR:
                raise DemoError(explain(message, media))
            if message.type == Gst.MessageType.EOS:
                break
            on_message(message)
    finally:
        pipeline.set_state(Gst.State.NULL)
    if lacks_video(media):
        raise DemoError('it holds no video')


def lacks_video(media):
    """Whether a decoder has told of streams, @media, and none is video."""
    return media and not any(caps.startswith('video/') for caps in media)


def explain(message, media):
    """The text of an error message, and the cause that is behind it."""
    error, debug = message.parse_error()
    if lacks_video(media):
        return 'it holds no video'
    detail = (debug or '').strip().splitlines()
    # The first line of the debug text names the source file and line.
    detail = [line.strip() for line in detail[1:] if line.strip()]
    return error.message + (f' ({detail[0]})' if detail else '')
