# SPDX-License-Identifier: LGPL-2.1-or-later
"""Locations of inputs: paths of files, and addresses. GStreamer reads http and
https itself. For other addresses that fsspec supports, such as s3, its file
system signs an address, or the file is copied."""
import http.client
import os
import posixpath
import re
import urllib.error
import urllib.request
from typing import Any, Dict, List, Optional
from urllib.parse import unquote, urlsplit

from clqc.common import network_errors
from clqc.common.errors import ClqcError, MachineError

# Time-out of a server, and validity of a signed address, in seconds.
TIMEOUT = 30
_SIGNED = 24 * 3600

_ADDRESS = re.compile(r'[a-z][a-z0-9+.-]+://', re.IGNORECASE)


def is_address(path: str) -> bool:
    """Returns whether an input is an address, not a path."""
    return bool(_ADDRESS.match(path))


def is_http(path: str) -> bool:
    """Returns whether GStreamer's souphttpsrc reads it."""
    return path.lower().startswith(('http://', 'https://'))


def shown(path: str) -> str:
    """Returns an address for results: without a password and without a query,
    which may be a signature."""
    if not is_address(path):
        return path
    parts = urlsplit(path)
    return parts._replace(netloc=parts.netloc.rpartition('@')[2], query='',
                          fragment='').geturl()


def _secrets(address: str) -> List[str]:
    """Returns the parts of an address that may be secret, in every form that a
    message may contain, longest first."""
    parts = urlsplit(address)
    found = {parts.query, parts.netloc.rpartition('@')[0],
             parts.password or ''}
    for pair in re.split('[&;]', parts.query):
        found.add(pair.partition('=')[2])
    found |= {unquote(one) for one in found}
    # Shorter ones also occur in ordinary words.
    return sorted((one for one in found if len(one) > 3), key=len,
                  reverse=True)


def hidden(text: str, *addresses: str) -> str:
    """Returns a text for results and messages: without the secret parts of
    these addresses. Paths stay."""
    for address in filter(is_address, addresses):
        text = text.replace(address, shown(address))
        for secret in _secrets(address):
            text = text.replace(secret, '***')
    return text


def name(address: str) -> str:
    """Returns the last part of its path. Raises ClqcError if there is none, or
    if the address cannot be parsed."""
    try:
        found = unquote(posixpath.basename(urlsplit(address).path))
    except ValueError as error:  # the address may have a password
        scheme = address.partition(':')[0]
        raise ClqcError(f'{scheme}://...: not an address: {error}') from error
    found = found.replace('/', '_').replace('\0', '_')
    if found in ('', '.', '..'):
        raise ClqcError(f'{shown(address)}: an address without a '
                        'file name')
    return found


def _file_system(address: str) -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise MachineError(f'{shown(address)}: the Python package fsspec '
                           'reads such addresses, and is not installed'
                           ) from error
    try:
        return fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise MachineError(f'{shown(address)}: {error}') from error


def _ask(request: urllib.request.Request) -> Any:
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return answer.headers


def _why_unreachable(error: Exception, address: str) -> str:
    reason = getattr(error, 'reason', error)
    where = network_errors.address(address)
    why = None
    if where and isinstance(reason, Exception):
        # without a known error, it may expect TLS
        why = (network_errors.of_error(reason, where)
               or network_errors.probe(where))
    return why or f'the server cannot be reached: {reason}'


def _headers(address: str) -> Any:
    """Returns the headers of an address. Some servers reject HEAD requests."""
    try:
        try:
            return _ask(urllib.request.Request(address, method='HEAD'))
        except urllib.error.HTTPError as error:
            if error.code not in (400, 403, 405, 501):
                raise
            return _ask(urllib.request.Request(
                address, headers={'Range': 'bytes=0-0'}))
    except urllib.error.HTTPError as error:
        where = network_errors.address(address)
        raise ClqcError(
            network_errors.of_status(error.code, str(error.reason), where)
            if where else f'the server answers {error.code} {error.reason}'
        ) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise ClqcError(_why_unreachable(error, address)) from error


def _length(headers: Any) -> Optional[int]:
    of_range = str(headers.get('Content-Range', '')).rpartition('/')[2]
    length = of_range or str(headers.get('Content-Length', ''))
    return int(length) if length.isdecimal() else None


def _of_http(address: str) -> Dict[str, Any]:
    headers = _headers(address)
    return {'bytes': _length(headers),
            'modified': headers.get('Last-Modified'),
            'etag': headers.get('ETag')}


def _of_fsspec(address: str) -> Dict[str, Any]:
    system, path = _file_system(address)
    try:
        info = system.info(path)
    except Exception as error:  # each file system has errors of its own
        raise ClqcError(f'{type(error).__name__}: {error}') from error
    modified = info.get('LastModified') or info.get('created')
    return {'bytes': info.get('size'),
            'modified': None if modified is None else str(modified),
            'etag': info.get('ETag')}


def identity(path: str) -> Dict[str, Any]:
    """Returns what distinguishes a file from others without reading it. Raises
    OSError or ClqcError."""
    if is_http(path):
        return _of_http(path)
    if is_address(path):
        return _of_fsspec(path)
    status = os.stat(path)
    return {'bytes': status.st_size, 'modified': status.st_mtime_ns}


def is_certain(found: Dict[str, Any]) -> bool:
    """Returns whether another content has another identity()."""
    return bool(found.get('modified') or found.get('etag'))


def reachable(path: str, folder: str) -> str:
    """Returns a path, or an http address, which GStreamer can read for a day.
    Files that cannot be signed are copied into the @folder, which the caller
    removes, as are files whose header hides their video. Raises ClqcError and
    OSError."""
    # Processes of live streams use this module, too, and need no numpy.
    # pylint: disable-next=import-outside-toplevel
    from clqc.containers.short_tracks import mended
    if is_http(path):
        return path
    if not is_address(path):
        return mended(path, folder)
    system, inner = _file_system(path)
    try:
        return str(system.sign(inner, expiration=_SIGNED))
    except NotImplementedError:
        pass
    except Exception as error:  # each file system has errors of its own
        raise MachineError(f'{shown(path)} cannot be signed: {error}'
                           ) from error
    copy = os.path.join(folder, 'copy')
    try:
        system.get_file(inner, copy)
    except Exception as error:
        raise MachineError(f'{shown(path)} cannot be copied: {error}'
                           ) from error
    return mended(copy, folder)
