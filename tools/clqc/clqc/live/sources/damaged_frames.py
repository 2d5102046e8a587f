# SPDX-License-Identifier: LGPL-2.1-or-later
"""Knows which frames damage may have changed: a picture that jumps there is no
cut."""
from collections import deque
from threading import Lock
from typing import Deque

from clqc.judging.rules.detectors import NANOSECONDS

# Damage ends at the next key frame; without key frames, after this time.
_LONGEST = 10 * NANOSECONDS

_KEPT = 256


class DamagedFrames:
    """Timestamps in nanoseconds of damage and of key frames. Any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._damage: Deque[int] = deque(maxlen=_KEPT)
        self._keys: Deque[int] = deque(maxlen=_KEPT)

    def add(self, time: int) -> None:
        """Adds a frame that is damaged, or before which frames are missing."""
        with self._lock:
            self._damage.append(time)

    def add_key(self, time: int) -> None:
        """Adds a key frame, which need not be decoded yet."""
        with self._lock:
            self._keys.append(time)

    def has(self, time: int) -> bool:
        """Returns whether the picture of the frame, or the one before it, may
        be damaged."""
        with self._lock:
            last = max((one for one in self._damage
                        if 0 <= time - one < _LONGEST), default=None)
            if last is None or not self._keys:  # raw frames are all key frames
                return last == time
            return not any(last < key < time for key in self._keys)
