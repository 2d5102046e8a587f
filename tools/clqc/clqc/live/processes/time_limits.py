# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time limits of the process of a stream, in seconds."""
from dataclasses import dataclass

from clqc.judging.rules.detectors import NANOSECONDS
from clqc.judging.rules.model import Live

# A process that has started sends a message at least this often.
ALIVE_SECONDS = 1.0

# A process without a message for this time since its start is ended: a slow
# machine needs some seconds to load its modules and to find its plugins.
START_SECONDS = 30.0


@dataclass(frozen=True)
class TimeLimits:
    """Limits that follow from a policy and from --stall."""
    signal_loss: float  # time without data that is a fault
    silent: float       # time without a message or a result that is a fault
    ended: float        # time without a message after which clqc ends it

    @staticmethod
    def of(live: Live, stall: float) -> 'TimeLimits':
        """Returns the limits. If the policy never reports a signal loss,
        @stall counts instead."""
        loss = live.signal_loss / NANOSECONDS or stall
        silent = loss + ALIVE_SECONDS
        return TimeLimits(loss, silent, max(silent, stall))
