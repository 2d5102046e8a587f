# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command clqc on real files: good, wrong and broken ones."""
import os
import shutil
from pathlib import Path
from typing import Iterator

import clips
import pytest
from command import clqc, here, read, rules, verdict

POLICY = '''name = "strict"
[measure]
black-min-duration = 1.0
freeze-duration = 1.0
[audio]
silence-duration = 1.0
[frames.YMAX]
max = 250
share = 0.1
[events.black]
max-count = 0
[events.freeze]
max-count = 0
[events.silence]
max-count = 0
'''


@pytest.fixture(scope='module', name='folder')
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Videos, one of which is correct."""
    folder = tmp_path_factory.mktemp('videos')
    (folder / 'deep').mkdir()
    moving = (f'movie={clips.SOURCE},scale=320:240,fps=25,'
              "lutyuv=y='clip(val,30,200)'")
    clips.make(str(folder / 'good.mp4'), f'{moving},trim=0:3',
               'sine=frequency=440:duration=3')
    clips.make(str(folder / 'deep' / 'still.mkv'),
               clips.STILL + ",lutyuv=y='clip(val,16,200)'")
    clips.make(str(folder / 'bright.avi'),
               f'{moving},trim=0:2,drawbox=0:0:320:120:white:fill')
    clips.make(str(folder / 'silent.mp4'), f'{moving},trim=0:3',
               'anullsrc=duration=3')
    (folder / 'notes.txt').write_text('no video')
    (folder / 'policy.toml').write_text(POLICY)
    yield folder


@pytest.fixture(scope='module', name='out')
def checked(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a first check."""
    out = tmp_path_factory.mktemp('out')
    done = clqc('check', folder, '--out', out, '--policy',
                folder / 'policy.toml', '--jobs', 2)
    assert done.returncode == 1, done.stdout
    assert '[4/4]' in done.stdout and 'pass: good.mp4' in done.stdout
    return out


def test_each_fault_is_found(out: Path) -> None:
    assert verdict(out, 'good.mp4')['status'] == 'pass'
    assert verdict(out, 'good.mp4')['measured']['decoder'].startswith('avdec')
    assert rules(out, 'deep/still.mkv') == ['events.black', 'events.freeze']
    assert rules(out, 'bright.avi') == ['frames.YMAX']
    assert rules(out, 'silent.mp4') == ['events.silence']
    black = [reason for reason in verdict(out, 'deep/still.mkv')['reasons']
             if reason['rule'] == 'events.black'][0]
    assert 11.9e9 <= black['start'] <= 12.1e9


def test_files_of_the_results(out: Path) -> None:
    names = sorted(os.listdir(out / 'good.mp4'))
    assert {'facts.json', 'frames.jsonl.gz', 'events.json', 'pooled.json',
            'verdict.json', 'good.mp4.qctools.xml.gz'} <= set(names)
    assert {'summary.html', 'summary.csv', 'junit.xml'} <= set(os.listdir(out))
    still = (out / 'deep' / 'still.mkv' / 'report.html').read_text()
    assert 'data:image/jpeg;base64' in still
    facts = read(out, 'good.mp4', 'facts.json')
    assert facts['video']['codec'].startswith('H.264')
    assert facts['video']['range'] == 'limited'
    assert facts['audio'][0]['channels'] == 1
    assert facts['measured']['frames'] == 75


def test_second_start_measures_nothing(folder: Path, out: Path) -> None:
    before = (out / 'good.mp4' / 'frames.jsonl.gz').stat().st_mtime_ns
    done = here('check', folder, '--out', out, '--policy',
                folder / 'policy.toml')
    assert done.returncode == 1
    assert (out / 'good.mp4' / 'frames.jsonl.gz').stat().st_mtime_ns == before


def test_same_bytes_in_parts(folder: Path, out: Path, tmp_path: Path) -> None:
    done = clqc('check', folder / 'deep' / 'still.mkv', '--out', tmp_path,
                '--policy', folder / 'policy.toml', '--parts', 4, '--jobs', 2,
                '--no-reports')
    assert done.returncode == 1, done.stdout
    assert verdict(tmp_path, 'still.mkv')['measured']['parts'] == 4
    for name in 'frames.jsonl.gz', 'events.json', 'pooled.json':
        assert (tmp_path / 'still.mkv' / name).read_bytes() == (
            out / 'deep' / 'still.mkv' / name).read_bytes(), name


def test_judge_with_other_thresholds(out: Path, tmp_path: Path) -> None:
    copy = tmp_path / 'out'
    shutil.copytree(out, copy)
    loose = tmp_path / 'loose.toml'
    loose.write_text('name = "loose"\n[measure]\nblack-min-duration = 5.0\n'
                     '[events.black]\nmax-count = 0\n')
    done = here('judge', copy, '--policy', loose)
    assert done.returncode == 0, done.stdout
    assert verdict(copy, 'deep/still.mkv')['policy'] == 'loose'
    other = tmp_path / 'other.toml'
    other.write_text('[measure]\nfreeze-noise = 0.01\n'
                     '[events.freeze]\nmax-count = 0\n')
    done = here('judge', copy, '--policy', other)
    assert done.returncode == 2
    assert done.stdout.count('freeze-noise') == 4  # a line per file
    assert verdict(copy, 'good.mp4')['policy'] == 'loose'
    report = (copy / 'good.mp4' / 'report.html').read_text()
    assert 'Policy: loose' in report


def test_statistics_of_another_policy(folder: Path, out: Path,
                                      tmp_path: Path) -> None:
    """clqc judge names what is missing, clqc check measures it."""
    shutil.copytree(out / 'good.mp4', tmp_path / 'good.mp4')
    other = tmp_path / 'other.toml'
    other.write_text('[events.noisy]\nmax-count = 0\n')
    done = here('judge', tmp_path, '--policy', other)
    assert done.returncode == 2
    assert done.stdout == (
        'not judged: good.mp4: the event noisy needs the statistic noise, '
        'which was not measured\n')
    check = ['check', folder / 'good.mp4', '--out', tmp_path, '--no-reports']
    assert here(*check, '--policy', other).returncode == 0
    assert here('judge', tmp_path, '--policy', other).returncode == 0


def test_broken_lines_are_measured_again(folder: Path, out: Path,
                                         tmp_path: Path) -> None:
    words = ['--policy', folder / 'policy.toml']
    check = ['check', folder / 'good.mp4', '--out', tmp_path, '--no-reports']
    shutil.copytree(out / 'good.mp4', tmp_path / 'good.mp4')
    lines = tmp_path / 'good.mp4' / 'frames.jsonl.gz'
    whole = lines.read_bytes()
    lines.write_bytes(whole[:1000])
    done = here('judge', tmp_path, *words)
    assert done.returncode == 2
    assert done.stdout.count('\n') == 1 and 'broken' in done.stdout
    lines.write_bytes(whole[:20])
    assert here(*check, *words).returncode == 0
    assert lines.read_bytes() == whole


def test_broken_results_are_measured_again(folder: Path, out: Path,
                                           tmp_path: Path) -> None:
    """The results are valid JSON with wrong contents."""
    kept = tmp_path / 'silent.mp4'
    loose = tmp_path / 'loose.toml'
    loose.write_text('[audio]\nsilence-level = -50\n')
    for name, content in (('facts.json', '{}'), ('levels.json', 'null'),
                          ('pooled.json', '[]'), ('events.json', '[]')):
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(out / 'silent.mp4', kept)
        (kept / name).write_text(content)
        done = here('judge', tmp_path, '--policy', loose)
        assert done.returncode == 2
        assert done.stdout == (f'not judged: {kept}/{name}: broken; remove it '
                               'to measure again\n')
    # The last of them is measured again.
    assert here('check', folder / 'silent.mp4', '--out', tmp_path, '--policy',
                loose, '--no-reports').returncode == 0
    assert len((kept / 'events.json').read_text()) > 10


def test_learn_proposes_limits_of_good_files(out: Path,
                                             tmp_path: Path) -> None:
    done = here('learn', out / 'good.mp4')
    assert done.returncode == 0, done.stdout
    learnt = tmp_path / 'learnt.toml'
    learnt.write_text(done.stdout)
    copy = tmp_path / 'out'
    shutil.copytree(out / 'good.mp4', copy / 'good.mp4')
    done = here('judge', copy, '--policy', learnt)
    assert done.returncode == 0, done.stdout


def test_broken_files_have_one_line_each(folder: Path, tmp_path: Path) -> None:
    bad = tmp_path / 'bad'
    bad.mkdir()
    (bad / 'empty.mp4').write_bytes(b'')
    (bad / 'text.mkv').write_text('this is no video\n' * 100)
    whole = (folder / 'good.mp4').read_bytes()
    (bad / 'cut.mp4').write_bytes(whole[:len(whole) // 2])
    shutil.copy(folder / 'good.mp4', bad / 'good.mp4')
    os.symlink(bad / 'nowhere', bad / 'gone.mp4')
    done = here('check', bad, '--out', tmp_path / 'out', '--no-reports',
                '--policy', folder / 'policy.toml')
    assert done.returncode == 2, done.stdout
    lines = done.stdout.strip().split('\n')
    assert len(lines) == 5, done.stdout
    for name in 'empty.mp4', 'text.mkv', 'cut.mp4', 'gone.mp4':
        assert verdict(tmp_path / 'out', name)['status'] == 'unmeasured'
    assert 'empty' in done.stdout and 'No such file' in done.stdout
    assert verdict(tmp_path / 'out', 'good.mp4')['status'] == 'pass'


def test_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / 'fast.mp4'
    clips.run('-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=20', '-c:v',
              'libx264', '-preset', 'veryfast', '-movflags', '+faststart',
              str(path))
    whole = path.read_bytes()
    path.write_bytes(whole[:len(whole) * 6 // 10])
    done = here('check', path, '--out', tmp_path / 'out', '--no-reports')
    assert done.returncode == 1, done.stdout
    assert 'bytes of the file are missing' in done.stdout
    assert rules(tmp_path / 'out', 'fast.mp4') == [
        'decode.errors', 'file.missing-bytes', 'file.missing-duration']


def test_results_of_another_file_are_removed(folder: Path,
                                             tmp_path: Path) -> None:
    """A file with silent sound is replaced by one without sound, then by a
    broken one."""
    path, out = tmp_path / 'a.mp4', tmp_path / 'out'
    words = ['check', path, '--out', out, '--policy',
             folder / 'policy.toml', '--no-reports']
    shutil.copy(folder / 'silent.mp4', path)
    assert here(*words).returncode == 1
    assert rules(out, 'a.mp4') == ['events.silence']
    clips.run('-i', str(folder / 'good.mp4'), '-an', '-c', 'copy', str(path))
    assert here(*words).returncode == 0
    path.write_bytes(b'')
    assert here(*words).returncode == 2
    assert here('judge', out).returncode == 2
    assert 'empty' in (out / 'summary.csv').read_text()


def test_report_shows_the_verdict(folder: Path, out: Path,
                                  tmp_path: Path) -> None:
    words = ['check', folder / 'good.mp4', '--out', tmp_path]
    report = tmp_path / 'good.mp4' / 'report.html'
    shutil.copytree(out / 'good.mp4', tmp_path / 'good.mp4')
    assert 'Policy: strict' in report.read_text()
    here(*words, '--no-reports')
    assert not report.exists()
    here(*words)
    assert 'Policy: default' in report.read_text()


def test_killed_start_is_repeated(folder: Path, out: Path,
                                  tmp_path: Path) -> None:
    words = ['check', folder / 'good.mp4', '--out', tmp_path, '--no-reports']
    shutil.copytree(out / 'good.mp4', tmp_path / 'good.mp4')
    frames = tmp_path / 'good.mp4' / 'frames.jsonl.gz'
    whole = frames.read_bytes()
    # when measuring begins: no facts until all results are written
    (tmp_path / 'good.mp4' / 'facts.json').unlink()
    (tmp_path / 'good.mp4' / 'work').mkdir()
    frames.write_bytes(whole[:100])
    assert here(*words).returncode == 0
    assert frames.read_bytes() == whole
    assert not (tmp_path / 'good.mp4' / 'work').exists()
    (tmp_path / 'good.mp4' / 'verdict.json').write_text('{')
    assert here(*words).returncode == 0


def test_unusual_files_in_a_folder(folder: Path, tmp_path: Path) -> None:
    strange = tmp_path / 'strange'
    strange.mkdir()
    os.mkfifo(strange / 'fifo.mp4')
    shutil.copy(folder / 'good.mp4', os.fsencode(strange) + b'/b\xff.mp4')
    done = clqc('check', strange, '--out', tmp_path / 'out', '--no-reports')
    assert done.returncode == 2, done.stdout
    assert 'not a file' in done.stdout and 'UTF-8' in done.stdout


def test_wrong_commands_print_one_line(folder: Path, tmp_path: Path) -> None:
    mistake = tmp_path / 'mistake.toml'
    mistake.write_text('[frames.YMAX]\nmaximum = 3\n')
    for words, text in (
            (['check', tmp_path / 'nothing', '--out', tmp_path], 'no such'),
            (['check', folder, '--out', tmp_path, '--policy', 'none'],
             'none'),
            (['check', folder, '--out', tmp_path, '--policy', mistake],
             'maximum'),
            (['check', '/dev/null', '--out', tmp_path], 'neither'),
            (['judge', tmp_path / 'nowhere'], 'no such folder'),
            (['judge', tmp_path], 'no results of clqc check')):
        done = here(*words)
        assert done.returncode == 2
        assert done.stdout.count('\n') <= 2 and text in done.stdout, (
            done.stdout)


def test_full_disk_prints_one_line(folder: Path) -> None:
    full = Path('/dev/full')
    if not full.exists():
        pytest.skip('there is no /dev/full')
    done = clqc('check', folder / 'good.mp4', '--out', full)
    assert done.returncode == 2
    assert '/dev/full' in done.stdout


def test_decoder_that_dies_fails_its_file(folder: Path,
                                          tmp_path: Path) -> None:
    """At the start of Python, the process runs code of the test that sends a
    signal to itself."""
    (tmp_path / 'sitecustomize.py').write_text(
        'import os, signal, sys\n'
        "if 'clqc.decoding.worker' in sys.orig_argv:\n"
        '    os.kill(os.getpid(), signal.SIGSEGV)\n')
    path = os.pathsep.join([str(tmp_path), os.environ['PYTHONPATH']])
    done = clqc('check', folder / 'good.mp4', '--out', tmp_path / 'out',
                '--policy', folder / 'policy.toml', PYTHONPATH=path)
    assert done.returncode == 2
    assert 'signal 11' in done.stdout


# Where the process of a part hangs, the seconds that are left to it (a busy
# machine needs some to reach that place), and what is said of it.
HANGS = {
    'start': ('time.sleep(100)', 1, 'gave no sign of life for 1 seconds'),
    'stopped': ('os.kill(os.getpid(), signal.SIGSTOP)', 6,
                'and was ended: a signal had stopped it'),
    'waits': ("os.environ['CLQC_HANGS'] = '1'", 6,
              'made no progress for 12 seconds')}


@pytest.mark.parametrize('fault, seconds, why', HANGS.values(),
                         ids=list(HANGS))
def test_hanging_decoder_is_ended(fault: str, seconds: int, why: str,
                                  folder: Path, tmp_path: Path) -> None:
    (tmp_path / 'sitecustomize.py').write_text(
        'import os, signal, sys, time\n'
        "if 'clqc.decoding.worker' in sys.orig_argv:\n"
        f'    {fault}\n'
        "    if 'CLQC_HANGS' in os.environ:\n"
        '        import clqc.decoding.frames\n'
        '        clqc.decoding.frames.measure = lambda *_: time.sleep(100)\n')
    path = os.pathsep.join([str(tmp_path), os.environ['PYTHONPATH']])
    done = clqc('check', folder / 'good.mp4', '--out', tmp_path / 'out',
                '--policy', folder / 'policy.toml', PYTHONPATH=path,
                CLQC_STALL_SECONDS=str(seconds))
    assert done.returncode == 2
    assert why in done.stdout
