# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starting farms: files that describe clusters, and this machine."""
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional
from unittest import mock

import clips
import pytest
from clqc import __version__, commandline
from clqc.common import errors
from clqc.decoding import devices, gst
from command import clqc, here, verdict
from jumping import Jumping
from webserver import certificate

pytest.importorskip('distributed')
import farms  # noqa: E402
from clqc.farm import (  # noqa: E402
    cluster, input_check, local, options, worker_versions)
from distributed import LocalCluster  # noqa: E402

# Mocks of libraries that are not installed: clusters that record their
# arguments, and start workers on this machine.
MOCK = '''
import json, os, signal, sys
from distributed import LocalCluster

signal.signal(signal.SIGINT, lambda *_: sys.exit())  # as dask-jobqueue 0.9
# What workers of such clusters say is in logs of their own.
os.environ['DASK_LOGGING__DISTRIBUTED'] = 'critical'

class SLURMCluster(LocalCluster):
    def __init__(self, queue=None, cores=None, memory=None,
                 job_script_prologue=()):
        with open(os.environ['SAID'], 'w') as file:
            json.dump([queue, cores, memory, job_script_prologue], file)
        super().__init__(n_workers=0, threads_per_worker=1,
                         dashboard_address='127.0.0.1:0')
        self.queue = queue

    def scale(self, count):
        if self.queue == 'none' and count > 0:  # not as it is closed
            raise RuntimeError('Exit code: 1\\nstderr:\\nsbatch: error: '
                               'invalid partition specified: none\\nsbatch: '
                               'error: Batch job submission failed')
        super().scale(count)

class KubeCluster(SLURMCluster):
    def __init__(self, **kwargs):
        super().__init__(kwargs.pop('name'))
        if kwargs:
            raise TypeError("KubeCluster got an unexpected keyword argument "
                            f"'{list(kwargs)[0]}'")
'''


@pytest.fixture(scope='module', name='clip')
def make_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('clip')
    return Path(clips.make(str(folder / 'clip.mp4'),
                           f'movie={clips.SOURCE},scale=320:240,trim=0:3'))


@pytest.fixture(scope='module', name='whole')
def check_here(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp('whole')
    clqc('check', clip, '--out', out, '--no-reports')
    return out / clip.name


@pytest.fixture(name='libraries')
def mock_library(tmp_path: Path) -> Iterator[Dict[str, str]]:
    folder = tmp_path / 'libraries'
    (folder / 'dask_kubernetes').mkdir(parents=True)
    (folder / 'dask_jobqueue.py').write_text(MOCK)
    (folder / 'dask_kubernetes' / '__init__.py').write_text('')
    (folder / 'dask_kubernetes' / 'operator.py').write_text(MOCK)
    yield {'PYTHONPATH': os.pathsep.join([str(folder),
                                          os.environ['PYTHONPATH']]),
           'SAID': str(tmp_path / 'said')}


@pytest.mark.parametrize('text, expected', [
    ('type = "slurm"\nworkers = 1\nqueue = "gpu"\ncores = 1\n'
     'job_script_prologue = ["module load gst"]\n',
     '["gpu", 1, null, ["module load gst"]]'),
    ('type = "kubernetes"\nworkers = 1\nname = "qc"\n',
     '["qc", null, null, []]')])
def test_clusters_of_libraries(text: str, expected: str, clip: Path,
                               whole: Path, tmp_path: Path,
                               libraries: Dict[str, str]) -> None:
    (tmp_path / 'farm.toml').write_text(text)
    done = clqc('check', clip, '--out', tmp_path / 'out', '--no-reports',
                '--cluster', tmp_path / 'farm.toml', **libraries)
    assert farms.same(whole, tmp_path / 'out' / clip.name), done.stdout
    assert (tmp_path / 'said').read_text() == expected


# A library whose threads crash while Python shuts down.
CRASH_AT_END = '''
class AtEnd:
    def __del__(self, end=os._exit):
        end(99)

at_end = AtEnd()
'''


# A library that is stopped during the creation of an object, whose destructor
# then fails.
HALF_MADE = '''
import time

class Half:
    def __del__(self):
        raise AttributeError('half made')

class SLURMCluster:
    def __init__(self, **kwargs):
        half = Half()
        with open(os.environ['SAID'], 'w'):
            pass
        time.sleep(60)
'''


@pytest.mark.parametrize('more', ['', CRASH_AT_END, HALF_MADE],
                         ids=['', 'crash', 'half'])
def test_ctrl_c_in_a_library(clip: Path, tmp_path: Path, more: str,
                             libraries: Dict[str, str]) -> None:
    """A check that is stopped has not passed."""
    with open(tmp_path / 'libraries' / 'dask_jobqueue.py', 'a',
              encoding='utf-8') as file:
        file.write(more)
    (tmp_path / 'farm.toml').write_text('type = "slurm"\nworkers = 1\n')
    one = farms.Check(clip, '--out', tmp_path / 'out', '--cluster',
                      tmp_path / 'farm.toml', **libraries)
    farms.until((tmp_path / 'said').exists)
    one.interrupt()
    output = one.end()
    assert one.process.returncode == 130, output
    assert output.splitlines()[-1].startswith('clqc: stopped')


# Workers that are still starting when they are to end, and take long.
SLOW_WORKER = '''
import os, signal, sys, time

if 'spawn_main' in ' '.join(sys.orig_argv):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open(os.environ['SAID'] + '-worker', 'w'):
        pass
    time.sleep(20)
'''


def test_ctrl_c_while_a_worker_starts(clip: Path, tmp_path: Path,
                                      libraries: Dict[str, str]) -> None:
    """Workers end with the check, without errors."""
    (tmp_path / 'libraries' / 'sitecustomize.py').write_text(SLOW_WORKER)
    (tmp_path / 'farm.toml').write_text('type = "slurm"\nworkers = 1\n')
    one = farms.Check(clip, '--out', tmp_path / 'out', '--cluster',
                      tmp_path / 'farm.toml', **libraries)
    farms.until((tmp_path / 'said-worker').exists)
    one.interrupt()
    output = one.end()
    assert one.process.returncode == 130, output
    assert output.splitlines()[-1].startswith('clqc: stopped'), output


@pytest.fixture(name='imported')
def import_mocks(libraries: Dict[str, str],
                 monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The mock libraries, in the process of the tests."""
    monkeypatch.syspath_prepend(
        libraries['PYTHONPATH'].split(os.pathsep, maxsplit=1)[0])
    with mock.patch.dict(sys.modules), mock.patch.dict(os.environ):
        yield libraries


@pytest.mark.parametrize('text, why', [
    ('workers = 3\n', 'line 1: type: one of local, slurm'),
    ('# of ours\ntype = "pbs"\n', "line 2: type: one of local, slurm, "
     "kubernetes, ssh is wanted, and not 'pbs'"),
    ('type = "local"\nworkers = 2\n\ncolour = 3\n',
     'line 4: colour: no key of the type local, which has workers, threads, '),
    ('type = "local"\nthreads = 0\n', 'line 2: threads: a whole number'),
    ('type = "local"\ndevices = "npu"\n', 'line 2: devices: gpu, cpu or'),
    ('type = "local"\ncores = [99999]\n', 'line 2: cores: some of '),
    ('type = "slurm"\nqueue = "x"\n', 'line 1: workers: how many workers'),
    ('type = "slurm"\nworkers = 2\nqeue = "x"\n',
     'line 3: qeue: no key of the type slurm, which has queue, cores'),
    ('type = "slurm"\nworkers = 2\n\nqueue = "none"\n',
     'line 4: queue: sbatch: error: invalid partition specified: none\n'),
    ('type = "kubernetes"\nworkers = 2\nname = "a"\nimagge = "x"\n',
     "line 4: imagge: KubeCluster got an unexpected"),
    ('type = \n', 'line 1: not TOML'),
])
def test_mistakes_print_one_line(text: str, why: str, clip: Path,
                                 tmp_path: Path,
                                 imported: Dict[str, str]) -> None:
    path = tmp_path / 'farm.toml'
    path.write_text(text)
    done = here('check', clip, '--out', tmp_path / 'out', '--cluster', path,
                '--quiet', SAID=imported['SAID'])
    assert done.returncode == 2
    assert done.stdout.count('\n') == 1, done.stdout
    assert done.stdout.startswith(f'clqc: {path}, ') and why in done.stdout


def wrong(clip: Path, tmp_path: Path, *words: Any, run: Any = clqc,
          **settings: str) -> str:
    done = run('check', clip, '--out', tmp_path / 'out', '--quiet', *words,
               **settings)
    assert done.returncode == 2
    assert done.stdout.count('\n') == 1, done.stdout
    return str(done.stdout)


def test_missing_libraries_print_one_line(clip: Path, tmp_path: Path) -> None:
    path = tmp_path / 'farm.toml'
    (tmp_path / 'asyncssh.py').write_text('raise ImportError("none here")')
    for kind, package in (('ssh', 'asyncssh'), ('slurm', 'dask-jobqueue')):
        path.write_text(f'type = "{kind}"\nworkers = 1\n')
        (tmp_path / 'dask_jobqueue.py').write_text(
            'raise ImportError("none here")')
        output = wrong(clip, tmp_path, '--cluster', path, PYTHONPATH=(
            os.pathsep.join([str(tmp_path), os.environ['PYTHONPATH']])))
        assert f'needs the Python package {package}' in output
    assert 'no scheduler of Dask answers at 127.0.0.1:1:' in wrong(
        clip, tmp_path, '--scheduler', '127.0.0.1:1',
        DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT='1')
    for address in 'nonsense', 'tcp://127.0.0.1:x':
        assert f'no scheduler of Dask answers at {address}: ' in wrong(
            clip, tmp_path, '--scheduler', address, run=here)
    path.write_text('[]')
    for file in clip, path:
        assert f'{file}: not a file that a scheduler' in wrong(
            clip, tmp_path, '--scheduler', file, run=here)
    assert 'no such' in wrong(clip, tmp_path, '--cluster',
                              tmp_path / 'none.toml', run=here).lower()
    (tmp_path / 'distributed.py').write_text('raise ImportError("none")')
    assert 'need the Python package distributed' in wrong(
        clip, tmp_path, '--cluster', 'local', PYTHONPATH=os.pathsep.join(
            [str(tmp_path), os.environ['PYTHONPATH']]))


def test_farms_without_a_name(clip: Path, tmp_path: Path) -> None:
    """An empty name, as from an unset variable, does not mean this machine."""
    for option in '--scheduler', '--cluster':
        done = here('check', clip, '--out', tmp_path / 'out', option, '')
        assert done.returncode == 2
        assert f'argument {option}: its value is empty' in done.stdout


def test_queue_that_refuses_temporarily() -> None:
    """Each reason is reported once, and jobs are requested again."""
    class Refusing:
        asked = 0

        def scale(self, count: int) -> None:
            self.asked += 1
            if 1 < self.asked < 5:
                raise OSError('full')
    output: List[str] = []
    one = Refusing()
    found = cluster.Description('farm.toml', '', 'slurm', {})
    with cluster._scaled(one, 2, found, output.append, Jumping()):
        farms.until(lambda: one.asked > 6)
    assert output == ['slurm: full']


@pytest.mark.parametrize('text, is_reported', [
    ('', False),
    ('[scheduler_options]\ndashboard_address = ":8787"\n', True)])
def test_port_of_pages_is_in_use(text: str, is_reported: bool,
                                 recwarn: pytest.WarningsRecorder) -> None:
    """There is no message if no port was requested."""
    output: List[str] = []
    found = cluster.Description('farm.toml', text, 'slurm', {})
    with socket.create_server(('127.0.0.1', 0)) as other:
        port = other.getsockname()[1]

        def start() -> Any:
            warnings.warn('this is old', FutureWarning)
            return LocalCluster(n_workers=0,
                                dashboard_address=f'127.0.0.1:{port}')
        cluster._call_quietly(found, start, output.append).close()
    others = {str(one.message) for one in recwarn}
    assert 'this is old' in others
    assert not any('already in use' in text for text in others)
    assert len(output) == is_reported
    assert not is_reported or output[0].startswith(
        f'slurm: Port {port} is already in use. ')


@pytest.mark.parametrize('error', [KeyboardInterrupt, OSError('no')])
def test_cluster_that_ends_while_it_starts(error: Any) -> None:
    """A cluster that fails while it starts is closed once; Dask does not close
    it again when Python ends."""
    class Half:
        shutdown_on_close = True
        n_closed = 0
        scheduler = None
        _created: List[Any] = []

        def sync(self, *_: Any, **__: Any) -> None:
            self.n_closed += 1
    half = Half()

    def begin() -> None:
        cluster.SpecCluster._instances.add(half)
        raise error
    found = cluster.Description('farm.toml', '', 'local', {})
    with pytest.raises((KeyboardInterrupt, errors.ClqcError)):
        cluster._call(found, begin)
    cluster.SpecCluster._instances.discard(half)
    assert not half.shutdown_on_close
    assert half.n_closed == 1


def test_no_worker_can_work(clip: Path, tmp_path: Path) -> None:
    with farms.running(tmp_path / 'farm', 1,
                       **farms.without_plugin(tmp_path)) as farm:
        done = clqc('check', clip, '--out', tmp_path / 'out', '--quiet',
                    '--scheduler', farm.address, CLQC_FARM_WAIT_SECONDS='3')
    assert done.returncode == 2
    assert done.stdout.startswith(
        'clqc: no worker can measure: worker a at tcp://127.0.0.1:')
    assert 'is rejected: GStreamer does not find the plugin' in done.stdout
    assert done.stdout.count('\n') == 1
    assert 'is rejected' in (tmp_path / 'out' / 'farm.log').read_text()


def test_certificates(clip: Path, whole: Path, tmp_path: Path,
                      monkeypatch: pytest.MonkeyPatch) -> None:
    """With the certificates of Dask's configuration, the farm has the results
    of one machine. With a wrong address or without certificates, one line
    reports it."""
    certificate(tmp_path)
    with monkeypatch.context() as patch:
        tls = 'DASK_DISTRIBUTED__COMM__TLS__'
        patch.setenv(tls + 'CA_FILE', str(tmp_path / 'public.pem'))
        for who in 'SCHEDULER', 'WORKER', 'CLIENT':
            patch.setenv(f'{tls}{who}__CERT', str(tmp_path / 'public.pem'))
            patch.setenv(f'{tls}{who}__KEY', str(tmp_path / 'key.pem'))
        patch.setenv('DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION', 'true')
        with farms.running(tmp_path / 'farm', 1, 'tls') as farm:
            done = clqc('check', clip, '--out', tmp_path / 'out',
                        '--no-reports', '--scheduler', farm.address)
            assert farms.same(whole, tmp_path / 'out' / clip.name), done.stdout
            assert 'no scheduler of Dask answers at tcp://127.0.0.1:1: ' in (
                wrong(clip, tmp_path, '--scheduler', 'tcp://127.0.0.1:1'))
            patch.undo()
            assert f'no scheduler of Dask answers at {farm.address}: ' in (
                wrong(clip, tmp_path, '--scheduler', farm.address))


def test_one_worker_per_device(clip: Path, whole: Path,
                               tmp_path: Path) -> None:
    """With PoCL as a mock of several devices."""
    path = tmp_path / 'farm.toml'
    path.write_text('type = "local"\ndevices = "cpu"\n')
    done = clqc('check', clip, '--out', tmp_path / 'out', '--no-reports',
                '--cluster', path, '--parts', 3, '--quiet',
                POCL_DEVICES='pthread pthread')
    assert (done.returncode, done.stdout) == (0, '')
    assert farms.same(whole, tmp_path / 'out' / clip.name)
    assert verdict(tmp_path / 'out', clip.name)['measured']['parts'] > 1


def test_devices_of_this_machine(tmp_path: Path) -> None:
    gst.init()
    found = devices.devices('cpu')
    if not found:
        pytest.skip('there is no CPU among the OpenCL devices')
    listed = subprocess.run(
        ['clinfo', '-l'], check=False, capture_output=True,
        text=True) if shutil.which('clinfo') else None
    for device in found:
        assert device['number'] and device['name']
        assert listed is None or device['name'] in listed.stdout


def test_workers_divide_gpus_and_cores() -> None:
    uuid = '00112233445566778899aabbccddeeff'
    gpus: List[Any] = [
        {'uuid': uuid, 'number': '0.0', 'name': 'NVIDIA H100'},
        {'uuid': None, 'number': '1.0', 'name': 'Other'}]
    spec = local.specification(gpus, None, None, None, list(range(16)))
    one, other = (spec[i]['options'] for i in range(2))
    assert len(spec) == 2
    assert one['env']['GST_OPENCL_DEVICE'] == uuid
    assert one['env']['CUDA_VISIBLE_DEVICES'] == (
        'GPU-00112233-4455-6677-8899-aabbccddeeff')
    assert one['env'][worker_versions.CORES] == '0,1,2,3,4,5,6,7'
    assert one['nthreads'] == one['resources']['GPU'] == 4
    assert other['env']['GST_OPENCL_DEVICE'] == '1.0'
    assert 'CUDA_VISIBLE_DEVICES' not in other['env']
    assert other['env'][worker_versions.CORES] == '8,9,10,11,12,13,14,15'
    # without a GPU the cores count
    spec = local.specification([], None, None, None, [0, 1, 4, 5, 6])
    assert [one['options']['env'][worker_versions.CORES]
            for one in spec.values()] == [
        '0', '1,4', '5,6']
    assert all(one['options']['nthreads'] == 1 for one in spec.values())
    spec = local.specification([], 3, None, '1GiB', [7])
    assert [one['options']['env'][worker_versions.CORES]
            for one in spec.values()] == [
        '7', '7', '7']


def test_workers_must_be_alike() -> None:
    def versions(**other: Any) -> Dict[str, Any]:
        return {'clqc': __version__,
                'plugin': '1', 'gstreamer': '1.22', 'machine': 'x',
                'libraries': ['libavcodec.so.59'], 'decoders': [
                    'a 1 256', 'b 1 128'], 'device': 'D', **other}
    ours = versions(device='of another name')
    assert worker_versions.why_not(versions(), ours) is None
    for key, value, text in (
            ('plugin', '2', 'the plugin opencl 2, but 1 is required'),
            ('gstreamer', '1.24', 'GStreamer 1.24'),
            ('libraries', [], 'FFmpeg none, but libavcodec.so.59'),
            ('clqc', '0', 'clqc 0'),
            ('decoders', ['a 1 256'], 'it lacks b 1'),
            ('decoders', ['a 1 256', 'b 2 128'], 'lacks b 1, it adds b 2'),
            ('error', 'broken', 'broken')):
        assert text in str(worker_versions.why_not(
            versions(**{key: value}), ours))
    many = [versions(plugin='2'), versions(plugin='2'), versions(plugin='3'),
            versions(error='x')]
    assert worker_versions.choose(many) == versions(plugin='2')
    assert worker_versions.choose(
        [versions(error='x'), versions(clqc='0')]) is None


@pytest.mark.parametrize('kind, is_scaled', [
    ('local', False), ('ssh', False), ('slurm', True), ('kubernetes', True)])
def test_clusters_that_request_more_workers(
        kind: str, is_scaled: bool, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    """If all workers are left out, the run waits for others there."""
    made = []
    monkeypatch.setattr(cluster, 'started',
                        lambda *_: contextlib.nullcontext('here'))
    monkeypatch.setattr(options, '_ours', lambda: None)
    monkeypatch.setattr(input_check, 'CheckingFarm', lambda *arguments: (
        made.append(arguments[-1]) or mock.MagicMock()))
    path = tmp_path / 'farm.toml'
    path.write_text(f'type = "{kind}"\n')
    with options.opened(commandline._parse(
            ['check', 'x', '--out', str(tmp_path), '--cluster', str(path)])):
        assert made == [is_scaled]


@pytest.mark.parametrize('words, n_cores, has_dask, kind', [
    ([], 3, True, 'local'), ([], 2, True, None), ([], 3, False, None),
    (['--jobs', '1'], 3, True, None), (['--jobs', '4'], 3, True, None),
    (['--jobs', 'auto'], 2, True, 'local'),
    (['--parts', '2'], 3, True, 'local')])
def test_kinds_of_farms(words: List[str], n_cores: int, has_dask: bool,
                        kind: Optional[str], tmp_path: Path,
                        monkeypatch: pytest.MonkeyPatch) -> None:
    """All of this machine by default."""
    kinds = []

    @contextlib.contextmanager
    def started(found: cluster.Description, _: Any) -> Iterator[str]:
        kinds.append(found.kind)
        yield 'here'
    monkeypatch.setattr(os, 'sched_getaffinity', lambda _: range(n_cores))
    monkeypatch.setattr(options.importlib.util, 'find_spec',
                        lambda _: has_dask or None)
    monkeypatch.setattr(cluster, 'started', started)
    monkeypatch.setattr(input_check, 'CheckingFarm',
                        lambda *_: mock.MagicMock())
    arguments = commandline._parse(
        ['check', 'x', '--out', str(tmp_path), *words])
    before = dict(os.environ)
    with options.opened(arguments) as farm:
        assert (farm is not None) == (kind is not None)
        assert os.environ == before  # jobs of queues use it
    assert kinds == [kind] * (kind is not None)
