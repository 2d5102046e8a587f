# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/live.md: its commands run, its policy is one, and it names all."""
import os
import re
import shlex
import subprocess
import sys

import live
import pytest
from command import clqc

from clqc import policy
from clqc.cli import _parser
from clqc.live import addresses, prometheus, sources

ROOT = os.path.join(live.HERE, '..', '..', '..')
with open(os.path.join(ROOT, 'docs', 'live.md'), encoding='utf-8') as file:
    TEXT = file.read()
BUILT = os.environ.get('CLQC_BUILT', '')
BLOCKS = re.findall(r'^```sh\n(.*?)^```', TEXT, re.MULTILINE | re.DOTALL)
PROGRAMS = ('mosquitto', 'mosquitto_sub', 'promtool', 'jq')


@pytest.mark.skipif(not os.path.exists(BUILT), reason='there is no build')
@pytest.mark.parametrize('block', BLOCKS)
def test_commands(block, tmp_path):
    """In a folder with what the page speaks of."""
    for program in PROGRAMS:
        if re.search(rf'\b{program}\b', block) and not live.program(program):
            pytest.skip(f'there is no {program}')
    for name in 'tests', 'tools', 'examples':
        os.symlink(os.path.abspath(os.path.join(ROOT, name)), tmp_path / name)
    (tmp_path / 'build').mkdir()
    os.symlink(os.path.abspath(BUILT), tmp_path / 'build' / 'clqc')
    port = live.free_port()
    script = block.replace('18830', str(port))
    done = subprocess.run(
        ['sh', '-euc', script + '\nwait'], cwd=tmp_path, text=True,
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=60, env={**os.environ, 'PATH': os.environ['PATH'] +
                         ':/usr/sbin'})
    assert done.returncode == 0, done.stdout  # 124 is what hangs
    assert 'Traceback' not in done.stdout
    if 'clqc watch' in block:
        assert 'healthy' in done.stdout, done.stdout
    if 'mosquitto_sub' in block:
        assert 'tv/pedestrians/state {' in done.stdout, done.stdout
        assert 'tv/status offline' in done.stdout


def indented(start):
    """The words of a command that no reader can copy as it is."""
    text = re.search(rf'^ +{start}((?:.*\\\n)*.*)', TEXT, re.MULTILINE)
    return shlex.split(text[1].replace('\\\n', ' '))


def test_first_command(tmp_path):
    """With a camera, a sender and a broker of this machine in the places of
    those that the page speaks of."""
    gi = pytest.importorskip('gi')
    try:
        gi.require_version('GstRtspServer', '1.0')
    except ValueError as error:
        pytest.skip(str(error))
    if not live.program('mosquitto') or not live.program('mosquitto_sub'):
        pytest.skip('there is no mosquitto')
    rtsp, page = live.free_port(), live.free_port()
    srt = live.free_port(live.socket.SOCK_DGRAM)
    (tmp_path / 'channel.toml').write_text(re.search(
        r'^```toml\n(.*?)^```', TEXT, re.MULTILINE | re.DOTALL)[1])
    with live.Process(
            sys.executable, os.path.join(live.HERE, 'rtsp_camera.py'), rtsp,
            'me', 's3cret', stdout=subprocess.PIPE) as camera, live.Sender(
                'srt', srt), live.Broker(tmp_path) as broker:
        assert camera.process.stdout.readline() == 'listening\n'
        places = {'rtsp://camera-1/stream':
                  f'rtsp://me:s3cret@127.0.0.1:{rtsp}/live',
                  'srt://10.0.0.8:7001': f'srt://127.0.0.1:{srt}',
                  'channel.toml': str(tmp_path / 'channel.toml'),
                  '/var/log/clqc.jsonl': str(tmp_path / 'clqc.jsonl'),
                  'mqtt://broker/tv': f'mqtt://127.0.0.1:{broker.port}/tv',
                  '0.0.0.0:9550': f'127.0.0.1:{page}'}
        words = ' '.join(indented('clqc watch studio'))
        for place, other in places.items():
            assert place in words, place
            words = words.replace(place, other)
        done = clqc('watch', *('studio' + words).split(), '--seconds', 8)
        assert done.returncode == 0, done.stdout
        assert 'studio: healthy' in done.stdout, done.stdout
        assert 'gate: healthy' in done.stdout
        assert 's3cret' not in done.stdout
        with live.Subscriber(broker.port, 'tv') as heard:
            heard.wait('tv/gate/state', connection='stopped')
    assert (tmp_path / 'clqc.jsonl').stat().st_size > 0


def test_command_of_the_service():
    """Its words are those of clqc; its places are elsewhere."""
    words = indented('ExecStart=/usr/bin/clqc watch ')
    arguments = _parser().parse_args(['watch', *words])
    assert [stream.name for stream in sources.parse(arguments.streams)] == [
        'one', 'two']
    assert addresses.broker(arguments.mqtt).user == 'qc'
    assert addresses.endpoint(arguments.prometheus) == ('0.0.0.0', 9550)


def test_there_are_commands():
    assert len(BLOCKS) >= 6


@pytest.mark.parametrize('text', re.findall(
    r'^```toml\n(.*?)^```', TEXT, re.MULTILINE | re.DOTALL))
def test_policy(text):
    assert policy.parse(text, 'page').live.healthy_after == 10


def test_names_every_option():
    usage = _parser()._subparsers._group_actions[0].choices['watch']
    options = re.findall(r'--[a-z-]+', usage.format_help())
    for option in set(options) - {'--help'}:
        assert f'`{option}' in TEXT, option


def test_names_every_metric():
    names = {f'clqc_{name}' + ('_total' if kind == 'counter' else '')
             for name, kind, _ in prometheus._METRICS}
    names |= {prometheus.STATISTIC, prometheus.EVENTS + '_total',
              prometheus.EVENT_OPEN, prometheus.LOST + '_total'}
    for name in names:
        assert f'`{name}`' in TEXT
