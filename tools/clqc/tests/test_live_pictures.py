# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of events: which frame, in a folder, by MQTT, and of a file."""
import base64
import os
import subprocess

import clips
import live
import pytest
from command import clqc
from jumping import Jumping
from livestates import connected, state

from clqc.common.errors import ClqcError
from clqc.live.configuration.settings import Options
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging.judge import Rules
from clqc.live.outputs.base import Output
from clqc.live.outputs.picture_files import Pictures
from clqc.live.outputs.state import event_message, when
from clqc.live.processes.watch import Watch

SECOND = 10 ** 9
needs_paho = pytest.mark.skipif(
    not live.program('mosquitto') or not live.program('mosquitto_sub'),
    reason='there is no mosquitto')


# --- the frame of an event --------------------------------------------------

class Camera:
    """Samples of grey frames, by seconds of running time."""

    def __init__(self):
        pytest.importorskip('gi')
        from clqc.decoding.gst import Gst, init
        from clqc.live.sources import snapshots
        init()
        self.gst, self.module = Gst, snapshots
        self.clock, self.newest = Jumping(), None
        self.segment = Gst.Segment()
        self.segment.init(Gst.Format.TIME)
        self.said = []
        self.one = snapshots.Snapshots(lambda: self.newest, self.said.append,
                                       self.clock)

    def frame(self, seconds, timestamp=True):
        buffer = self.gst.Buffer.new_wrapped(bytes(range(256)) * 3)
        if timestamp:
            buffer.pts = int(seconds * SECOND)
        self.newest = self.gst.Sample.new(buffer, self.gst.Caps.from_string(
            'video/x-raw,format=GRAY8,width=32,height=24,framerate=25/1'),
            self.segment, None)
        return self.newest

    def of(self, seconds, kind='black', state='start'):
        """Returns the sample for an event, and when it was there."""
        sample = self.one._sample({'event': kind, 'state': state,
                                   'running-time': int(seconds * SECOND)})
        return sample, self.clock.now()

    def message(self):
        """Returns the message about the picture of an event."""
        for kind, state_of in ('scene', 'start'), ('black', 'end'):
            self.one.event({'event': kind, 'state': state_of,
                            'running-time': 0, 'number': 7})
        live.until(lambda: self.said, live.GUARD, 'a picture')
        self.one.close()
        picture, = self.said
        assert (picture['type'], picture['number']) == ('picture', 7)
        return picture


@pytest.fixture(name='camera')
def _camera():
    camera = Camera()
    yield camera
    camera.one.close()


def test_frame_is_there(camera):
    there = camera.frame(5)
    assert camera.of(5) == (there, 0)
    assert camera.of(4.9) == (there, 0)


def test_frame_comes_after_its_event(camera):
    camera.frame(4.9)
    camera.clock.at(.5, lambda: camera.frame(5))
    sample, now = camera.of(5)
    assert camera.module.running_time(sample) == 5 * SECOND
    assert .5 <= now < .6


def test_frame_never_comes(camera):
    last = camera.frame(4)
    sample, now = camera.of(5)
    assert sample is last and 1 <= now < 1.1


def test_no_frame_at_all(camera):
    assert camera.of(5)[0] is None


def test_lost_signal_has_the_last_frame(camera):
    last = camera.frame(4)
    assert camera.of(5, 'signal-loss') == (last, 0)
    camera.clock.at(.5, lambda: camera.frame(5))
    assert camera.module.running_time(
        camera.of(5, 'signal-loss', 'end')[0]) == 5 * SECOND


def test_frame_without_a_timestamp(camera):
    there = camera.frame(0, timestamp=False)
    assert camera.of(5) == (there, 0)


def test_message(camera):
    camera.frame(5)
    assert camera.message()['jpeg'].startswith('/9j/')  # ff d8 ff, in base64


def test_frame_in_device_memory(camera):
    """As frames of nvh264dec are, which cannot be mapped."""
    camera.frame(5)
    expected = camera.module.jpeg(camera.newest)
    play = camera.gst.parse_launch(
        'appsrc name=in ! clupload ! video/x-raw(memory:OpenCLMemory) ! '
        'fakesink name=out sync=false')
    play.set_state(camera.gst.State.PLAYING)
    play.get_by_name('in').emit('push-sample', camera.newest)
    play.get_by_name('in').emit('end-of-stream')
    assert play.get_bus().timed_pop_filtered(
        60 * SECOND, camera.gst.MessageType.EOS)
    camera.newest = play.get_by_name('out').get_property('last-sample')
    assert base64.b64decode(camera.message()['jpeg']) == expected
    play.set_state(camera.gst.State.NULL)


def test_frame_in_unknown_memory(camera):
    camera.frame(5)
    camera.newest = camera.gst.Sample.new(
        camera.newest.get_buffer(), camera.gst.Caps.from_string(
            'video/x-raw(memory:Moon),format=GRAY8,width=32,height=24,'
            'framerate=25/1'), camera.segment, None)
    assert camera.message()['error']


def test_picture_after_the_next_event():
    """It belongs to its own event, not to the newest of the same kind."""
    class Received(Output):
        """Keeps the pictures."""
        found = []

        def picture(self, state, message, jpeg):
            self.found.append((message['at'], jpeg))

        def no_picture(self, state, why):
            self.found.append(why)
    one = Watch([Stream('cam', 'x://cam')], Options(Rules(), 1, 10),
                [Received()], Jumping())
    for number, ago in (1, 3), (2, 2), (3, 1):
        one._on_event(one.states[0], {
            'event': 'black', 'number': number, 'ago': ago,
            'state': 'end' if number == 2 else 'start'})
    for number in 1, 3, 99:
        one._on_picture(one.states[0], {
            'number': number,
            'jpeg': base64.b64encode(bytes([number])).decode()})
    one._on_picture(one.states[0], {'number': 1, 'error': 'no memory'})
    now = one.clock.wall()
    assert Received.found == [(when(now - 3), b'\1'), (when(now - 1), b'\3'),
                              'no memory']


def test_events_that_wait_for_pictures_are_bounded():
    one = state()
    for number in range(1000):
        one.remember(number, {})
    assert max(one.told) == 999 and len(one.told) <= 100


# --- outputs ----------------------------------------------------------------

def message(kind='black', of='start', ago=0):
    return event_message(connected(), {'event': kind, 'state': of,
                                       'ago': ago})


def test_folder(tmp_path):
    output = Pictures(str(tmp_path / 'new' / 'x'), print, kept=3)
    one = state()
    output.open([one])
    for ago in 50, 40, 30, 20, 10:
        output.picture(one, message(ago=ago), b'jpeg %d' % ago)
    output.close()
    folder = tmp_path / 'new' / 'x' / 'cam'
    names = sorted(os.listdir(folder))
    assert [(folder / name).read_bytes() for name in names] == [
        b'jpeg 30', b'jpeg 20', b'jpeg 10']
    for name in names:
        assert name.endswith('Z-black-start.jpg') and ':' not in name
    assert output.n_lost == 0


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / 'x').write_text('')
    with pytest.raises(ClqcError, match='x/y: Not a directory'):
        Pictures(str(tmp_path / 'x' / 'y'), print).open([])


def test_disk_without_room(tmp_path):
    """The folder of the stream is a file."""
    complaints = []
    output = Pictures(str(tmp_path), complaints.append)
    output.open([state()])
    (tmp_path / 'cam').write_text('')
    for _ in range(2):
        output.picture(state(), message(), b'jpeg')
    output.close()
    assert output.n_lost == 2
    assert complaints == [f'{tmp_path}: File exists; pictures are lost']


def mqtt_output(port, has_pictures, complaints):
    pytest.importorskip('paho.mqtt.client')
    from clqc.live.configuration import output_addresses
    from clqc.live.outputs import mqtt
    return mqtt.Mqtt(output_addresses.broker(f'mqtt://127.0.0.1:{port}/tv'),
                     complaints.append, has_pictures=has_pictures)


@needs_paho
def test_mqtt(tmp_path):
    jpeg = bytes(range(256)) * 400
    with live.Broker(tmp_path) as broker, live.Subscriber(
            broker.port, 'tv', '-F', '%t %l') as heard:
        output = mqtt_output(broker.port, True, [])
        one = state()
        output.open([one])
        live.until(lambda: (output.tick(), output.is_connected)[1],
                   live.GUARD, 'connected')
        output.picture(one, message(of='end'), jpeg)
        heard.wait('tv/cam/picture/black/end', text=len(jpeg))
        output.close()


@pytest.mark.parametrize('has_pictures, n_lost', [(True, 5), (False, 0)])
def test_pictures_for_an_absent_broker(has_pictures, n_lost):
    pytest.importorskip('paho.mqtt.client')
    from clqc.live.outputs import mqtt
    complaints = []
    output = mqtt_output(live.free_port(), has_pictures, complaints)
    one = state()
    output.open([one])
    for number in range(mqtt.MOST_PICTURES + 5):
        output.picture(one, message(('black', 'white')[number % 2]), b'jpeg')
    assert output.n_lost == n_lost
    for _ in range(mqtt.MOST_WAITING):
        output.event(one, {'event': 'black'})
    assert output.n_lost == n_lost
    output.event(one, {'event': 'black'})
    assert output.n_lost == n_lost + 1
    output.close()
    assert any('pictures are lost' in text for text in complaints) == (
        has_pictures)


# --- whole command ----------------------------------------------------------

def mean_luma(path):
    raw = subprocess.run(
        ['ffmpeg', '-loglevel', 'error', '-i', path, '-f', 'rawvideo',
         '-pix_fmt', 'gray', '-'], check=True, stdout=subprocess.PIPE).stdout
    assert len(raw) == 128 * 96
    return sum(raw) / len(raw)


def test_black_in_a_file(tmp_path):
    clip = clips.make(
        str(tmp_path / 'clip.mp4'),
        'testsrc2=size=128x96:rate=25:duration=3,'
        "drawbox=color=black:t=fill:enable='between(t,1,1.99)'")
    (tmp_path / 'live.toml').write_text(live.POLICY, encoding='utf-8')
    clqc('watch', f'film={clip}', '--policy', tmp_path / 'live.toml',
         '--pictures', tmp_path / 'x')
    start, = (tmp_path / 'x' / 'film').glob('*-black-start.jpg')
    end, = (tmp_path / 'x' / 'film').glob('*-black-end.jpg')
    assert mean_luma(start) < 20 and mean_luma(end) > 60
    assert start.name < end.name


def test_pictures_need_a_broker():
    done = clqc('watch', 'udp://127.0.0.1:5004', '--mqtt-pictures')
    assert done.returncode == 2
    assert done.stdout.strip().endswith('--mqtt-pictures needs --mqtt')
