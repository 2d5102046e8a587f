# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rules about damage of a stream. Each limit is a row of ROWS; it applies to
the window of the table `live`."""
from dataclasses import dataclass
from typing import Callable, Dict, Optional, Tuple

from clqc.judging.rules import wording
from clqc.judging.rules.model import StreamRule

# Numbers by the key and the kind of a counter, of the window.
Counts = Dict[str, Dict[str, int]]

# The errors, and all of which they are a part.
Found = Tuple[int, int]


@dataclass(frozen=True)
class Row:
    """A key of the table `stream`. @one and @several follow a number, @share
    follows `1 % of the`."""
    key: str
    one: str
    several: str
    share: str
    find: Callable[[Counts, int], Found]


def _missing(counts: Counts, frames: int) -> Found:
    missing = counts['missing-frames']['']
    return missing, frames + missing


def lost_packets(counts: Counts, _: int = 0) -> Found:
    """Returns the lost packets and all of them, of the protocol with the
    greatest share. SRT requests lost packets again, so that they do not count.
    """
    found = [(counts['lost-packets'][kind], counts['packets'][kind]
              + counts['lost-packets'][kind]) for kind in ('ts', 'rtp')]
    return max(found, key=lambda pair: pair[0] / max(1, pair[1]))


def _transport(counts: Counts, _: int) -> Found:
    return (sum(counts['transport-errors'].values()),
            counts['packets']['ts'] + counts['lost-packets']['ts'])


def _decode(counts: Counts, frames: int) -> Found:
    """Packets of pictures, and frames, are as many."""
    return (sum(counts['decode-errors'].values()),
            frames + counts['missing-frames'][''])


# In the order of the reasons: lost packets explain the others.
ROWS: Dict[str, Row] = {row.key: row for row in (
    Row('lost-packets', 'packet was lost', 'packets were lost',
        'packets were lost', lost_packets),
    Row('transport-errors', 'transport error', 'transport errors',
        'packets had transport errors', _transport),
    Row('missing-frames', 'frame was missing', 'frames were missing',
        'frames were missing', _missing),
    Row('decode-errors', 'packet had decode errors',
        'packets had decode errors', 'packets had decode errors', _decode))}


def judge(rule: StreamRule, counts: Counts, frames: int, known: float,
          window: float) -> Optional[str]:
    """Returns a sentence if the limits are exceeded. @counts and @frames: of
    the last @known seconds, at most @window. A share refers to the whole
    window: one loss after a second must not be a large share."""
    row = ROWS[rule.key]
    errors, all_of = row.find(counts, frames)
    if errors < max(1, rule.min_count):
        return None
    lately = f'in the last {wording.seconds(round(window * 1e9))}'
    if rule.max_share is not None and all_of:
        share = errors / (all_of * max(1.0, window / max(known, 1.0)))
        if share > rule.max_share:
            return (f'{errors / all_of * 100:.3g} % of the {row.share} '
                    f'{lately} ({errors}); the limit is '
                    f'{wording.number(rule.max_share, "share")}.')
    if rule.max_count is not None and errors > rule.max_count:
        limit = (f'the limit is {rule.max_count}' if rule.max_count
                 else 'none is allowed')
        return (f'{wording.count(errors, row.one, row.several)} {lately}; '
                f'{limit}.')
    return None
