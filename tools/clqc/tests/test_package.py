# SPDX-License-Identifier: LGPL-2.1-or-later
"""clqc as installed by meson, and by pip, from its package only."""
import compileall
import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any, Dict, Iterator

import clips
import docpages
import live
import pytest

PROJECT = Path(__file__).parent.parent
SCHEMA = Path('docs', 'statistics.schema.json')  # of the plugin

# Runs at the start of Python. The bindings of GStreamer are only available to
# the processes that decode, and those cannot be started by this Python.
WITHOUT_GI = '''
import sys
if 'clqc.decoding.worker' not in sys.orig_argv:
    sys.modules['gi'] = None
    sys.executable = '/nowhere/python3'
'''


def files(folder: Path) -> Iterator[str]:
    for path in folder.rglob('*'):
        if path.is_file() and '__pycache__' not in path.parts:
            yield str(path.relative_to(folder))


def clqc(target: Path, *words: Any) -> 'subprocess.CompletedProcess[str]':
    """Runs the clqc of @target, not that of the checkout; uPlot is not
    installed."""
    paths = [str(target), *(
        path for path in os.environ.get('PYTHONPATH', '').split(os.pathsep)
        if path and not os.path.exists(os.path.join(path, 'clqc')))]
    return run(sys.executable, '-m', 'clqc', *words,
               PYTHONPATH=os.pathsep.join(paths))


def run(*words: Any, **settings: str) -> 'subprocess.CompletedProcess[str]':
    environment: Dict[str, str] = {**os.environ, **settings}
    return subprocess.run(
        list(map(str, words)), text=True, env=environment, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
        cwd='/')


@pytest.fixture(scope='module', name='source')
def make_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, since pip leaves build files beside the source, and of the
    plugin only its schema."""
    root = tmp_path_factory.mktemp('source')
    source = root / PROJECT.relative_to(docpages.ROOT)
    shutil.copytree(PROJECT, source, ignore=shutil.ignore_patterns(
        'build', '*.egg-info', '__pycache__'))
    (root / SCHEMA).parent.mkdir()
    shutil.copy(docpages.ROOT / SCHEMA, root / SCHEMA)
    return source


@pytest.fixture(scope='module', name='target')
def installed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Installs with pip, without a network."""
    for module in 'pip', 'setuptools', 'wheel':
        if not importlib.util.find_spec(module):
            pytest.skip(f'there is no {module}')
    target = tmp_path_factory.mktemp('target')
    done = run(sys.executable, '-m', 'pip', 'install', '--no-index',
               '--no-deps', '--no-build-isolation', '--target', target,
               source)
    assert done.returncode == 0, done.stdout
    return target


def test_all_files_are_installed(target: Path) -> None:
    assert sorted(files(target / 'clqc')) == sorted(
        [*files(PROJECT / 'clqc'), SCHEMA.name])
    assert (target / 'clqc' / SCHEMA.name).read_bytes() == (
        docpages.ROOT / SCHEMA).read_bytes()


def test_meson_installs_the_same_files(tmp_path: Path) -> None:
    assert compileall.compile_dir(PROJECT / 'clqc', quiet=1)
    done = run('meson', 'install', '-C', Path(os.environ['CLQC_BUILT']).parent,
               '--no-rebuild', '--tags', 'python-runtime',
               '--destdir', tmp_path)
    assert done.returncode == 0, done.stdout
    folder, = tmp_path.rglob('clqc')
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob('*')
                  if path.is_file()) == sorted(
                      [*files(PROJECT / 'clqc'), SCHEMA.name])


def test_policies_are_found(target: Path) -> None:
    done = clqc(target, 'policies')
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == len(list(
        (PROJECT / 'clqc/judging/policies').glob('*.toml')))


def test_command_is_installed(target: Path) -> None:
    done = run(target / 'bin' / 'clqc', '--version', PYTHONPATH=str(target))
    assert done.returncode == 0, done.stdout
    assert done.stdout.count('.') == 2


def test_system_python_decodes(target: Path, tmp_path: Path) -> None:
    """As in a virtual environment without GStreamer, the system's Python
    decodes."""
    if not os.path.exists('/usr/bin/python3'):
        pytest.skip('there is no Python of the system')
    site = tmp_path / 'site'
    shutil.copytree(target, site)
    (site / 'sitecustomize.py').write_text(WITHOUT_GI)
    done = clqc(site, 'check', clips.SOURCE, '--out', tmp_path / 'out',
                '--no-reports', '--quiet')
    assert (done.returncode, done.stdout) == (0, '')


def test_one_line_without_gstreamer(target: Path, tmp_path: Path) -> None:
    site = tmp_path / 'site'
    shutil.copytree(target, site)
    (site / 'gi').mkdir()
    for text in ("raise ModuleNotFoundError(\"No module named 'gi'\")",
                 'def require_version(name, version):\n'
                 '    raise ValueError(f"Namespace {name} not available")'):
        (site / 'gi' / '__init__.py').write_text(text)
        done = clqc(site, 'check', clips.SOURCE, '--out', tmp_path / 'out')
        assert done.returncode == 2
        assert done.stdout.count('\n') == 2, done.stdout
        assert 'bindings of GStreamer' in done.stdout


def test_one_line_without_overrides(target: Path, tmp_path: Path) -> None:
    """Python calls GStreamer, but without the types of python3-gst-1.0."""
    site = tmp_path / 'site'
    shutil.copytree(target, site)
    (site / 'sitecustomize.py').write_text(
        "import sys; sys.modules['gi.overrides.Gst'] = None")
    for words in ['check', '--out', tmp_path / 'out'], ['watch']:
        done = clqc(site, *words, clips.SOURCE)
        assert done.returncode == 2, done.stdout
        assert 'bindings of GStreamer' in done.stdout
        assert 'gi.overrides.Gst' in done.stdout


@pytest.mark.skipif(not os.environ.get('CLQC_NEWEST'), reason='needs a '
                    'network: CLQC_NEWEST=1 has pip install the newest of all')
def test_the_newest_libraries(source: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / 'venv', with_pip=True)
    tools = tmp_path / 'venv' / 'bin'
    done = run(tools / 'pip', 'install', '--quiet', f'{source}[farm,live]',
               'pytest', PYTHONPATH='')
    assert done.returncode == 0, done.stdout
    # The system's Python decodes, and uses nothing of the environment: neither
    # do the decoders that are to crash or to hang.
    done = run(tools / 'python', '-m', 'pytest', '-q', '-p',
               'no:cacheprovider', '-k', 'not a_decoder_that',
               PROJECT / 'tests' / 'test_check.py',
               PROJECT / 'tests' / 'test_summary.py', PYTHONPATH='')
    assert done.returncode == 0, done.stdout
    for words in [], ['--jobs', 'auto']:
        done = run(tools / 'clqc', 'check', clips.SOURCE, '--out',
                   tmp_path / f'out{len(words)}', *words, PYTHONPATH='')
        assert done.returncode == 0, done.stdout
    done = run(tools / 'clqc', 'watch', clips.SOURCE, '--prometheus',
               live.free_port(), PYTHONPATH='')
    assert done.returncode == 0, done.stdout
    assert (tmp_path / 'out0' / 'pedestrians.avi' / 'report.html').exists()
