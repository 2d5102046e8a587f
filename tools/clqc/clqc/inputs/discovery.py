# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the files to check, and the results folder of each."""
import contextlib
import hashlib
import os
from collections import Counter
from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence

from clqc.common.errors import ClqcError
from clqc.inputs import locations

# Extensions of videos in folders; a file that the user names is checked
# whatever its extension.
EXTENSIONS = frozenset(
    '264 265 3g2 3gp asf avi divx dv f4v flv gxf h264 h265 hevc ivf m2t m2ts '
    'm2v m4v mk3d mkv mod mov mp4 mpe mpeg mpg mpv mts mxf nut ogm ogv qt rm '
    'rmvb tod trp ts vob vro webm wmv y4m'.split())


NOT_UTF8 = 'its name is not UTF-8, which GStreamer needs'

APPLE_DOUBLE = ('an AppleDouble file, in which macOS keeps attributes of the '
                'file of the same name without "._"; it has no video')


@dataclass(frozen=True)
class Input:
    """A file to check."""
    path: str  # path to open, or an address
    name: str  # path below the named folder, with slashes


def is_apple_double(path: str) -> bool:
    """Returns whether macOS made this file beside another one, on a disk that
    cannot keep attributes (RFC 1740); False if it cannot be read."""
    if not os.path.basename(path).startswith('._') or (
            not os.path.isfile(path)):
        return False
    with contextlib.suppress(OSError), open(path, 'rb') as file:
        return file.read(4) == b'\0\5\x16\7'
    return False


def _walk(folder: str, skipped: 'Counter[str]') -> Iterator[str]:
    """Yields videos, and folders that cannot be read. Links to folders are not
    followed. Counts other files by extension, except hidden files; skips files
    of macOS beside videos."""
    unreadable: List[str] = []
    for where, folders, files in os.walk(
            folder, onerror=lambda error: unreadable.append(error.filename)):
        folders.sort()
        for file in sorted(files):
            extension = os.path.splitext(file)[1].lower()
            path = os.path.join(where, file)
            if extension[1:] in EXTENSIONS:
                if not is_apple_double(path):
                    yield path
            elif not file.startswith('.'):
                skipped[extension] += 1
    yield from unreadable


def _name(path: str) -> str:
    """Returns the name of an input, which is the name of its folder."""
    if locations.is_address(path):
        return locations.name(path)
    return os.path.basename(os.path.abspath(path))


def _is_there(path: str) -> bool:
    """Returns whether a path exists; also True in a folder that cannot be
    searched."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass
    return True


def _whole(path: str) -> str:
    return path if locations.is_address(path) else os.path.abspath(path)


def describe_skipped(skipped: 'Counter[str]') -> str:
    """Describes the skipped files of folders."""
    kinds = ', '.join(f'{n} {extension or "without an extension"}'
                      for extension, n in skipped.most_common(10))
    more = ', ..' if len(skipped) > 10 else ''
    return f'files without the extension of a video: {kinds}{more}'


def find(paths: Sequence[str],
         skipped: Optional['Counter[str]'] = None) -> List[Input]:
    """Returns the videos in files and folders, ordered by name. Counts other
    files in folders in @skipped, by extension. Raises ClqcError if there is no
    video, or if two would share a folder."""
    skipped = Counter() if skipped is None else skipped
    inputs: List[Input] = []
    for path in paths:
        if locations.is_address(path):
            inputs.append(Input(path, _name(path)))
        elif os.path.isdir(path):
            found = [Input(file, os.path.relpath(file, path))
                     for file in _walk(path, skipped)]
            if found and found[0].path == path:
                found = [Input(path, _name(path))]
            if not found:
                why = f'; {describe_skipped(skipped)}' if skipped else ''
                raise ClqcError(f'{path}: no video in this folder{why}')
            inputs += found
        elif os.path.exists(path) and not os.path.isfile(path):
            raise ClqcError(f'{path}: neither a file nor a folder')
        elif _is_there(path):
            inputs.append(Input(path, _name(path)))
        else:
            raise ClqcError(f'{path}: no such file or folder')

    seen: dict[str, str] = {}
    for item in inputs:
        other = seen.setdefault(item.name, item.path)
        if _whole(other) != _whole(item.path):
            raise ClqcError(f'{locations.shown(other)} and '
                            f'{locations.shown(item.path)} would both be '
                            f'{item.name} in the results: check them '
                            'separately')
    return list({item.name: item for item in inputs}.values())


def is_utf8(path: str) -> bool:
    """Returns whether a path is UTF-8, which GStreamer needs."""
    try:
        path.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True


def digest(path: str) -> Optional[str]:
    """Returns the SHA-256 of the content in hexadecimal; None for an input
    that is not a local file, which is not read twice."""
    if locations.is_address(path):
        return None
    with open(path, 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()
