# SPDX-License-Identifier: LGPL-2.1-or-later
"""Samples that fill only the low bits of their words, in a real video."""
import gzip
import json
import shutil
from pathlib import Path
from typing import Any, Dict

import clips
import pytest
from command import here, read, verdict

# 3800 of 12 bits: above 235 of 8 bits, 3760; and far below it at 16 bits.
CODE = 3800
POLICY = '''[measure]
significant-bits = 12
[frames.YMAX]
max = 235
'''


@pytest.fixture(scope='module', name='done')
def check_one(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """Checks 12 bits in words of 16 bits."""
    folder = tmp_path_factory.mktemp('bits')
    path = folder / 'bits.mkv'
    clips.run('-f', 'lavfi', '-i', 'color=black:s=64x48:r=25:d=1,'
              f'format=gray16le,geq=lum={CODE}', '-c:v', 'ffv1', '-pix_fmt',
              'gray16le', str(path))
    (folder / 'policy.toml').write_text(POLICY)
    (folder / 'other.toml').write_text('[frames.YMAX]\nmax = 235\n')
    out = folder / 'out'
    done = here('check', path, '--out', out, '--policy',
                folder / 'policy.toml', '--no-reports')
    assert done.returncode == 1, done.stdout
    return {'path': path, 'out': out, 'folder': folder}


def first_frame(out: Path) -> Dict[str, Any]:
    with gzip.open(out / 'bits.mkv' / 'frames.jsonl.gz') as file:
        line: Dict[str, Any] = json.loads(file.readline())
    return line


def test_limits_are_of_these_bits(done: Dict[str, Any]) -> None:
    frame = first_frame(done['out'])
    assert (frame['depth'], frame['max']) == (12, [CODE])
    reason, = [reason for reason in verdict(done['out'], 'bits.mkv')['reasons']
               if reason['rule'] == 'frames.YMAX']
    assert reason['value'] == CODE and reason['limit'] == 235 * 16
    assert read(done['out'], 'bits.mkv', 'facts.json')['video']['depth'] == 12


def test_judge_refuses_other_bits(done: Dict[str, Any]) -> None:
    result = here('judge', done['out'], '--policy',
                  done['folder'] / 'other.toml')
    assert result.returncode == 2
    assert result.stdout.count('\n') == 1
    assert ('significant-bits was 12, and the policy needs all bits'
            in result.stdout)
    result = here('judge', done['out'], '--policy',
                  done['folder'] / 'policy.toml')
    assert result.returncode == 1


def test_other_bits_are_measured_again(done: Dict[str, Any],
                                       tmp_path: Path) -> None:
    shutil.copytree(done['out'], tmp_path / 'out')
    result = here('check', done['path'], '--out', tmp_path / 'out',
                  '--policy', done['folder'] / 'other.toml', '--no-reports')
    assert first_frame(tmp_path / 'out')['depth'] == 16
    assert 'frames.YMAX' not in [
        reason['rule']
        for reason in verdict(tmp_path / 'out', 'bits.mkv')['reasons']]
    assert result.returncode == 0, result.stdout


def test_learnt_policies_have_them(done: Dict[str, Any],
                                   tmp_path: Path) -> None:
    learnt = here('learn', done['out'])
    assert '\nsignificant-bits = 12\n' in learnt.stdout
    (tmp_path / 'learnt.toml').write_text(learnt.stdout)
    assert here('judge', done['out'], '--policy', tmp_path / 'learnt.toml'
                ).returncode == 0
