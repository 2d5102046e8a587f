# SPDX-License-Identifier: LGPL-2.1-or-later
"""Publishes states and events at an MQTT broker. Works with paho-mqtt 1.6 and
2.

    PREFIX/status         online; offline by the last will, or at the end
    PREFIX/STREAM/state   state_message(), retained
    PREFIX/STREAM/event   event_message()
    PREFIX/STREAM/picture/EVENT/STATE   JPEG, on request
"""
import json
import math
import sys
import threading
from collections import Counter, deque
from typing import Any, Callable, Deque, Dict, Optional, Sequence, Set, Union

from clqc.common import network_errors
from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.live.configuration.output_addresses import Broker
from clqc.live.outputs.base import Losses, Output
from clqc.live.outputs.state import State, state_message, statistics_message
from clqc.results.result_files import Json

# Maximum number of events that are queued for a missing broker.
MOST_WAITING = 1000

# Maximum number of pictures that are queued for it.
MOST_PICTURES = 20

# Maximum number of unacknowledged messages of one topic; beyond it only the
# newest waits here.
MOST_OF_A_STATE = 3

# Seconds until a missing answer of the broker is reported.
_ANSWER_SECONDS = 3.0

# Time limit for the last messages.
_END_SECONDS = 3.0

_RECONNECT_SECONDS = (1, 30)

_CALLBACKS = ('on_connect', 'on_disconnect', 'on_publish', 'on_connect_fail')


def _library() -> Any:
    try:
        from paho.mqtt import client
    except ImportError as error:
        raise ClqcError('--mqtt needs paho-mqtt: apt install python3-paho-'
                        "mqtt, or pip install 'clqc[live]'") from error
    return client


def _client(paho: Any) -> Any:
    """Returns a client for MQTT 3.1.1, which every broker supports."""
    versions = getattr(paho, 'CallbackAPIVersion', None)  # paho-mqtt 2
    if versions is None:
        return paho.Client(protocol=paho.MQTTv311)
    return paho.Client(versions.VERSION2, protocol=paho.MQTTv311)


def _is_refused(code: Any) -> bool:
    """Returns whether a connection was refused; the result is a number, or an
    object of paho-mqtt 2."""
    return bool(getattr(code, 'is_failure', code))


class Mqtt(Output):
    """The output to an MQTT broker. paho's own thread connects and reconnects;
    a missing broker blocks nothing here. Only the watching thread publishes.
    """

    name = 'mqtt'

    def __init__(self, broker: Broker,
                 complain: Callable[[str], None],
                 clock: Clock = REAL, has_pictures: bool = False) -> None:
        self.clock = clock
        self.broker = broker
        self.has_pictures = has_pictures
        self._address = broker.address
        self.complain = complain
        self._losses = Losses(f'MQTT: {broker.shown}', 'events', complain)
        self._picture_losses = Losses(f'MQTT: {broker.shown}', 'pictures',
                                      complain)
        self.losses = (self._losses, self._picture_losses)
        self._paho = _library()
        self._client = _client(self._paho)
        self._states: Dict[str, str] = {}  # newest message by topic
        # topics whose newest message must still be published
        self._due: Set[str] = set()
        self._waiting: Dict[int, str] = {}  # topic by message number
        self._n_waiting: 'Counter[str]' = Counter()  # by topic
        self._n_events = 0                 # events without acknowledgement
        self._pictures: Set[str] = set()   # topics of pictures
        self._began = 0.0  # start of connecting; inf: was reported
        self._acknowledged: Deque[int] = deque()  # message numbers
        self._lock = threading.Lock()      # protects the members below
        self._is_connected = False
        self._has_connected = False        # since the last publishing
        self._has_complained = False
        self._prepare()

    @property
    def is_connected(self) -> bool:
        return self._is_connected

    def _prepare(self) -> None:
        client, broker = self._client, self.broker
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        if broker.is_secure:
            try:
                client.tls_set(ca_certs=broker.authorities)
            except (OSError, ValueError) as error:
                raise ClqcError(f'{broker.authorities}: no certificates: '
                                f'{error}') from error
        client.will_set(self._topic('status'), 'offline', 1, True)
        client.reconnect_delay_set(*_RECONNECT_SECONDS)

    def _listen(self, is_listening: bool) -> None:
        """Sets the callbacks of the client, or removes them: otherwise it
        would keep its file descriptors until the garbage is collected."""
        for name in _CALLBACKS:
            if hasattr(self._client, name):  # paho-mqtt 1.5 has fewer
                setattr(self._client, name, getattr(self, f'_{name}')
                        if is_listening else None)

    def _topic(self, *names: str) -> str:
        return '/'.join((self.broker.prefix, *names))

    # --- paho's thread ---

    def _on_connect(self, _: Any, __: Any, ___: Any, code: Any,
                    *____: Any) -> None:
        if _is_refused(code):
            self._complain(network_errors.of_answer(code, self._address))
            return
        with self._lock:
            self._is_connected = self._has_connected = True
            was_away, self._has_complained = self._has_complained, False
        if was_away:
            self.complain(f'MQTT: {self.broker.shown} is connected again')

    def _on_publish(self, _: Any, __: Any, number: int, *___: Any) -> None:
        # paho holds its own lock here: do not wait for a lock.
        self._acknowledged.append(number)

    def _on_disconnect(self, *_: Any) -> None:
        with self._lock:
            was_connected, self._is_connected = self._is_connected, False
        if was_connected:
            self._complain(f'{self.broker.shown} has disconnected')
        else:
            self._complain_of(None)

    def _on_connect_fail(self, *_: Any) -> None:
        self._complain_of(sys.exc_info()[1])  # paho calls this in `except`

    def _complain_of(self, error: Optional[BaseException]) -> None:
        """Reports why there is no connection. May take some seconds."""
        if self._has_complained:
            return
        why = network_errors.of_error(error, self._address) if error else None
        self._complain(why or network_errors.probe(self._address)
                       or self._address.because('no-answer'))

    def _complain(self, why: str) -> None:
        """Reports a problem once, until the broker is connected again."""
        with self._lock:
            if self._has_complained:
                return
            self._has_complained = True
        self.complain(f'MQTT: {why}; clqc continues and retries')

    # --- the thread that watches ---

    def open(self, states: Sequence[State]) -> None:
        # paho itself must never reject a state: this class counts.
        self._client.max_queued_messages_set(
            MOST_WAITING + MOST_PICTURES
            + MOST_OF_A_STATE * (len(states) + 1) + 1)
        self._has_complained = False  # it may be opened again
        self._states[self._topic('status')] = 'online'
        for state in states:
            self.changed(state)
        self._began = self.clock.now()
        self._listen(True)
        self._client.connect_async(self.broker.host, self.broker.port, 30)
        self._client.loop_start()

    def _publish(self, topic: str, text: Union[str, bytes],
                 is_retained: bool) -> bool:
        """Publishes a message; returns whether paho has accepted it."""
        info = self._client.publish(topic, text, 1, is_retained)
        if info.rc == self._paho.MQTT_ERR_QUEUE_SIZE:
            return False
        self._waiting[info.mid] = topic
        self._n_waiting[topic] += 1
        self._n_events += self._is_of_events(topic)
        return True

    def _is_of_events(self, topic: str) -> bool:
        return topic not in self._states and topic not in self._pictures

    def _take_acknowledged(self) -> None:
        while self._acknowledged:
            topic = self._waiting.pop(self._acknowledged.popleft(), None)
            if topic is not None:
                self._n_waiting[topic] -= 1
                self._n_events -= self._is_of_events(topic)

    def _publish_states(self) -> None:
        """Publishes due states, as far as the broker keeps up."""
        self._take_acknowledged()
        if self._n_events < MOST_WAITING // 2:
            self._losses.end()
        if self._n_pictures() < MOST_PICTURES // 2:
            self._picture_losses.end()
        with self._lock:
            is_connected = self._is_connected
            is_new, self._has_connected = self._has_connected, False
        if is_new:  # it may have lost all, and has published the last will
            self._due = set(self._states)
        if not is_connected:
            return
        for topic, text in self._states.items():
            if topic in self._due and (
                    self._n_waiting[topic] < MOST_OF_A_STATE
                    and self._publish(topic, text, True)):
                self._due.discard(topic)

    def event(self, state: State, message: Json) -> None:
        self._take_acknowledged()
        if self._n_events >= MOST_WAITING or not self._publish(
                self._topic(state.name, 'event'),
                json.dumps(message, ensure_ascii=False), False):
            self._losses.add(f'{MOST_WAITING} events are waiting for it')

    def picture(self, state: State, message: Json, jpeg: bytes) -> None:
        if not self.has_pictures:
            return
        self._take_acknowledged()
        topic = self._topic(state.name, 'picture', message['event'],
                            message['state'])
        self._pictures.add(topic)
        if self._n_pictures() >= MOST_PICTURES or not self._publish(
                topic, jpeg, False):
            self._picture_losses.add(
                f'{MOST_PICTURES} pictures are waiting for it')

    def _n_pictures(self) -> int:
        """Returns the number of pictures without acknowledgement."""
        return sum(self._n_waiting[topic] for topic in self._pictures)

    def changed(self, state: State) -> None:
        topic = self._topic(state.name, 'state')
        self._states[topic] = json.dumps(state_message(state),
                                         ensure_ascii=False)
        self._due.add(topic)
        self._publish_states()

    def statistics(self, state: State) -> None:
        """Publishes without an acknowledgement: the next ones replace them."""
        if self._is_connected:
            self._client.publish(
                self._topic(state.name, 'statistics'),
                json.dumps(statistics_message(state), ensure_ascii=False))

    def tick(self) -> None:
        self._publish_states()
        if not self._is_connected and (
                self.clock.now() - self._began > _ANSWER_SECONDS):
            self._began = math.inf
            threading.Thread(target=self._complain_of, args=(None,),
                             daemon=True).start()

    def close(self) -> None:
        """Closes the connection; a connected broker first gets all pending
        messages, and `offline`."""
        with self._lock:
            self._has_complained = True  # report no more problems
        end = self.clock.now() + _END_SECONDS
        self._states[self._topic('status')] = 'offline'
        self._due.add(self._topic('status'))
        while True:
            self._publish_states()
            if not self._is_connected or self.clock.now() >= end or (
                    not self._waiting and not self._due):
                break
            self.clock.sleep(0.01)
        self._client.disconnect()
        self._client.loop_stop()
        self._listen(False)
