# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why a server cannot be used: each cause has one sentence, on servers of this
machine and without GStreamer."""
import contextlib
import errno
import shutil
import socket
import ssl
import subprocess
import threading
import urllib.request
from types import SimpleNamespace

import live
import pytest
from webserver import certificate

from clqc.common.network_errors import (
    Address, address, of_answer, of_error, of_status, of_text, probe)
from clqc.live.sources import udp_ports


@contextlib.contextmanager
def server(answer):
    """Listens; @answer gets each connection in a thread. Yields the port."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        over = []

        def serve():
            while True:
                connection, _ = listener.accept()
                if over:
                    connection.close()
                    return
                with connection, contextlib.suppress(OSError):
                    answer(connection)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        yield port
        over.append(True)
        socket.create_connection(('127.0.0.1', port)).close()
        thread.join(live.GUARD)


def plain(connection):
    """A server without TLS, which refuses what it does not understand."""
    connection.recv(4096)
    connection.sendall(b'HTTP/1.0 400 Bad Request\r\n\r\n')


def closing(connection):
    connection.recv(1)


@pytest.fixture(scope='module', name='certificates')
def _certificates(tmp_path_factory):
    """Certificates by kind: a file with the certificate and its key."""
    return {kind: certificate(tmp_path_factory.mktemp(kind), f'DNS:{host}')
            for kind, host in (('right', 'localhost'),
                               ('other', 'other.example'))}


def with_tls(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def answer(connection):
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(1)
    return answer


SECURE, OPEN = ['https', 'rtsps', 'rtmps', 'mqtts'], [
    'http', 'rtsp', 'rtmp', 'mqtt']


@pytest.mark.parametrize('scheme', SECURE + OPEN)
def test_refused_port(scheme):
    port = live.free_port()
    where = address(f'{scheme}://127.0.0.1:{port}/x')
    assert probe(where) == (
        f'127.0.0.1:{port} refuses the connection: no program listens there')


@pytest.mark.parametrize('scheme', SECURE)
@pytest.mark.parametrize('answer', [plain, closing])
def test_server_without_tls(scheme, answer):
    with server(answer) as port:
        where = address(f'{scheme}://127.0.0.1:{port}/x')
        assert probe(where) == (
            f'127.0.0.1:{port} does not use TLS, which {scheme}:// needs')


@pytest.mark.parametrize('scheme', OPEN)
def test_server_with_tls(scheme, certificates):
    with server(with_tls(certificates['right'])) as port:
        where = address(f'{scheme}://127.0.0.1:{port}/x')
        assert probe(where) == (
            f'127.0.0.1:{port} uses TLS, which needs {scheme}s://')


@pytest.mark.parametrize('scheme', OPEN)
def test_server_that_is_right(scheme):
    """The probe accuses no server that works."""
    with server(plain) as port:
        where = address(f'{scheme}://127.0.0.1:{port}/x')
        assert probe(where) is None


@pytest.mark.parametrize('kind, trusts, sentence', [
    ('right', None, 'the certificate of {} is not trusted: self-signed '
     'certificate'),
    ('right', 'right', None),
    ('other', 'other', 'the certificate of {} is for another name')])
def test_certificates(certificates, kind, trusts, sentence):
    with server(with_tls(certificates[kind])) as port:
        where = Address('mqtts', 'localhost', port,
                        authorities=certificates.get(trusts))
        assert probe(where) == (
            sentence and sentence.format(f'localhost:{port}'))


def test_expired_certificate():
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = 10, 'certificate has expired'
    assert of_error(error, address('https://tv/x')) == (
        'the certificate of tv:443 has expired')


def test_tls_without_a_common_version():
    error = ssl.SSLError()
    error.reason = 'TLSV1_ALERT_PROTOCOL_VERSION'
    assert of_error(error, address('https://tv/x')) == (
        'TLS with tv:443 fails: tlsv1 alert protocol version')


@pytest.mark.parametrize('code, sentence', [
    (socket.EAI_NONAME, 'camera.invalid is not the name of a host'),
    (socket.EAI_AGAIN, 'no name server answers for camera.invalid')])
@pytest.mark.parametrize('scheme', ['rtsp', 'https', 'udp', 'srt'])
def test_names(monkeypatch, scheme, code, sentence):
    def fail(*_):
        raise socket.gaierror(code, 'no')
    monkeypatch.setattr(socket, 'getaddrinfo', fail)
    assert probe(address(f'{scheme}://camera.invalid:5000/x')) == sentence


def test_name_server_that_does_not_answer(monkeypatch):
    """The library waits for longer than the probe."""
    over = threading.Event()
    monkeypatch.setattr(socket, 'getaddrinfo', lambda *_: over.wait())
    where = address('rtsp://camera/1')
    assert probe(where, 0.01) == 'no name server answers for camera'
    over.set()


@pytest.mark.parametrize('error, sentence', [
    (TimeoutError(), 'camera:554 does not answer'),
    (OSError(errno.ETIMEDOUT, ''), 'camera:554 does not answer'),
    (OSError(errno.EHOSTUNREACH, ''),
     'the network has no route to camera:554'),
    (OSError(errno.ENETUNREACH, ''),
     'the network has no route to camera:554'),
    (OSError(errno.EIO, ''), None)])
def test_errors_of_the_network(error, sentence):
    assert of_error(error, address('rtsp://camera/1')) == sentence


def test_proxy_is_not_probed(monkeypatch):
    """The server behind it may be reachable through it alone."""
    monkeypatch.setattr(urllib.request, 'getproxies',
                        lambda: {'http': 'http://proxy'})
    assert probe(address(f'http://127.0.0.1:{live.free_port()}/x')) is None


@pytest.mark.parametrize('uri, status, sentence', [
    ('rtsp://camera/1', 401, 'camera:554 requires a user name and a password'),
    ('rtsp://me:pw@camera/1', 401,
     'camera:554 refuses the user name or the password'),
    ('http://tv/1', 403, 'tv:80 does not permit access'),
    ('https://tv:8443/1', 404, 'tv:8443 has no stream or file at this path'),
    ('rtsp://[fe80::1]/1', 404,
     '[fe80::1]:554 has no stream or file at this path'),
    ('http://tv/1', 500, 'tv:80 answers with the error 500 Oops')])
def test_statuses(uri, status, sentence):
    assert of_status(status, 'Oops', address(uri)) == sentence


# Messages of GStreamer 1.22, GLib 2.74 and libsrt 1.5.
@pytest.mark.parametrize('uri, text, sentence', [
    ('udp://127.0.0.1:5004', 'bind failed: Error binding to address '
     '127.0.0.1:5004: Address already in use',
     'another process uses port 5004 of 127.0.0.1 and does not share it'),
    ('srt://:7001?mode=listener', 'Failed to open SRT: Cannot bind to '
     '0.0.0.0:7001 - Connection setup failure: unable to create/configure '
     'SRT socket',
     'another process uses port 7001 of this machine and does not share it'),
    ('udp://10.9.9.9:5004', 'bind failed: Error binding to address '
     '10.9.9.9:5004: Cannot assign requested address',
     '10.9.9.9 is not an address of this machine'),
    ('srt://tv.invalid:7001', "Failed to open SRT: Failed to resolve host "
     "'tv.invalid': Error resolving “tv.invalid”: Name or service not known",
     'tv.invalid is not the name of a host'),
    ('rtmp://tv.invalid/a', 'Failed to connect: Error resolving “tv.invalid”: '
     'Temporary failure in name resolution',
     'no name server answers for tv.invalid'),
    ('rtmp://127.0.0.1/a', 'Connection refused: Could not connect to '
     '127.0.0.1: Connection refused',
     '127.0.0.1:1935 refuses the connection: no program listens there'),
    ('srt://tv:7001', 'Failed to authenticate: Incorrect passphrase. Trying '
     'to reconnect', 'tv:7001 refuses the passphrase'),
    ('srt://tv:7001', 'Failed to authenticate: Password required or '
     'unexpected. Trying to reconnect',
     'tv:7001 requires a passphrase, or has none'),
    ('rtsp://tv/1', 'Failed to connect. (Generic error)', None)])
def test_texts(uri, text, sentence):
    assert of_text(text, address(uri)) == sentence


@pytest.mark.parametrize('uri', [
    'file:///a', 'v4l2:///dev/video0', 'fd://3', 'rtsp:///x', 'udp://host',
    'rtsp://[::1', 'rtsp://h:x/', 'testbin://video'])
def test_uris_without_an_address(uri):
    assert address(uri) is None


@pytest.mark.parametrize('code, sentence', [
    (5, 'h:1883 requires a user name and a password'),
    (4, 'h:1883 requires a user name and a password'),
    (3, 'h:1883 does not accept connections at present'),
    (1, 'h:1883 refuses the connection: 1'),
    (SimpleNamespace(value=135), 'h:1883 requires a user name and a '
     'password')])
def test_answers_of_brokers(code, sentence):
    assert of_answer(code, address('mqtt://h')) == sentence


# --- UDP --------------------------------------------------------------------

def bound(host='127.0.0.1', port=0):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT:
        one.setsockopt(socket.SOL_SOCKET, option, 1)
    one.bind((host, port))
    return one


def of_port(port):
    """Returns the sentence for a UDP port."""
    uri = f'udp://127.0.0.1:{port}'
    return udp_ports.without_data(uri, address(uri))


def test_port_without_a_sender():
    with bound() as one:
        port = one.getsockname()[1]
        assert of_port(port) == (
            f'no data arrives at UDP port {port} of 127.0.0.1')


@pytest.mark.parametrize('host', ['127.0.0.1', '0.0.0.0'])
def test_port_that_another_process_reads(host):
    """It is named."""
    with bound() as one:
        port = one.getsockname()[1]
        code = ('import socket, sys\n'
                's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n'
                's.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n'
                's.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n'
                f's.bind(({host!r}, {port}))\nprint(flush=True)\n'
                'sys.stdin.read()')
        with live.Process(shutil.which('python3'), '-c', code,
                          stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
            other.process.stdout.readline()
            said = of_port(port)
            assert f' (process {other.process.pid}) reads it, too' in said
            # the port of RTCP is next to that of RTP
            uri = f'rtp://127.0.0.1:{port - 1}'
            assert udp_ports.without_data(uri, address(uri)) == said
            # all readers of a group get its datagrams
            uri = f'udp://239.1.1.1:{port}'
            assert udp_ports.without_data(uri, address(uri)) == (
                f'no data arrives at UDP port {port} of 239.1.1.1')
    assert 'reads it' not in of_port(port)


@pytest.mark.parametrize('uri, sentence', [
    ('srt://tv:7001', 'no sender answers over SRT at tv:7001'),
    ('srt://:7001?mode=listener', 'no sender connects to SRT port 7001'),
    ('rtsp://tv/1', None), ('fifo:///x', None)])
def test_other_sources_without_data(uri, sentence):
    assert udp_ports.without_data(uri, address(uri)) == sentence
