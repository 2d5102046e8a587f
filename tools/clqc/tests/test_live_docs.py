# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/live.md: its commands run, its policy is one, and it names all."""
import os
import re
import subprocess

import live
import pytest

from clqc import policy
from clqc.cli import _parser
from clqc.live import prometheus

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
              prometheus.EVENT_OPEN}
    for name in names:
        assert f'`{name}`' in TEXT
