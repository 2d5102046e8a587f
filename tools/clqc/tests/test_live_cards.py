# SPDX-License-Identifier: LGPL-2.1-or-later
"""Capture cards: a frozen picture has the noise of its converter."""
from pathlib import Path

import clips
import numpy
import pytest
from command import here, rules

from clqc.judging import policy
from clqc.live.configuration.settings import Options
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging.judge import Rules

FREEZE = '[events.freeze]\nmax-count = 0\n'


@pytest.mark.parametrize('uri, text, noise', [
    ('v4l2:///dev/video0', FREEZE, '0.003'),
    ('v4l2:///dev/video0', '[measure]\nfreeze-noise = 0.001\n' + FREEZE,
     '0.001'),
    ('v4l2:///dev/video0', '[measure]\nevents = ["black"]', None),
    ('rtsp://camera/1', FREEZE, '0.001')])
def test_the_noise_of_a_stream(uri: str, text: str, noise: str) -> None:
    chosen = policy.parse(text, 'policy')
    options = Options(Rules.of(chosen), 1, 10,
                      card_rules=Rules.of(chosen, True))
    assert options.rules_of(Stream('a', uri)).measure.get(
        'freeze-noise') == noise


def test_a_noisy_dead_card(tmp_path: Path) -> None:
    """0.6 codes between two frames, which are not frozen with the value for
    files; walking people are not frozen."""
    random = numpy.random.default_rng(36)
    still = numpy.linspace(60, 180, 64 * 48 * 3 // 2)
    header = b'YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420\n'
    with open(tmp_path / 'dead.y4m', 'wb') as file:
        file.write(header)
        for _ in range(75):
            noisy = numpy.rint(still + random.normal(0, 0.53, still.size))
            file.write(b'FRAME\n' + noisy.astype('u1').tobytes())
    clips.run('-i', clips.SOURCE, '-c', 'copy', str(tmp_path / 'people.avi'))
    folder = tmp_path / 'of-cards'
    for noise, found in ('0.001', []), (
            Rules.of(policy.parse(FREEZE, ''), True).measure['freeze-noise'],
            ['events.freeze']):
        chosen = tmp_path / 'policy.toml'
        chosen.write_text(f'[measure]\nfreeze-noise = {noise}\n' + FREEZE)
        done = here('check', tmp_path, '--out', folder, '--policy', chosen,
                    '--no-reports')
        assert done.returncode < 2, done.stdout
        assert rules(folder, 'dead.y4m') == found
        assert rules(folder, 'people.avi') == []
