# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera with faults on command: a program that sends a moving picture, and
a tone if the format has sound.

usage: sender.py rtp PORT | ts PORT | srt PORT | fifo PATH [WIDTH HEIGHT RATE]

It reads commands from standard input, one on each line. For each it writes a
line of JSON with the time at which the first frame after it was sent (seconds
since 1970):

    picture moving | still | black | white
    sound on | off
    frames on | off
    size WIDTH HEIGHT
    datagrams lost [N] | kept
    gaps

Of RTP and UDP, each Nth datagram (5) is left out. The answer to `gaps` has
`gaps`: when it sent a frame late by half a second or more, as the machine was
busy; and `stood`: when this process got no processor time, with or without
frames to send (seconds since 1970; from, to).
"""
import json
import sys
import threading
import time

import gi
import standstill

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

ENDS = {
    'rtp': 'jpegenc quality=90 ! rtpjpegpay ! '
           'udpsink name=network host=127.0.0.1 port={to}',
    'ts': 'x264enc tune=zerolatency speed-preset=ultrafast '
          'key-int-max=10 threads=1 ! h264parse ! mpegtsmux alignment=7 ! '
          'udpsink name=network host=127.0.0.1 port={to}',
    'srt': 'x264enc tune=zerolatency speed-preset=ultrafast '
           'key-int-max=10 threads=1 ! mpegtsmux alignment=7 ! srtsink '
           'uri=srt://127.0.0.1:{to}?mode=listener wait-for-connection=false',
    'fifo': 'jpegenc quality=90 ! queue ! mux. '
            'audiotestsrc name=sound is-live=true volume=0.3 '
            'samplesperbuffer=800 ! audio/x-raw,rate=8000,channels=1 ! '
            'queue ! matroskamux name=mux streamable=true '
            'min-cluster-duration=0 max-cluster-duration=100000000 ! '
            'filesink location={to} buffer-mode=unbuffered'}
PATTERNS = {'moving': 'smpte75', 'still': 'smpte75', 'black': 'black',
            'white': 'white'}


def main(kind, to, width=128, height=96, rate=10):
    Gst.init(None)
    line = Gst.parse_launch(
        'videotestsrc name=picture is-live=true horizontal-speed=4 ! '
        f'capsfilter name=form caps=video/x-raw,format=I420,width={width},'
        f'height={height},framerate={rate}/1 ! valve name=valve ! '
        'identity name=leaving ! ' + ENDS[kind].format(to=to))
    picture, sound, valve, form = map(line.get_by_name, (
        'picture', 'sound', 'valve', 'form'))
    leaves = threading.Event()
    asked, is_shown = [], threading.Event()
    gaps, stood = [], standstill.watched()
    last = [None]
    loss = [0, 0]  # each so many datagrams one is lost; datagrams so far

    def on_datagram(*_):
        loss[1] += 1
        is_lost = loss[0] and loss[1] % loss[0] == 0
        return Gst.PadProbeReturn.DROP if is_lost else Gst.PadProbeReturn.OK

    def on_datagrams(_, info):
        """rtpjpegpay sends all packets of a frame as a list."""
        kept = Gst.BufferList.new()
        all_of = info.get_buffer_list()
        for i in range(all_of.length()):
            if on_datagram() == Gst.PadProbeReturn.OK:
                kept.insert(-1, all_of.get(i))
        if kept.length() == all_of.length():
            return Gst.PadProbeReturn.OK
        if kept.length():
            sink.get_static_pad('sink').chain_list(kept)
        return Gst.PadProbeReturn.DROP

    def on_made(*_):
        """In the thread that creates frames, between two of them: videotestsrc
        crashes if its pattern changes while it creates one."""
        if asked and asked[0] is None:  # the first one with another picture
            asked.clear()
            is_shown.set()
        elif asked:
            picture.set_property('horizontal-speed',
                                 4 if asked[0] == 'moving' else 0)
            picture.set_property('pattern', PATTERNS[asked[0]])
            asked[0] = None
        return Gst.PadProbeReturn.OK

    def on_frame(*_):
        leaves.set()
        now = time.time()
        if last[0] and now - last[0] > 1 / float(rate) + 0.5:
            gaps.append((last[0], now))
        last[0] = now
        return Gst.PadProbeReturn.OK
    picture.get_static_pad('src').add_probe(
        Gst.PadProbeType.BUFFER, on_made)
    line.get_by_name('leaving').get_static_pad('src').add_probe(
        Gst.PadProbeType.BUFFER, on_frame)
    sink = line.get_by_name('network')
    if sink:
        sink.get_static_pad('sink').add_probe(
            Gst.PadProbeType.BUFFER, on_datagram)
        sink.get_static_pad('sink').add_probe(
            Gst.PadProbeType.BUFFER_LIST, on_datagrams)
    line.set_state(Gst.State.PLAYING)
    leaves.wait(60)
    print(json.dumps({'time': time.time(), 'command': 'start'}), flush=True)

    for text in sys.stdin:
        what, *values = text.split()
        if what == 'picture':
            is_shown.clear()
            asked.append(values[0])
            is_shown.wait(60)
        elif what == 'sound':
            sound.set_property('volume', 0.3 if values[0] == 'on' else 0.0)
        elif what == 'size':
            form.set_property('caps', Gst.Caps.from_string(
                f'video/x-raw,format=I420,width={values[0]},'
                f'height={values[1]},framerate={rate}/1'))
        elif what == 'datagrams':
            loss[0] = int(values[1] if values[1:] else 5) if (
                values[0] == 'lost') else 0
        elif what == 'frames':
            last[0] = None
            valve.set_property('drop', values[0] == 'off')
        if what != 'picture' and text.strip() not in ('frames off', 'gaps'):
            time.sleep(0.5 / float(rate))  # a frame that is being created
            leaves.clear()
            leaves.wait(60)
        print(json.dumps({'time': time.time(), 'command': text.strip(),
                          **({'gaps': gaps, 'stood': stood}
                             if what == 'gaps' else {})}),
              flush=True)
    line.set_state(Gst.State.NULL)


if __name__ == '__main__':
    main(*sys.argv[1:])
