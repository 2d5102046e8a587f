# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs in buckets: s3fs reads them from a server of moto on the loopback
interface, and a farm gets addresses that s3fs signs."""
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Dict, Iterator

import clips
import pytest
from command import clqc, read

s3fs = pytest.importorskip('s3fs')
pytest.importorskip('moto')
pytest.importorskip('distributed')
import farms  # noqa: E402

SECRET = 'of-nobody-else'


class Store:
    """A server, with a bucket named `archive`."""

    def __init__(self, folder: Path) -> None:
        port = farms.free_port()
        self.address = f'http://127.0.0.1:{port}'
        self.log = folder / 'log'
        self.settings: Dict[str, str] = {
            'AWS_ENDPOINT_URL': self.address,
            'AWS_DEFAULT_REGION': 'us-east-1', 'AWS_ACCESS_KEY_ID': 'tester',
            'AWS_SECRET_ACCESS_KEY': SECRET}
        with self.log.open('wb') as log:
            # pylint: disable-next=consider-using-with
            self.process = subprocess.Popen(
                [sys.executable, '-m', 'moto.server', '-H', '127.0.0.1', '-p',
                 str(port)], stdout=log, stderr=log)
        farms.until(self._answers)
        self.system = s3fs.S3FileSystem(
            key='tester', secret=SECRET, endpoint_url=self.address)
        self.system.mkdir('archive')

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            with urllib.request.urlopen(self.address, timeout=60):
                return True
        except urllib.error.URLError:
            return False

    def reads(self) -> int:
        """Returns how often a client without a key has read by a signature."""
        return self.log.read_text().count('&Signature=')


@pytest.fixture(scope='module', name='store')
def start_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp('store'))
    yield store
    store.process.kill()
    store.process.wait()


@pytest.fixture(scope='module', name='clip')
def make_clip(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    clip = Path(clips.make(str(tmp_path_factory.mktemp('clip') / 'clip.mp4'),
                           sound='sine=d=16'))
    store.system.put(str(clip), 'archive/2024/clip.mp4')
    return clip


@pytest.fixture(scope='module', name='whole')
def check_here(clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp('whole')
    clqc('check', clip, '--out', out, '--no-reports')
    return out / clip.name


def test_a_bucket(clip: Path, whole: Path, store: Store,
                  tmp_path: Path) -> None:
    before = store.reads()
    with farms.running(tmp_path / 'farm', 2, **store.settings) as farm:
        done = clqc('check', 's3://archive/2024/clip.mp4', '--out',
                    tmp_path / 'out', '--scheduler', farm.address, '--parts',
                    4, '--no-reports', **store.settings)
    out = tmp_path / 'out' / clip.name
    assert done.returncode == 1, done.stdout
    assert farms.same(whole, out, ['facts.json'])
    facts = read(out, 'facts.json')
    assert facts['measured']['parts'] == 4
    assert facts['container']['path'] == 's3://archive/2024/clip.mp4'
    assert facts['container']['bytes'] == clip.stat().st_size
    assert store.reads() > before
    for path in tmp_path.rglob('*'):
        if path.is_file():
            assert b'Signature=' not in path.read_bytes(), path
    # by its ETag it is unchanged at a second start
    before = store.reads()
    clqc('check', 's3://archive/2024/clip.mp4', '--out', tmp_path / 'out',
         '--no-reports', **store.settings)
    assert store.reads() == before
    store.system.put(clips.make(str(tmp_path / 'clip.mp4')),
                     'archive/2024/clip.mp4')
    clqc('check', 's3://archive/2024/clip.mp4', '--out', tmp_path / 'out',
         '--no-reports', **store.settings)
    assert store.reads() > before


def test_missing_bucket(store: Store, tmp_path: Path) -> None:
    done = clqc('check', 's3://archive/none.mp4', '--out', tmp_path / 'out',
                **store.settings)
    assert done.returncode == 2
    assert 'none.mp4: FileNotFoundError: ' in done.stdout
