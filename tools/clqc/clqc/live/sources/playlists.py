# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why a playlist of HLS delivers no data. GStreamer's demuxer tries again
without an error, or has one without the cause."""
import base64
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import List, Optional, Tuple
from urllib.parse import unquote, urljoin, urlsplit

from clqc.common import network_errors
from clqc.common.network_errors import PROBE_SECONDS, Address
from clqc.inputs.locations import is_http

_MOST_BYTES = 1 << 20


def _read(url: str, n_bytes: int) -> bytes:
    """Reads the beginning of a file, with the user and password of the URL."""
    parts = urlsplit(url)
    if not is_http(url):
        raise ValueError(url)
    user, _, host = parts.netloc.rpartition('@')
    request = urllib.request.Request(parts._replace(netloc=host).geturl())
    if user:
        request.add_header('Authorization', 'Basic ' + base64.b64encode(
            unquote(user).encode()).decode())
    with urllib.request.urlopen(request, timeout=PROBE_SECONDS) as answer:
        data: bytes = answer.read(n_bytes)
    return data


def _names(url: str) -> Tuple[bool, List[str]]:
    """Returns whether the file has names of playlists, not of parts, and the
    URLs that it names."""
    lines = _read(url, _MOST_BYTES).decode(errors='replace').split('\n')
    named = [line.strip() for line in lines
             if line.strip() and not line.startswith('#')]
    is_list = any(line.startswith('#EXT-X-STREAM-INF') for line in lines)
    return is_list, [urljoin(url, name) for name in named]


def failure(url: str, where: Address) -> Optional[str]:
    """Returns why the playlist at @url, or the newest part that it names,
    cannot be read; None if it can, or if the cause is unknown."""
    part = ''
    try:
        is_list, names = _names(url)
        if is_list:
            _, names = _names(names[0])
        part = names[-1]
        _read(part, 1)
    except urllib.error.HTTPError as error:
        return where.because('lost-part', str(error.code)) if part else (
            network_errors.of_status(error.code, error.reason, where))
    except (OSError, ValueError, IndexError, HTTPException):
        pass
    return None


def why_no_data(url: str, where: Address) -> str:
    """Returns why a playlist whose parts were played delivers no more."""
    return failure(url, where) or where.because('no-parts')
