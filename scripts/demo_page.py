# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's printed page: thresholds and even light by cllocalmean."""
import shlex

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

import demo_pictures  # noqa: E402

PATIENCE = 60 * Gst.SECOND  # kernels compile before the first picture

# What the sheet shows, row by row: cllocalmean's properties; none: the page.
SHEET = (
    ('the page', None),
    # the window reaches across the page wherever it stands
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
    """What went wrong, in one line for the user."""


def page_source(file):
    return (f'filesrc location={shlex.quote(file)} ! pngdec ! videoconvert ! '
            'video/x-raw,format=GRAY8')


def take(file, properties):
    """The page as each of @properties, strings of cllocalmean's properties or
    None, makes it: arrays of rows x columns. All in one pipeline. Raises
    PageError."""
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
            PATIENCE, Gst.MessageType.ERROR | Gst.MessageType.EOS)
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
    """The sheet of @file, a PNG of a printed page, into @path."""
    pictures = take(file, [text for _, text in SHEET])
    demo_pictures.draw_pages(
        list(zip([title for title, _ in SHEET], pictures)), 3, path)


def page_line(file, out):
    """What a reader pastes into a shell to threshold a page."""
    return ['-q', 'filesrc', f'location={file}', '!', 'pngdec', '!',
            'videoconvert', '!', 'video/x-raw,format=GRAY8', '!',
            'cllocalmean', 'operation=sauvola', 'kernel-width=31',
            'kernel-height=31', '!', 'pngenc', '!', 'filesink',
            f'location={out}/page-sauvola.png']
