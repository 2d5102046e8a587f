# SPDX-License-Identifier: LGPL-2.1-or-later
"""A file server on the loopback interface with support for ranges, like
servers of videos."""
import contextlib
import http.server
import os
import re
import shutil
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    folder: Path
    requests: List[str]
    has_head = True

    def log_message(self, *_: Any) -> None:
        """Disables the log."""

    def _answer(self, status: int, size: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(size))
        self.end_headers()

    def _path(self) -> Path:
        return self.folder / self.path.split('?')[0].lstrip('/')

    def _headers(self, path: Path) -> Dict[str, str]:
        status = path.stat()
        return {'Accept_Ranges': 'bytes',
                'ETag': f'"{status.st_size}-{status.st_mtime_ns}"'}

    def do_HEAD(self) -> None:
        path = self._path()
        if not self.has_head or not path.is_file():
            self._answer(404 if self.has_head else 405, 0)
            return
        self._answer(200, path.stat().st_size, **self._headers(path))

    def do_GET(self) -> None:
        path = self._path()
        self.requests.append(self.path)
        if not path.is_file():
            self._answer(404, 0)
            return
        data = path.read_bytes()
        headers = self._headers(path)
        found = re.match(r'bytes=(\d+)-(\d*)', self.headers['Range'] or '')
        if found:
            start = int(found[1])
            end = min(int(found[2] or len(data)), len(data) - 1)
            headers['Content_Range'] = f'bytes {start}-{end}/{len(data)}'
            data = data[start:end + 1]
        self._answer(206 if found else 200, len(data), **headers)
        self.wfile.write(data)

    def handle(self) -> None:
        # A client that has enough closes the connection.
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            super().handle()


def certificate(folder: Path, name: str = 'DNS:localhost') -> str:
    """Creates a certificate of the host localhost that signs itself, for an
    alternative name: public.pem, key.pem, and both.pem, whose path it
    returns. Skips the test without openssl."""
    if not shutil.which('openssl'):
        pytest.skip('there is no openssl')
    public, key = folder / 'public.pem', folder / 'key.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days',
         '2', '-subj', '/CN=localhost', '-addext', f'subjectAltName={name}',
         '-keyout', key, '-out', public], check=True, capture_output=True)
    (folder / 'both.pem').write_text(public.read_text() + key.read_text())
    return str(folder / 'both.pem')


@contextlib.contextmanager
def serving(folder: Any, has_head: bool = True,
            certificate: Optional[str] = None) -> Iterator[Any]:
    """Serves a folder; yields the server, with its `address` and its list of
    `requests`. @certificate: a file with a certificate and its key, for
    https."""
    requests: List[str] = []
    handler = type('Handler', (_Handler,), {
        'folder': Path(os.fspath(folder)), 'requests': requests,
        'has_head': has_head})
    server: Any = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.address = (f'{"https" if certificate else "http"}://127.0.0.1:'
                      f'{server.server_port}')
    server.requests = requests
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
