#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""framesum.py: prints the statistics of every frame of a file.

usage: framesum.py [--meta|--stats] FILE-OR-URI

Reads what clframesum measures: from the messages on the bus; with --meta, from
the meta on the buffers as an element further down sees it; with --stats, from
the property, which holds the latest result whenever somebody looks, here ten
times a second. All hold one and the same structure. Needs Debian's python3-gi
and python3-gst-1.0. framesumlines.py reads the file that clframesum writes.
"""
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402


def print_statistics(structure):
    """One line a frame: its number and time, then each component."""
    line = (f'frame {structure.get_value("frame")} at '
            f'{structure.get_value("timestamp") / Gst.SECOND:.3f} s')
    fields = [structure.get_value(name) for name in (
        'components', 'sum', 'mean', 'stddev', 'min', 'max')]
    for name, total, mean, stddev, low, high in zip(*fields):
        line += (f' | {name} sum {total} mean {mean:.3f} stddev {stddev:.3f} '
                 f'min {low} max {high}')
    print(line)


def print_meta(_pad, info):
    """Runs in the streaming thread for each buffer that reaches the sink."""
    meta = info.get_buffer().get_custom_meta('GstClFrameSumMeta')
    if meta:
        print_statistics(meta.get_structure())
    return Gst.PadProbeReturn.OK


def link_video(_decoder, pad, converter):
    """Links the first video stream; other streams stay unlinked."""
    sink = converter.get_static_pad('sink')
    is_video = pad.query_caps(None).to_string().startswith('video/x-raw')
    if is_video and not sink.is_linked():
        pad.link(sink)


def play(uri, place):
    pipeline = Gst.parse_launch(
        'uridecodebin name=decoder videoconvert name=converter ! '
        'clframesum name=statistics ! fakesink name=sink')
    decoder = pipeline.get_by_name('decoder')
    decoder.set_property('uri', uri)
    decoder.connect('pad-added', link_video, pipeline.get_by_name('converter'))
    statistics = pipeline.get_by_name('statistics')
    statistics.set_property('post-messages', place == 'messages')
    statistics.set_property('stats-meta', place == 'meta')
    if place == 'meta':
        pad = pipeline.get_by_name('sink').get_static_pad('sink')
        pad.add_probe(Gst.PadProbeType.BUFFER, print_meta)

    patience = Gst.SECOND // 10 if place == 'stats' else Gst.CLOCK_TIME_NONE
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = pipeline.get_bus().timed_pop_filtered(
                patience, Gst.MessageType.EOS
                | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT)
            latest = statistics.get_property('stats')
            if place == 'stats' and latest:
                print_statistics(latest)
            if not message:
                continue
            if message.type == Gst.MessageType.ERROR:
                sys.exit(f'framesum.py: {message.parse_error()[0].message}')
            if message.type == Gst.MessageType.EOS:
                return
            if message.get_structure().get_name() == 'clframesum':
                print_statistics(message.get_structure())
    finally:
        pipeline.set_state(Gst.State.NULL)


def main(arguments):
    place = 'messages'
    if arguments[:1] in (['--meta'], ['--stats']):
        place = arguments.pop(0).lstrip('-')
    if len(arguments) != 1:
        sys.exit('usage: framesum.py [--meta|--stats] FILE-OR-URI')
    name, = arguments
    Gst.init(None)
    try:
        play(name if Gst.uri_is_valid(name) else Gst.filename_to_uri(name),
             place)
    except GLib.Error as error:
        sys.exit(f'framesum.py: {error.message}')


if __name__ == '__main__':
    main(sys.argv[1:])
