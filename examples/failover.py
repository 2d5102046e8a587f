#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""failover.py: shows a backup while the picture of a source is at fault.

usage: failover.py MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]

MAIN and BACKUP are URIs or files, the sinks launch lines. clframesum looks at
the picture of the main source, level hears its sound. Black with sound, a
picture that stands still, and frames that stay away are faults. The backup is
on air with the frame that makes a fault certain: five black frames are seen at
25 frames a second. The sound stays that of the main source, and so does a
picture that is black without sound, as between programmes. The main source
comes back when it was healthy for two seconds.
"""
import sys
import threading

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

# What is to be known of a picture: how long it is black, stands still, or is
# missing before that is a fault. Nanoseconds.
WATCH = ('events=black+freeze+signal-loss black-min-duration=200000000 '
         'freeze-duration=1000000000 signal-loss-timeout=500000000 '
         'statistics=0 post-messages=false')
SOUND_FROM = -60.0  # dB of full scale
BACK_AFTER = 2.0    # seconds


class Failover:
    """Has the pad of the backup active while the main source is at fault."""

    def __init__(self, pipeline):
        self.main_source = pipeline.get_by_name('main-source')
        self.lock = threading.Lock()  # threads of both sources post messages
        self.switch = pipeline.get_by_name('switch')
        self.main = self.switch.get_static_pad('sink_0')
        self.backup = self.switch.get_static_pad('sink_1')
        self.events = set()  # those that go on
        self.has_sound = False
        self.well_since = None  # GLib's monotonic time, microseconds
        self.on_air = self.main
        self.switch.set_property('active-pad', self.main)
        # As soon as a message is posted, in the thread that posts it: the
        # frame that caused it has not gone on yet.
        pipeline.get_bus().set_sync_handler(self.on_message)
        GLib.timeout_add(100, self.on_time)

    def is_healthy(self):
        return not (self.events - {'black'} or (
            'black' in self.events and self.has_sound))

    def take_event(self, event, state):
        if state == 'end':
            self.events.discard(event)
        elif event != 'freeze' or 'black' not in self.events:
            self.events.add(event)  # black stands still, too

    def judge(self):
        """After every change; with the lock."""
        if not self.is_healthy():
            self.well_since = None
            self.show(self.backup, '+'.join(sorted(self.events)))
        elif self.well_since is None:
            self.well_since = GLib.get_monotonic_time()

    def show(self, pad, why):
        if pad == self.on_air:
            return
        self.on_air = pad
        self.switch.set_property('active-pad', pad)
        name = 'backup' if pad == self.backup else 'main'
        print(f'{name} on air: {why}', flush=True)

    def on_message(self, _bus, message):
        fields = message.get_structure()
        name = fields.get_name() if fields else ''
        is_lost = (message.type == Gst.MessageType.ERROR
                   and message.src.has_as_ancestor(self.main_source))
        with self.lock:
            if is_lost:
                self.events.add('signal-loss')  # for good
            elif name == 'clframesum-event':
                self.take_event(fields.get_value('event'),
                                fields.get_value('state'))
            elif name == 'level':
                self.has_sound = max(fields.get_value('rms')) >= SOUND_FROM
            else:
                return Gst.BusSyncReply.PASS
            self.judge()
        return Gst.BusSyncReply.DROP  # told

    def on_time(self):
        """Some times a second: whether the main source may come back."""
        with self.lock:
            since = self.well_since
            if since is not None and (GLib.get_monotonic_time() - since
                                      >= BACK_AFTER * 1e6):
                self.show(self.main, 'healthy')
        return GLib.SOURCE_CONTINUE


def main(arguments):
    if not 2 <= len(arguments) <= 4:
        sys.exit('usage: failover.py MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]')
    Gst.init(None)
    uris = [name if Gst.uri_is_valid(name) else Gst.filename_to_uri(name)
            for name in arguments[:2]]
    picture, sound = (arguments[2:] + ['videoconvert ! autovideosink',
                                       'autoaudiosink'][len(arguments) - 2:])
    # What is not live has to be paced before the switch.
    pipeline = Gst.parse_launch(
        f'input-selector name=switch sync-streams=false ! {picture} '
        f'uridecodebin name=main-source uri="{uris[0]}" '
        f'uridecodebin name=backup-source uri="{uris[1]}" '
        'main-source. ! videoconvert ! clocksync ! queue ! '
        f'clframesum {WATCH} ! switch.sink_0 '
        'main-source. ! audioconvert ! clocksync ! queue ! '
        f'level interval=100000000 ! audioconvert ! {sound} '
        'backup-source. ! videoconvert ! clocksync ! queue ! switch.sink_1')
    Failover(pipeline)
    loop = GLib.MainLoop()
    failures = []

    def on_end(_bus, message):
        if message.type == Gst.MessageType.ERROR:
            failures.append(message.parse_error()[0].message)
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            loop.quit()
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect('message', on_end)
    pipeline.set_state(Gst.State.PLAYING)
    try:
        loop.run()
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)
    if failures:
        sys.exit(f'failover.py: {failures[0]}')


if __name__ == '__main__':
    main(sys.argv[1:])
