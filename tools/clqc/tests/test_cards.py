# SPDX-License-Identifier: LGPL-2.1-or-later
"""Known pictures that clqc learns, and rules for events that need further
statistics."""
from pathlib import Path
from typing import Iterator

import clips
import pytest
from command import clqc, here, read, verdict

RATE = 'rate=25:duration=2'
SLATE = f'testsrc2=size=320x240:{RATE}'


@pytest.fixture(scope='module', name='folder')
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A slate after a second of colour bars, the slate in another size, bars,
    and a picture that is no card."""
    folder = tmp_path_factory.mktemp('videos')
    still = f'{SLATE},loop=-1:1,trim=0:2'
    clips.make(str(folder / 'slate.mp4'),
               f'smptebars=size=320x240:{RATE},trim=0:1[a];{still}[b];'
               '[a][b]concat')
    clips.make(str(folder / 'scaled.mpg'),
               f'{still},scale=720:576,noise=alls=20:allf=t')
    clips.make(str(folder / 'bars.mp4'), f'pal75bars=size=720x576:{RATE}')
    clips.make(str(folder / 'black.mp4'), f'color=black:size=320x240:{RATE}')
    (folder / 'text.mp4').write_text('no video')
    yield folder


def learn(folder: Path, name: str, file: str, *more: object) -> str:
    """Returns the output of an attempt that fails."""
    done = here('learn', '--card', name, folder / file, *more)
    assert done.returncode == 2
    assert done.stdout.count('\n') == 1, done.stdout
    return done.stdout


def test_learnt_card_is_found(folder: Path, tmp_path: Path) -> None:
    """In a policy beside its card file, which has two cards."""
    cards = ''
    for name, file, at in (('bars of mine', 'bars.mp4', 0),
                           ('slate', 'slate.mp4', 1.5)):
        done = here('learn', '--card', name, folder / file, '--at', at)
        assert done.returncode == 0, done.stdout
        assert done.stdout.startswith(f'[{name}]\ngrid=32x18\n')
        cards += done.stdout
    (tmp_path / 'my cards').write_text(cards)
    policy = tmp_path / 'policy.toml'
    policy.write_text('[events.card]\nmax-count = 0\n'
                      '[measure]\ncard-file = "my cards"\n')
    out = tmp_path / 'out'
    done = here('check', folder, '--out', out, '--policy', policy,
                '--no-reports')
    assert 'not measured: text.mp4' in done.stdout
    assert verdict(out, 'black.mp4')['status'] == 'pass'
    found = {name: [event['values']['card'] for event
                    in read(out, name, 'events.json')['events']
                    if event['kind'] == 'card']
             for name in ('slate.mp4', 'scaled.mpg', 'bars.mp4')}
    assert found == {'slate.mp4': ['smpte-170m', 'slate'],
                     'scaled.mpg': ['slate'], 'bars.mp4': ['ebu-100-0-75-0']}
    reason, = verdict(out, 'scaled.mpg')['reasons'][:1]
    assert reason['message'].endswith(
        '(2 s), slate; none is allowed.'), reason

    done = clqc('watch', f'slate={folder / "scaled.mpg"}', '--policy', policy)
    assert 'slate: card begins' in done.stdout, done.stdout
    assert 'UNHEALTHY: Known picture; none is allowed.' in done.stdout

    # A card file that has changed is read again.
    (tmp_path / 'my cards').write_text('')
    here('judge', out, '--policy', policy)
    assert verdict(out, 'scaled.mpg')['status'] == 'pass'
    (tmp_path / 'my cards').write_text(cards)
    here('check', folder, '--out', out, '--policy', policy, '--no-reports')
    assert verdict(out, 'scaled.mpg')['status'] == 'fail'
    (tmp_path / 'my cards').write_text('[x]\n')
    for command in (('judge', out), ('check', folder, '--out', out),
                    ('watch', 'file:///nothing.mkv')):
        done = here(*command, '--policy', policy)
        assert (done.returncode, done.stdout) == (
            2, f'clqc: {policy}: measure.card-file: {tmp_path}/my cards: '
            'Key file does not have key “grid” in group “x”\n'), command


def test_a_card_that_cannot_be_learnt(folder: Path, tmp_path: Path) -> None:
    assert learn(folder, 'x', 'black.mp4') == (
        f"clqc: {folder}/black.mp4: card 'x': fewer than 16 cells differ from "
        'its most frequent colour\n')
    assert learn(folder, 'x', 'bars.mp4', '--at', 2.01) == (
        f'clqc: {folder}/bars.mp4: there is no frame at this time\n')
    assert 'not a video' in learn(folder, 'x', 'text.mp4')
    assert 'No such file' in learn(folder, 'x', 'nothing.mp4')
    assert 'brackets' in learn(folder, '[x]', 'bars.mp4')
    assert 'one video' in learn(folder, 'x', 'bars.mp4', folder / 'black.mp4')
    small = clips.make(str(tmp_path / 'small.mp4'),
                       f'pal75bars=size=120x96:{RATE}')
    assert '128 x 72' in learn(tmp_path, 'x', Path(small).name)
    done = here('learn', folder, '--at', 1)
    assert (done.returncode, done.stdout) == (2, 'clqc: --at is for --card\n')
    for at in '-1', 'x', 'nan':
        done = here('learn', '--card', 'x', folder / 'bars.mp4', f'--at={at}')
        assert done.returncode == 2
        assert 'a number of seconds' in done.stdout
