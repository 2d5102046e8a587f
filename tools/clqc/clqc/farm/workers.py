# SPDX-License-Identifier: LGPL-2.1-or-later
"""The workers of a farm: each worker is asked for its versions, and those
equivalent to the command's machine are accepted."""
import asyncio
import concurrent.futures
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional, Set, Tuple

from clqc import __version__
from clqc.common.clock import REAL, Clock
from clqc.decoding import worker_messages
from clqc.farm import tasks, worker_versions
from clqc.results.result_files import Json

Say = Callable[[str], None]

# A worker: its address, and the identity of its start, because another start
# may have the same address.
Who = Tuple[str, str]

# Errors of Dask if the scheduler or a connection is lost: of connections, of
# time, of being closed.
ANY = (Exception, asyncio.CancelledError)

# Seconds that an update waits for answers.
_LOOK_SECONDS = 2.0

# Time-out in seconds for a worker's answer: its first start of the plugin
# compiles programs.
_ANSWER_SECONDS = 180.0

# Seconds until a worker that cannot measure is asked again, first and at most.
_AGAIN_SECONDS = 10.0
_AGAIN_AT_MOST = 600.0

# Maximum time between two updates that counts, in seconds: a pause of the
# whole farm makes no worker silent.
_UPDATE_AT_MOST = 10.0


def why(error: Any) -> str:
    """Returns an exception as text for people."""
    if isinstance(error, ModuleNotFoundError):
        return f'it lacks the Python package {error.name or error}'
    if isinstance(error, asyncio.TimeoutError):
        return 'it does not answer'
    return f'{type(error).__name__}: {error}'


def _who(address: str, identity: Json) -> Who:
    """Returns the identity of one start of a worker; each start has its own
    folder."""
    return address, f'{identity["id"]} {identity.get("local_directory")}'


@dataclass
class _Worker:
    """The state of one worker."""
    description: Optional[Json] = None
    answer: Optional['concurrent.futures.Future[Any]'] = None
    next: float = 0.0  # when to ask it again, by Clock.now()
    pause: float = field(default_factory=lambda: _AGAIN_SECONDS)
    last_seen: float = 0.0  # by the scheduler
    silent: float = 0.0  # seconds since then

    def is_silent(self) -> bool:
        """Returns whether the worker does not answer the scheduler."""
        return self.silent > worker_messages.STALL_SECONDS


class Workers:
    """The list of workers. @ours: the versions on the command's machine, if it
    can measure; workers must then have the same. One thread."""

    def __init__(self, ours: Optional[Json], say: Say,
                 clock: Clock = REAL) -> None:
        self.clock = clock
        self.wanted = ours
        self.say = say
        self.known: Dict[Who, _Worker] = {}
        self.refused: Dict[str, str] = {}  # reported versions, by name
        self.updated = clock.now()

    def forget(self) -> None:
        """Clears the list, for another scheduler."""
        self.known.clear()

    def is_asking(self) -> bool:
        """Returns whether an answer is pending."""
        return any(one.answer for one in self.known.values())

    def n_slots(self, who: Who) -> int:
        """Returns the number of tasks at a time."""
        known = self.known.get(who)
        if known is None or not known.description:
            return 0
        return int(known.description.get('slots', 1))

    def names(self) -> Dict[Who, str]:
        """Returns the names, for people, of workers that have answered."""
        return {who: str(one.description['name'])
                for who, one in self.known.items() if one.description}

    def silent(self) -> Set[Who]:
        """Returns the workers that do not answer, for example because a signal
        has stopped them."""
        return {who for who, one in self.known.items() if one.is_silent()}

    def _note_signs(self, here: Dict[Who, Tuple[str, Json]]) -> None:
        """Notes signs of life, which workers send to the scheduler."""
        now = self.clock.now()
        passed = min(now - self.updated, _UPDATE_AT_MOST)
        self.updated = now
        names = self.names()
        for who, (_, identity) in here.items():
            known = self.known[who]
            was_silent = known.is_silent()
            if identity['last_seen'] != known.last_seen:
                known.last_seen, known.silent = identity['last_seen'], 0.0
            else:
                known.silent += passed
            if known.is_silent() != was_silent and who in names:
                self.say(f'{names[who]} ' + (
                    'answers again' if was_silent else
                    'has not answered for '
                    f'{worker_messages.STALL_SECONDS:.0f} seconds: '
                    'its tasks go to other workers'))

    def hear(self, client: Any, identities: Dict[str, Json]) -> Set[Who]:
        """Asks new workers; returns the accepted ones. @identities: the
        scheduler's identities, by address."""
        here = {_who(*pair): pair for pair in identities.items()}
        self.known = {who: self.known.get(who, _Worker()) for who in here}
        self._note_signs(here)
        for who, (address, identity) in here.items():
            self._ask_if_needed(client, address, identity, self.known[who])
        concurrent.futures.wait(
            [one.answer for one in self.known.values() if one.answer],
            timeout=_LOOK_SECONDS)
        for who, (address, identity) in here.items():
            self._take_answer(address, identity, self.known[who])
        descriptions = {who: one.description
                        for who, one in self.known.items() if one.description}
        if self.wanted is None and not self.is_asking():
            self.wanted = worker_versions.choose(descriptions.values())
        return {who for who, one in descriptions.items()
                if self._is_taken(one)}

    def _ask_if_needed(self, client: Any, address: str, identity: Json,
                       known: _Worker) -> None:
        if known.answer or self.clock.now() < known.next:
            return
        if known.description and 'error' not in known.description and (
                worker_versions.resource(known.description)
                in identity['resources']):
            return
        answer: 'concurrent.futures.Future[Any]' = concurrent.futures.Future()

        async def ask() -> None:
            try:
                answers = await asyncio.wait_for(client.run(
                    tasks.describe, workers=[address], on_error='return'),
                    _ANSWER_SECONDS)
                answer.set_result(answers[address])
            except ANY as error:  # pylint: disable=broad-except
                answer.set_result(error)
        known.answer = answer
        client.loop.add_callback(ask)

    def _take_answer(self, address: str, identity: Json,
                     known: _Worker) -> None:
        if not known.answer or not known.answer.done():
            return
        description = known.answer.result()
        if not isinstance(description, dict):
            description = {'name': f'worker {identity["name"]} at {address}',
                           'error': why(description)}
        known.answer, known.description = None, description
        if 'error' in description:
            known.next = self.clock.now() + known.pause
            known.pause = min(2 * known.pause, _AGAIN_AT_MOST)

    def _is_taken(self, description: Json) -> bool:
        """Returns whether a worker is accepted. Until the required versions
        are known, none is accepted, and workers are rejected that no farm
        would accept."""
        reason = worker_versions.why_not(
            description, self.wanted or {**description, 'clqc': __version__})
        if reason:
            text = f'{description["name"]} is rejected: {reason}'
            if self.refused.get(description['name']) != text:
                self.refused[description['name']] = text
                self.say(text)
        elif self.wanted and self.refused.pop(description['name'], None):
            self.say(f'{description["name"]} is accepted now')
        return not reason and self.wanted is not None
