# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs that are addresses: their contents are measured like a file."""
import os
import subprocess
from pathlib import Path
from typing import Dict

import clips
import pytest
import webserver
from clqc.common import errors
from clqc.decoding import jobs
from clqc.inputs import discovery, locations
from clqc.measuring import video
from command import clqc, here, job_here, read

SETTINGS = {'events': 'black+freeze+scene'}
RESULTS = ('frames.jsonl.gz', 'events.json', 'pooled.json')

# A file system that Python finds as fsspec's `signing`, and which signs like
# s3 does, for the server below; `copying` cannot sign.
MOCK = '''
import os
import fsspec
from fsspec.implementations.local import LocalFileSystem

class Copying(LocalFileSystem):
    protocol = 'copying'
    @classmethod
    def _strip_protocol(cls, path):
        return path if '://' not in path else os.path.join(
            os.environ['MOCK'], os.path.basename(path))

class Signing(Copying):
    protocol = 'signing'
    def sign(self, path, expiration=100, **_):
        name = os.path.basename(path)
        return os.environ['MOCK_SERVER'] + f'/{name}?signature=secret'

fsspec.register_implementation('copying', Copying)
fsspec.register_implementation('signing', Signing)
'''


@pytest.fixture(scope='module', name='folder')
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('videos')
    source = f'movie={clips.SOURCE},scale=320:240,fps=25,trim=0:3'
    for extension in clips.CODECS:
        clips.make(str(folder / f'clip.{extension}'), source)
    return folder


@pytest.fixture(scope='module', name='checked')
def check_file(folder: Path, tmp_path_factory: pytest.TempPathFactory
               ) -> Path:
    out = tmp_path_factory.mktemp('out')
    here('check', folder / 'clip.mp4', '--out', out, '--no-reports')
    return out / 'clip.mp4'


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes()
               for name in RESULTS)


@pytest.mark.parametrize('extension', list(clips.CODECS))
def test_results_equal_those_of_a_file(
        extension: str, folder: Path, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, 'run', job_here)

    def measure(path: str) -> bytes:
        keys = jobs.run('', 'packets', path=path, track=None)['keys']
        plan = video.Plan(path, str(tmp_path), str(tmp_path / 'log'),
                          SETTINGS, keys, 2, 1)
        return Path(video.measure(plan).path).read_bytes()
    with webserver.serving(folder) as server:
        assert measure(f'{server.address}/clip.{extension}') == measure(
            str(folder / f'clip.{extension}'))
        assert server.requests


@pytest.mark.parametrize('has_head', [True, False])
def test_check_an_address(has_head: bool, folder: Path, checked: Path,
                          tmp_path: Path) -> None:
    with webserver.serving(folder, has_head) as server:
        address = f'{server.address}/clip.mp4?token=secret'
        done = here('check', address, '--out', tmp_path)
        assert '/1]' in done.stdout, done.stdout
        facts = read(tmp_path, 'clip.mp4', 'facts.json')
        assert same(checked, tmp_path / 'clip.mp4')
        assert facts['container']['path'] == f'{server.address}/clip.mp4'
        assert facts['container']['bytes'] == (
            folder / 'clip.mp4').stat().st_size
        for path in (tmp_path / 'clip.mp4').iterdir():
            assert b'token=secret' not in path.read_bytes(), path
        # the server's ETag says that it is unchanged
        del server.requests[:]
        here('check', address, '--out', tmp_path)
        assert len(server.requests) == (0 if has_head else 1)
        os.utime(folder / 'clip.mp4')
        here('check', address, '--out', tmp_path, '--no-reports')
        assert len(server.requests) > 1


TRUSTED = '/etc/ssl/certs/ca-certificates.crt'


def test_https(folder: Path, checked: Path, tmp_path: Path) -> None:
    """A server with an unknown certificate is refused; if this command trusts
    the certificate, it is accepted."""
    if not os.path.exists(TRUSTED):
        pytest.skip('there is no list of who is trusted')
    certificate = webserver.certificate(tmp_path, 'IP:127.0.0.1')
    with webserver.serving(folder, certificate=certificate) as server:
        address = f'{server.address}/clip.mp4'
        done = here('check', address, '--out', tmp_path)
        assert done.returncode == 2
        port = server.address.rpartition(':')[2]
        assert (f'not measured: clip.mp4: the certificate of 127.0.0.1:{port} '
                'is not trusted: self-signed certificate') in done.stdout
        before = ['unshare', '-rm', 'sh', '-c', f'mount --bind "$0" {TRUSTED} '
                  '&& exec "$@"', str(tmp_path / 'public.pem')]
        if subprocess.run([*before, 'true'], check=False).returncode:
            pytest.skip('the system trusts whom it trusts')
        done = clqc('check', address, '--out', tmp_path, '--no-reports',
                    before=before, SSL_CERT_FILE=str(tmp_path / 'public.pem'))
        assert done.returncode == 0, done.stdout
        assert same(checked, tmp_path / 'clip.mp4')
        assert server.requests


def test_unreadable_addresses(tmp_path: Path) -> None:
    with webserver.serving(tmp_path) as server:
        for address, text in (
                (f'{server.address}/none.mp4',
                 ' has no stream or file at this path'),
                ('http://127.0.0.1:1/none.mp4',
                 '127.0.0.1:1 refuses the connection: no program listens '
                 'there'),
                (server.address.replace('http:', 'https:') + '/none.mp4',
                 ' does not use TLS, which https:// needs'),
                ('nosuch://bucket/clip.mp4', 'nosuch')):
            done = here('check', address, '--out', tmp_path / 'out')
            assert done.returncode == 2
            assert text in done.stdout, done.stdout
            assert len(done.stdout.splitlines()) == 2, done.stdout


def test_names() -> None:
    find = discovery.find
    assert find(['http://h/a/My%20clip.mp4?x=/y'])[0].name == 'My clip.mp4'
    assert find(['s3://bucket/deep/%2Fclip.mp4'])[0].name == '_clip.mp4'
    with pytest.raises(errors.ClqcError,
                       match='^http://...: not an address: '):
        find(['http://me:secret@[::1/clip.mp4'])
    with pytest.raises(errors.ClqcError, match='without a file name'):
        find(['http://host/folder/'])
    with pytest.raises(errors.ClqcError, match='http://h/b/c.mp4 would both'):
        find(['http://h/a/c.mp4', 'http://u:secret@h/b/c.mp4?secret'])
    assert len(find(['http://h/c.mp4', 'http://h/c.mp4'])) == 1
    assert locations.shown('s3://u:p@h/x?y#z') == 's3://h/x'


def test_messages_hide_secrets() -> None:
    address = 'http://me:pass%20word@h/x.mp4?token=sec%2Fret&n=1'
    for text, hidden in (
            (f'{address}: not found', 'http://h/x.mp4: not found'),
            ('GET /x.mp4?token=sec%2Fret&n=1 at h', 'GET /x.mp4?*** at h'),
            ('n=1&token=sec/ret', 'n=1&token=***'),
            ('Basic pass word 1', 'Basic *** 1')):
        assert locations.hidden(text, address) == hidden
    assert locations.hidden('/a/b?c=defg: gone', '/a/b?c=defg') == (
        '/a/b?c=defg: gone')


@pytest.mark.parametrize('scheme', ['signing', 'copying'])
def test_schemes_of_fsspec(scheme: str, folder: Path, checked: Path,
                           tmp_path: Path) -> None:
    pytest.importorskip('fsspec')
    (tmp_path / 'sitecustomize.py').write_text(MOCK)
    with webserver.serving(folder) as server:
        settings: Dict[str, str] = {
            'PYTHONPATH': os.pathsep.join([str(tmp_path),
                                           os.environ['PYTHONPATH']]),
            'MOCK': str(folder), 'MOCK_SERVER': server.address}
        done = clqc('check', f'{scheme}://bucket/clip.mp4', '--out',
                    tmp_path / 'out', **settings)
        assert '/1]' in done.stdout, done.stdout
        assert bool(server.requests) == (scheme == 'signing')
    assert same(checked, tmp_path / 'out' / 'clip.mp4')
    facts = read(tmp_path, 'out', 'clip.mp4', 'facts.json')
    assert facts['container']['path'] == f'{scheme}://bucket/clip.mp4'
    for path in (tmp_path / 'out' / 'clip.mp4').iterdir():
        assert b'signature=secret' not in path.read_bytes(), path
