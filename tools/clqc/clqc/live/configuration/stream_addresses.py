# SPDX-License-Identifier: LGPL-2.1-or-later
"""The streams that a user names: their names, their URIs, and the secret parts
of URIs."""
import os
import re
import stat
from dataclasses import dataclass, replace
from typing import List, Sequence, Set, Tuple
from urllib.parse import quote, unquote, urlsplit

from clqc.common import printable
from clqc.common.errors import ClqcError
from clqc.inputs import discovery
from clqc.live.configuration import credentials

_SCHEME = re.compile(r'^[A-Za-z][A-Za-z0-9+.-]*:')
_NAMED = re.compile(r'^([A-Za-z0-9][A-Za-z0-9_.-]*)=(.+)$', re.DOTALL)
_UNFIT = re.compile(r'[^A-Za-z0-9_-]+')
_LONGEST = 60  # characters of a name that is derived from a URI

# Keys of queries whose values are secret: SRT, HLS, RTMP, cloud storage.
_SECRET_KEYS = re.compile(
    r'([?&;\s][^=?&;#\s]*(?:pass|pwd|token|auth|key|secret|sig|credential|'
    r'hash|hdn|streamid)[^=?&;#\s]*=)([^&;#\s]+)', re.IGNORECASE)

# USER:PASSWORD@ with or without a scheme; a password may have / ? # in it by
# mistake, and what may be a port followed by a path is none.
_USER_INFO = re.compile(
    r'((?<!/)//[^\s/?#:@\[]*|^[^\s/?#:@\[]+):'
    r'(?!/)([^\s/?#]*(?=@)|(?!\d*[/?#])[^\s@]*)@')


@dataclass(frozen=True)
class Stream:
    """A watched stream."""
    name: str  # letters, digits, `_`, `.`, `-`: fit for topics and labels
    uri: str   # URI for GStreamer
    is_file: bool = False  # it has an end and is not reopened after it
    path: str = ''  # of a file, FIFO, device or session description
    is_hidden: bool = False  # the path of its URI is secret, too

    @property
    def is_card(self) -> bool:
        """Returns whether the source is a device of this machine."""
        return self.uri.startswith('v4l2:')

    @property
    def shown(self) -> str:
        """Returns the URI without its secrets."""
        if self.is_hidden and not self.path:
            head = _HEAD.match(self.uri)
            return masked(f'{head[0] if head else ""}/***')
        return masked(self.uri)

    @property
    def secrets(self) -> List[str]:
        """Returns what no message may contain."""
        return secrets(self.uri, self.is_hidden and not self.path)

    def opened(self) -> 'Stream':
        """Returns the stream with the URI of what is at its path now. Raises
        ClqcError if nothing there can be opened."""
        if not self.path:
            return self
        why = _why_not(self.path)
        if why:
            raise ClqcError(f'{printable.line(self.path)}: {why}')
        uri, is_file = _kind(self.path)
        return replace(self, uri=uri, is_file=is_file)


def masked(text: str) -> str:
    """Returns a text with the passwords of its URIs masked."""
    return _SECRET_KEYS.sub(r'\1***', _USER_INFO.sub(r'\1:***@', text))


# The scheme of a URI and its host.
_HEAD = re.compile('^[^:]*:(//[^/?#]*)?')

# Parts of a hidden path with fewer characters are ordinary words.
_LEAST_HIDDEN = 8


def _hidden_parts(uri: str) -> Set[str]:
    """Returns the path and the query of a URI, with and without the host, and
    their long parts."""
    head = _HEAD.match(uri)
    rest = uri[head.end():] if head else uri
    host = head[0].rpartition('/')[2].rpartition('@')[2] if head else ''
    found = {host + rest} if rest.strip('/') else set()
    return found | {part for part in (rest, *re.split('[/?#&;=]', rest))
                    if len(part) >= _LEAST_HIDDEN}


def secrets(uri: str, is_hidden: bool = False) -> List[str]:
    """Returns the passwords in a URI, in every form that a message may
    contain; if it is hidden, also its path and its query."""
    found: Set[str] = _hidden_parts(uri) if is_hidden else set()
    for match in _USER_INFO.finditer(uri):
        found.add(match[2])
    for match in _SECRET_KEYS.finditer(uri):
        found.add(match[2])
    found |= {unquote(secret) for secret in found}
    # Shorter ones also occur in ordinary words.
    return sorted((secret for secret in found if len(secret) > 3), key=len,
                  reverse=True)


def without(hidden: Sequence[str], text: str) -> str:
    """Returns a text without any of secrets()."""
    for secret in hidden:
        text = text.replace(secret, '***')
    return text


def _why_not(path: str) -> str:
    """Returns why a path cannot be opened; empty if it can."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return 'no such file'
    except OSError as error:
        return error.strerror or str(error)
    except ValueError as error:  # a NUL character
        return str(error)
    if not discovery.is_utf8(path):
        return discovery.NOT_UTF8
    if stat.S_ISDIR(mode):
        return 'a folder, not a file'
    return '' if os.access(path, os.R_OK) else 'permission denied'


def _is_of_cards(path: str) -> bool:
    """Returns whether a path has the name of a capture device, which may be
    unplugged; or is a link to one."""
    target = os.path.realpath(path) if os.path.exists(path) else path
    return target.startswith(('/dev/video', '/dev/v4l/'))


def _kind(path: str) -> Tuple[str, bool]:
    """Returns the URI of an absolute path, and whether it is a file with an
    end: by what is there, or by the name if nothing is."""
    # Names that are not UTF-8 are shown, but never opened.
    text = path if discovery.is_utf8(path) else quote(os.fsencode(path))
    if path.endswith('.sdp'):
        return 'sdp://' + text, False
    if not os.path.isfile(path):
        if _is_of_cards(path):
            return 'v4l2://' + text, False
        if os.path.exists(path) and not os.path.isdir(path):
            return 'fifo://' + quote(os.fsencode(path)), False
    return 'file://' + quote(os.fsencode(path)), True


def _of_path(path: str, folder: str = '') -> Stream:
    """Returns the stream of a file, a FIFO, a device or a session description.
    It may be missing now."""
    whole = os.path.abspath(os.path.join(folder, path))
    if not os.path.exists(whole):
        name, is_named, rest = path.partition('=')
        if is_named and (_SCHEME.match(rest) or rest.startswith('/')
                         or os.path.exists(rest)):
            raise ClqcError(f'{name!r} is not a name of a stream, which has '
                            'ASCII letters, digits, _ . -')
        if masked(path) != path:
            raise ClqcError(f'{masked(path)}: no such file; a URI has a '
                            'scheme, as in rtsp://HOST/PATH or '
                            'udp://0.0.0.0:5004')
    return Stream('', *_kind(whole), whole)


def of_address(name: str, address: str, is_hidden: bool = False,
               folder: str = '') -> Stream:
    """Returns the stream of a URI, or of a path in a folder. Raises
    ClqcError."""
    stream = _of_uri(address) if _SCHEME.match(address) else (
        _of_path(address, folder))
    return replace(stream, name=name, is_hidden=is_hidden)


def _of_uri(uri: str) -> Stream:
    if uri.startswith('file://'):
        return _of_path(unquote(uri.removeprefix('file://')))
    return Stream('', uri)


def _fit(text: str) -> str:
    """Returns a text as a name of a stream; it may be empty."""
    return _UNFIT.sub('-', text).strip('-')[:_LONGEST]


def _derived(uri: str) -> str:
    """Returns a name derived from the source without its secrets. Raises
    ClqcError."""
    try:
        parts = urlsplit(masked(uri))
    except ValueError as error:
        why = without(secrets(uri), str(error))
        raise ClqcError(f'{masked(uri)}: not a URI: {why}') from error
    place = parts.netloc.rpartition('@')[2]
    if parts.scheme in ('file', 'fifo', 'sdp', 'v4l2'):
        path = unquote(parts.path or parts.netloc)
        place = os.path.splitext(os.path.basename(path))[0]
    else:
        place += parts.path
    return _fit(place) or parts.scheme


def parse(words: Sequence[str]) -> List[Stream]:
    """Parses arguments of the form NAME=URI, URI, a path, or what
    credentials.address() reads. Raises ClqcError if one is wrong, or if two
    have one name."""
    found: List[Stream] = []
    taken: Set[str] = set()
    given = []
    for word in words:
        match = None if _SCHEME.match(word) or os.path.exists(word) else (
            _NAMED.match(word))
        name, what = (match[1], match[2]) if match else ('', word)
        if name in taken:
            raise ClqcError(f'two streams are named {name}')
        if name:
            taken.add(name)
        given.append((name, what))
    for name, what in given:
        address, where = (what, '') if os.path.exists(what) else (
            credentials.address(what))
        stream = of_address(name, address, bool(where))
        if not name:
            first = name = _fit(where) or _derived(stream.uri)
            nth = 2
            while name in taken:
                name = f'{first}-{nth}'
                nth += 1
            taken.add(name)
        found.append(replace(stream, name=name))
    return found
