# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why a server cannot be used, in one sentence for each cause. Libraries
report few causes: if they do not, probe() connects once more and finds the
cause."""
import errno
import re
import socket
import ssl
import threading
import urllib.request
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import urlsplit

# {at}: host and port; {host}; {detail}: of the library; {other}: the scheme
# with TLS.
SENTENCES: Dict[str, str] = {
    'name': '{host} is not the name of a host',
    'no-names': 'no name server answers for {host}',
    'refused': '{at} refuses the connection: no program listens there',
    'no-route': 'the network has no route to {at}',
    'no-answer': '{at} does not answer',
    'no-tls': '{at} does not use TLS, which {scheme}:// needs',
    'tls': '{at} uses TLS, which needs {other}://',
    'tls-failed': 'TLS with {at} fails: {detail}',
    'untrusted': 'the certificate of {at} is not trusted: {detail}',
    'expired': 'the certificate of {at} has expired',
    'other-name': 'the certificate of {at} is for another name',
    'no-user': '{at} requires a user name and a password',
    'user': '{at} refuses the user name or the password',
    'forbidden': '{at} does not permit access',
    'absent': '{at} has no stream or file at this path',
    'status': '{at} answers with the error {detail}',
    'no-passphrase': '{at} requires a passphrase, or has none',
    'passphrase': '{at} refuses the passphrase',
    'taken': '{detail} uses port {port} of {host} and does not share it',
    'foreign': '{host} is not an address of this machine',
    'busy': '{at} does not accept connections at present',
    'no-data': 'no data arrives from {at}',
    'no-parts': 'the playlist of {at} names no new parts',
    'lost-part': '{at} does not have the parts that its playlist names: '
                 'error {detail}',
    'no-sender': 'no data arrives at UDP port {port} of {host}',
    'shared': 'no data arrives at UDP port {port} of {host}: {detail} reads '
              'it, too, and only one of them gets the datagrams',
    'no-caller': 'no sender connects to SRT port {port}',
    'no-listener': 'no sender answers over SRT at {at}',
}

# Texts of GStreamer and its libraries, and the cause.
_TEXTS: Tuple[Tuple[str, str], ...] = (
    (r'Address already in use|Cannot bind to \S+ - ', 'taken'),
    (r'Cannot assign requested address', 'foreign'),
    (r'Error resolving .*Temporary failure', 'no-names'),
    (r'Error resolving |Failed to resolve host', 'name'),
    (r'Connection refused', 'refused'),
    (r'No route to host|Network is unreachable', 'no-route'),
    (r'Incorrect passphrase', 'passphrase'),
    (r'Password required or unexpected', 'no-passphrase'),
)

# Codes of HTTP and RTSP.
_STATUSES = {401: 'user', 403: 'forbidden', 404: 'absent', 407: 'user',
             410: 'absent', 454: 'absent'}

# Answers of a broker of MQTT 3, and of one of MQTT 5.
_ANSWERS = {3: 'busy', 4: 'user', 5: 'user', 134: 'user', 135: 'user',
            136: 'busy'}

# Results of X509_verify_cert().
_CERTIFICATES = {10: 'expired', 62: 'other-name', 64: 'other-name'}

# OpenSSL's reasons for an answer that is not TLS.
_NOT_TLS = re.compile('WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|HTTP_REQUEST|'
                      'EOF|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE')

_ERRORS = {errno.ECONNREFUSED: 'refused', errno.EHOSTUNREACH: 'no-route',
           errno.ENETUNREACH: 'no-route', errno.ETIMEDOUT: 'no-answer'}

# Port, and the scheme with TLS; '' if it is this one.
_SCHEMES: Dict[str, Tuple[int, str]] = {
    'http': (80, 'https'), 'https': (443, ''), 'rtmp': (1935, 'rtmps'),
    'rtmps': (443, ''), 'rtsp': (554, 'rtsps'), 'rtsps': (322, ''),
    'rtspt': (554, 'rtspst'), 'rtspst': (322, ''), 'rtspu': (554, 'rtspsu'),
    'rtspsu': (322, ''), 'rtsph': (554, 'rtspsh'), 'rtspsh': (322, ''),
    'mqtt': (1883, 'mqtts'), 'mqtts': (8883, '')}

_DATAGRAMS = ('udp', 'rtp', 'srt')

# A process that is not known.
ANOTHER = 'another process'

# Addresses of all interfaces of this machine.
ANY = ('0.0.0.0', '::')

# Time limit of a probe in seconds, for each of its steps.
PROBE_SECONDS = 2.0


@dataclass(frozen=True)
class Address:
    """Where a server or a sender is."""
    scheme: str
    host: str
    port: int
    has_user: bool = False
    authorities: Optional[str] = None  # file of certificates

    @property
    def at(self) -> str:
        """Returns host and port for people."""
        host = f'[{self.host}]' if ':' in self.host else self.host
        return f'{host}:{self.port}'

    @property
    def shown_host(self) -> str:
        """Returns the host for people."""
        return 'this machine' if self.host in ('', *ANY) else self.host

    @property
    def is_of_datagrams(self) -> bool:
        """Returns whether there is no connection that a server accepts."""
        return self.scheme in _DATAGRAMS

    @property
    def is_secure(self) -> bool:
        """Returns whether the scheme has TLS."""
        return self.scheme in _SCHEMES and not _SCHEMES[self.scheme][1]

    def because(self, cause: str, detail: str = '') -> str:
        """Returns the sentence of a cause."""
        if cause == 'user' and not self.has_user:
            cause = 'no-user'
        other = _SCHEMES.get(self.scheme, (0, ''))[1]
        return SENTENCES[cause].format(
            at=self.at, host=self.shown_host, port=self.port,
            scheme=self.scheme, other=other, detail=detail)


def address(uri: str) -> Optional[Address]:
    """Returns the address in a URI; None if it has none that is known."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    usual = _SCHEMES.get(scheme, (0, ''))[0]
    if scheme not in (*_SCHEMES, *_DATAGRAMS) or not (port or usual):
        return None
    if scheme in _SCHEMES and not parts.hostname:
        return None
    return Address(scheme, parts.hostname or '', port or usual,
                   parts.username is not None)


def of_status(status: int, reason: str, where: Address) -> str:
    """Returns the sentence for a status of HTTP or RTSP and its text."""
    return where.because(_STATUSES.get(status, 'status'),
                         f'{status} {reason}'.strip())


def of_answer(code: Any, where: Address) -> str:
    """Returns the sentence for the answer of a broker that refuses: a number,
    or an object of paho-mqtt 2."""
    cause = _ANSWERS.get(getattr(code, 'value', code))
    return where.because(cause) if cause else (
        f'{where.at} refuses the connection: {code}')


def of_text(text: str, where: Address) -> Optional[str]:
    """Returns the sentence for a message of a library, if its cause is known.
    """
    for pattern, cause in _TEXTS:
        if re.search(pattern, text):
            return where.because(cause, ANOTHER)
    return None


def _of_tls(error: ssl.SSLError, where: Address) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return where.because(
            _CERTIFICATES.get(error.verify_code, 'untrusted'),
            error.verify_message)
    reason = str(error.reason or error)
    if _NOT_TLS.search(reason):
        return where.because('no-tls')
    return where.because('tls-failed', reason.lower().replace('_', ' '))


def of_error(error: BaseException, where: Address) -> Optional[str]:
    """Returns the sentence for an error of a connection, if its cause is
    known."""
    if isinstance(error, ssl.SSLError):
        return _of_tls(error, where)
    if isinstance(error, socket.gaierror):
        return where.because('no-names' if error.errno == socket.EAI_AGAIN
                             else 'name')
    if isinstance(error, TimeoutError):
        return where.because('no-answer')
    cause = _ERRORS.get(getattr(error, 'errno', None) or 0)
    if cause:
        return where.because(cause)
    if isinstance(error, ConnectionError) and where.is_secure:
        return where.because('no-tls')  # it has closed the connection
    return None


def _resolved(where: Address, seconds: float) -> Optional[str]:
    """Returns why the name has no address. The library has no time limit."""
    found: List[Any] = []

    def resolve() -> None:
        try:
            found.append(socket.getaddrinfo(where.host, where.port))
        except OSError as error:
            found.append(error)
    thread = threading.Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(seconds)
    if not found:
        return where.because('no-names')
    return of_error(found[0], where) if isinstance(
        found[0], OSError) else None


def _is_tls(where: Address, seconds: float) -> bool:
    """Returns whether a server without TLS by its scheme has TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with socket.create_connection((where.host, where.port),
                                      seconds) as connection:
            with context.wrap_socket(connection,
                                     server_hostname=where.host):
                return True
    except (OSError, ValueError):
        return False


def _uses_proxy(where: Address) -> bool:
    """Returns whether HTTP goes through a proxy, which this does not test."""
    return where.scheme in ('http', 'https') and (
        where.scheme in urllib.request.getproxies()
        and not urllib.request.proxy_bypass(where.host))


def probe(where: Address, seconds: float = PROBE_SECONDS) -> Optional[str]:
    """Connects once. Returns why the server cannot be used; None if it can, as
    far as TLS and the layers below are concerned."""
    if where.host and not _uses_proxy(where):
        why = _resolved(where, seconds)
        if why or where.is_of_datagrams:
            return why
        try:
            with socket.create_connection((where.host, where.port),
                                          seconds) as connection:
                if where.is_secure:
                    context = ssl.create_default_context(
                        cafile=where.authorities)
                    with context.wrap_socket(connection,
                                             server_hostname=where.host):
                        return None
        except (OSError, ValueError) as error:
            return of_error(error, where)
        if _is_tls(where, seconds):
            return where.because('tls')
    return None
