#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""failover.py: shows a backup while the picture of a source is at fault.

usage: failover.py MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]

MAIN and BACKUP are URIs or files, the sinks launch lines. clframesum looks at
the picture of the main source, level hears its sound. Black with sound, a
picture that stands still, and frames that stay away are faults. The backup is
on air with the frame that makes a fault certain: five black frames are seen at
25 frames a second. The sound stays that of the main source, and so does a
picture that is black without sound, as between programmes; in a source that
has no sound at all, black is a fault. The main source comes back when it was
healthy for two seconds. A source that fails, or cannot be opened, leaves the
air to the other one for good; the exit status is 1 if both do.
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
    """Has the pad of the backup active while the main source is at fault.
    @sound is where sound goes; it joins the pipeline if there is some."""

    def __init__(self, pipeline, sound):
        self.pipeline = pipeline
        self.sound = sound
        self.sources = {name: pipeline.get_by_name(f'{name}-source')
                        for name in ('backup', 'main')}
        self.switch = pipeline.get_by_name('switch')
        self.pads = {'main': self.switch.get_static_pad('sink_0'),
                     'backup': self.switch.get_static_pad('sink_1')}
        self.loop = GLib.MainLoop()
        self.status = 0  # of the program
        self.lock = threading.Lock()  # threads of both sources post messages
        self.faults = set()  # of the main source, at the moment
        self.failed = set()  # sources, for good
        self.has_sink_failed = False  # sources' errors are of no interest then
        self.is_black_wrong = False
        self.well_since = None  # GLib's monotonic time, microseconds
        self.on_air = 'main'
        self.switch.set_property('active-pad', self.pads['main'])
        self.pads['main'].add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM,
                                    self.on_event)
        self.sources['main'].connect('pad-added', self.on_pad)
        self.sources['main'].connect('no-more-pads', self.on_all_pads)
        # As soon as a message is posted, in the thread that posts it: the
        # frame that caused it has not gone on yet.
        bus = pipeline.get_bus()
        bus.set_sync_handler(self.on_message)
        bus.add_signal_watch()
        bus.connect('message', self.on_end)
        GLib.timeout_add(100, self.on_time)

    # --- with the lock ---

    def judge(self):
        """After every change."""
        wrong = self.faults - (set() if self.is_black_wrong else {'black'})
        if wrong:
            self.well_since = None
            self.show('backup', '+'.join(sorted(wrong)))
        elif self.well_since is None:
            self.well_since = GLib.get_monotonic_time()

    def show(self, name, why):
        if name == self.on_air or name in self.failed:
            return
        self.on_air = name
        self.switch.set_property('active-pad', self.pads[name])
        print(f'{name} on air: {why}', flush=True)

    def take_event(self, event, state):
        if state == 'end':
            self.faults.discard(event)
        elif event != 'freeze' or 'black' not in self.faults:
            self.faults.add(event)  # black stands still, too

    def fail(self, name, why):
        """A source is lost for good."""
        if name in self.failed or self.has_sink_failed:
            return
        print(f'failover: {name}: {why}', file=sys.stderr, flush=True)
        self.failed.add(name)
        if len(self.failed) == len(self.sources):
            self.status = 1
            GLib.idle_add(self.loop.quit)
        elif name == 'main':
            self.faults.add('error')
        else:
            self.show('main', 'the backup has failed')
        GLib.idle_add(self.end, name)

    # --- threads of GStreamer ---

    def on_message(self, _bus, message):
        fields = message.get_structure()
        name = fields.get_name() if fields else ''
        is_error = message.type == Gst.MessageType.ERROR
        lost = [name for name, source in self.sources.items()
                if is_error and message.src.has_as_ancestor(source)]
        with self.lock:
            self.has_sink_failed |= is_error and not lost
            if lost:
                self.fail(lost[0], message.parse_error()[0].message)
            elif name == 'clframesum-event':
                self.take_event(fields.get_value('event'),
                                fields.get_value('state'))
            elif name == 'level':
                self.is_black_wrong = (
                    max(fields.get_value('rms')) >= SOUND_FROM)
            else:
                return Gst.BusSyncReply.PASS
            self.judge()
        return Gst.BusSyncReply.DROP  # told

    def on_event(self, _pad, info):
        """A main source that ends while the backup is on air stays off."""
        with self.lock:
            if (info.get_event().type == Gst.EventType.EOS
                    and self.on_air == 'backup'):
                self.faults.add('end')
                self.judge()
        return Gst.PadProbeReturn.OK

    def on_pad(self, _source, pad):
        """The first sound of the main source."""
        caps = pad.get_current_caps() or pad.query_caps(None)
        if (caps.to_string().startswith('audio/')
                and not self.sound.get_parent()):
            self.pipeline.add(self.sound)
            self.sound.sync_state_with_parent()
            pad.link(self.sound.get_static_pad('sink'))

    def on_all_pads(self, _source):
        if not self.sound.get_parent():
            with self.lock:
                self.is_black_wrong = True
                self.judge()

    # --- the main loop ---

    def on_time(self):
        """Some times a second: whether the main source may come back."""
        with self.lock:
            since = self.well_since
            if since is not None and (GLib.get_monotonic_time() - since
                                      >= BACK_AFTER * 1e6):
                self.show('main', 'healthy')
        return GLib.SOURCE_CONTINUE

    def end(self, name):
        """Nothing more comes of a source; sinks have to know that, and the
        pipeline, which may wait for its state."""
        source = self.sources[name]
        source.get_parent().remove(source)
        source.set_state(Gst.State.NULL)
        self.pipeline.set_state(Gst.State.PLAYING)
        if name == 'main' and self.sound.get_parent():
            self.sound.get_static_pad('sink').send_event(Gst.Event.new_eos())
        return GLib.SOURCE_REMOVE

    def on_end(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            print(f'failover: {message.parse_error()[0].message}',
                  file=sys.stderr)
            self.status = 1
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            self.loop.quit()

    def play(self):
        """Until the end. Each source starts for itself: one that cannot be
        opened does not keep the rest from playing."""
        for source in self.sources.values():
            source.set_locked_state(True)
        # A time that neither stops where the sound does nor begins again
        # where a source fails.
        clock = Gst.SystemClock.obtain()
        self.pipeline.use_clock(clock)
        self.pipeline.set_start_time(Gst.CLOCK_TIME_NONE)
        self.pipeline.set_state(Gst.State.PAUSED)
        # A source that cannot be opened fails before the time begins in which
        # a frame is expected.
        for source in self.sources.values():
            source.set_state(Gst.State.PAUSED)
        self.pipeline.set_base_time(clock.get_time())
        if (self.pipeline.set_state(Gst.State.PLAYING)
                == Gst.StateChangeReturn.FAILURE):
            self.status = 1
            GLib.idle_add(self.loop.quit)  # after the message that says why
        for name, source in self.sources.items():
            source.set_locked_state(False)
            if not source.sync_state_with_parent():
                with self.lock:
                    self.fail(name, 'cannot be opened')
                    self.judge()
        try:
            self.loop.run()
        except KeyboardInterrupt:
            pass
        # A sound sink that cannot be opened fails again on the pipeline's way
        # down through PAUSED, and would keep it from getting there.
        self.sound.set_locked_state(True)
        self.pipeline.set_state(Gst.State.NULL)
        self.sound.set_state(Gst.State.NULL)
        self.pipeline.get_bus().set_sync_handler(None)
        return self.status


def main(arguments):
    if not 2 <= len(arguments) <= 4:
        sys.exit('usage: failover.py MAIN BACKUP [PICTURE-SINK [SOUND-SINK]]')
    Gst.init(None)
    picture, sound = (arguments[2:] + ['videoconvert ! autovideosink',
                                       'autoaudiosink'][len(arguments) - 2:])
    try:
        uris = [name if Gst.uri_is_valid(name) else
                Gst.filename_to_uri(name) for name in arguments[:2]]
        # What is not live has to be paced before the switch.
        pipeline = Gst.parse_launch(
            f'input-selector name=switch sync-streams=false ! {picture} '
            f'uridecodebin name=main-source uri="{uris[0]}" '
            f'uridecodebin name=backup-source uri="{uris[1]}" '
            'main-source. ! videoconvert ! clocksync ! queue ! '
            f'clframesum {WATCH} ! switch.sink_0 '
            'backup-source. ! videoconvert ! clocksync ! queue ! '
            'switch.sink_1')
        sound = Gst.parse_bin_from_description(
            'audioconvert ! clocksync ! queue ! level interval=100000000 ! '
            f'audioconvert ! {sound}', True)
    except GLib.Error as error:
        sys.exit(f'failover: {error.message}')
    return Failover(pipeline, sound).play()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
