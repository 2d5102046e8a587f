# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc watch with a device, and with servers of SRT and RTSP."""
import os
import subprocess
import sys

import live
import pytest


class Cameras:
    """One command and its inputs: a device, a sender over SRT that ends and
    returns, and a camera with a password, which is switched off and on again;
    as far as this machine has them."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        words = []
        self.srt = live.free_port(live.socket.SOCK_DGRAM)
        self.start('srt')
        words += [f'srt://127.0.0.1:{self.srt}?mode=caller']
        self.has_device = bool(live.program('gst-inspect-1.0')) and (
            subprocess.run(['gst-inspect-1.0', '--exists', 'testsrcbin'],
                           check=False).returncode == 0)
        if self.has_device:
            words.append(
                'device=testbin://video,pattern=smpte75,horizontal-speed=2,'
                'is-live=true,caps=[video/x-raw,format=YUY2,width=320,'
                'height=240,framerate=10/1]+audio,is-live=true,volume=0.1')
        self.rtsp = live.free_port()
        self.has_rtsp = self.start('rtsp')
        if self.has_rtsp:
            words += [f'{name}=rtsp://me:{word}@127.0.0.1:{self.rtsp}/live'
                      for name, word in (('right', 's3cret'),
                                         ('wrong', 'other'))]
        # nothing listens there
        words.append('refused=rtsp://me:s3cret@127.0.0.1:'
                     f'{live.free_port()}/x')
        self.watch = live.Watch(folder, *words)
        self.processes.append(self.watch)

    def start(self, kind):
        """A sender. Returns whether it runs."""
        if kind == 'srt':
            self.sender = live.Sender('srt', self.srt)
            self.processes.append(self.sender)
            return True
        self.camera = live.Process(
            sys.executable, os.path.join(live.HERE, 'rtsp_camera.py'),
            self.rtsp, 'me', 's3cret', stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.processes.append(self.camera)
        return self.camera.process.stdout.readline() == 'listening\n'

    def close(self):
        for process in self.processes:
            process.kill()


@pytest.fixture(scope='module', name='cameras')
def _cameras(tmp_path_factory):
    cameras = Cameras(tmp_path_factory.mktemp('cameras'))
    yield cameras
    cameras.close()


def test_camera_without_a_coder(cameras):
    """Pictures as from V4L2 devices, and sound."""
    if not cameras.has_device:
        pytest.skip('there is no testsrcbin')
    watch = cameras.watch
    form = watch.wait(stream='device', healthy=True)['form']
    assert form['format'] == 'YUY2' and form['live'] and form['sound']
    watch.wait(stream='device', type='statistics')


def test_srt(cameras):
    watch, name = cameras.watch, f'127-0-0-1-{cameras.srt}'
    watch.wait(stream=name, healthy=True)
    sent = cameras.sender.send('picture black')
    watch.wait(since=sent, stream=name, event='black', state='start')
    cameras.sender.kill()
    away = watch.wait(since=sent, stream=name, connection='waiting')
    cameras.start('srt')
    watch.wait(since=away['came'], stream=name, connection='connected')


def test_rtsp(cameras):
    if not cameras.has_rtsp:
        pytest.skip('there is no server of RTSP')
    watch = cameras.watch
    assert watch.wait(stream='right', healthy=True)['form']['live'] is True
    refused = watch.wait(stream='wrong', connection='waiting')
    assert refused['error'] == (f'127.0.0.1:{cameras.rtsp} refuses the user '
                                'name or the password')
    cameras.camera.kill()
    away = watch.wait(since=refused['came'], stream='right',
                      connection='waiting')
    assert cameras.start('rtsp')
    watch.wait(since=away['came'], stream='right', connection='connected')


def test_user_and_password_of_a_camera(tmp_path):
    """Any characters, as keys of the configuration."""
    port, password = live.free_port(), 'p@ss/w\u00f6rd: &c'
    (tmp_path / 'pw').write_text(password + '\n', encoding='utf-8')
    path = tmp_path / 'watch.toml'
    path.write_text(f'[streams.cam]\naddress = "rtsp://127.0.0.1:{port}/live"'
                    '\nuser = "me"\npassword-file = "pw"\n')
    with live.Process(
            sys.executable, os.path.join(live.HERE, 'rtsp_camera.py'), port,
            'me', password, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL) as camera:
        if camera.process.stdout.readline() != 'listening\n':
            pytest.skip('there is no server of RTSP')
        with live.Watch(tmp_path, '--config', path) as watch:
            state = watch.wait(stream='cam', healthy=True)
            assert state['uri'] == f'rtsp://me:***@127.0.0.1:{port}/live'


def test_nothing_listens(cameras):
    """It is tried repeatedly, without the password in any line."""
    watch = cameras.watch
    state = watch.wait(stream='refused', connection='waiting', restarts=2)
    assert 'refuses the connection: no program listens' in state['error']
    assert state['uri'].startswith('rtsp://me:***@127.0.0.1:')
    assert 's3cret' not in watch.output() + str(watch.lines)
    assert not [line for line in watch.lines
                if line['type'] == 'event' and line['stream'] in (
                    'device', 'refused', 'wrong')]
