# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tells a broker of MQTT. Works with paho-mqtt 1.6 and 2.

    PREFIX/status         online; offline by the last will, or at the end
    PREFIX/STREAM/state   state_message(), retained
    PREFIX/STREAM/event   event_message()
"""
import json
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..errors import ClqcError
from ..results import Json
from .addresses import Broker
from .outputs import Output
from .state import State, state_message

# Messages that wait for a broker that is away; more are lost.
MOST_WAITING = 1000

# How long the last messages may take.
_END_SECONDS = 3.0

_RECONNECT_SECONDS = (1, 30)


def _library() -> Any:
    try:
        from paho.mqtt import client
    except ImportError as error:
        raise ClqcError('--mqtt needs paho-mqtt: apt install python3-paho-'
                        "mqtt, or pip install 'clqc[live]'") from error
    return client


def _client(paho: Any) -> Any:
    """One of MQTT 3.1.1, which every broker speaks."""
    versions = getattr(paho, 'CallbackAPIVersion', None)  # paho-mqtt 2
    if versions is None:
        return paho.Client(protocol=paho.MQTTv311)
    return paho.Client(versions.VERSION2, protocol=paho.MQTTv311)


def _is_refused(code: Any) -> bool:
    """The result of a connection: a number, or an object of paho-mqtt 2."""
    return bool(getattr(code, 'is_failure', code))


class Mqtt(Output):
    """paho's own thread connects, and connects again; a broker that is away
    holds up nothing here."""

    def __init__(self, broker: Broker,
                 complain: Callable[[str], None]) -> None:
        self.broker = broker
        self.complain = complain
        self.n_lost = 0
        self._paho = _library()
        self._client = _client(self._paho)
        self._states: Dict[str, str] = {}  # the last of each topic
        self._lock = threading.Lock()      # over them, and what follows
        self._is_connected = False
        self._has_complained = False
        self._last: List[Any] = []
        self._prepare()

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
        client.max_queued_messages_set(MOST_WAITING)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        if hasattr(client, 'on_connect_fail'):
            client.on_connect_fail = self._on_connect_fail

    def _topic(self, *names: str) -> str:
        return '/'.join((self.broker.prefix, *names))

    # --- paho's thread ---

    def _on_connect(self, _: Any, __: Any, ___: Any, code: Any,
                    *____: Any) -> None:
        if _is_refused(code):
            self._complain(f'refuses the connection: {code}')
            return
        with self._lock:
            self._is_connected = True
            was_away, self._has_complained = self._has_complained, False
            # The broker may have forgotten all, and it has the last will.
            self._client.publish(self._topic('status'), 'online', 1, True)
            for topic, text in self._states.items():
                self._client.publish(topic, text, 1, True)
        if was_away:
            self.complain(f'MQTT: {self.broker.shown} is there again')

    def _on_disconnect(self, *_: Any) -> None:
        with self._lock:
            was_connected, self._is_connected = self._is_connected, False
        if was_connected:
            self._complain('has gone')

    def _on_connect_fail(self, *_: Any) -> None:
        self._complain('cannot be reached')

    def _complain(self, what: str) -> None:
        """Once, until it is there again."""
        with self._lock:
            if self._has_complained:
                return
            self._has_complained = True
        self.complain(f'MQTT: {self.broker.shown} {what}; clqc goes on and '
                      'tries again')

    # --- the thread that watches ---

    def open(self, states: Sequence[State]) -> None:
        self._client.connect_async(self.broker.host, self.broker.port, 30)
        self._client.loop_start()
        for state in states:
            self.changed(state)

    def _publish(self, topic: str, text: str, is_retained: bool) -> None:
        try:
            info = self._client.publish(topic, text, 1, is_retained)
        except ValueError:  # of paho-mqtt 2 for a full queue
            self.n_lost += 1
            return
        if info.rc == self._paho.MQTT_ERR_QUEUE_SIZE:
            self.n_lost += 1
        elif is_retained:
            self._last = [*self._last[-len(self._states):], info]

    def event(self, state: State, message: Json) -> None:
        self._publish(self._topic(state.name, 'event'),
                      json.dumps(message, ensure_ascii=False), False)

    def changed(self, state: State) -> None:
        topic = self._topic(state.name, 'state')
        text = json.dumps(state_message(state), ensure_ascii=False)
        with self._lock:
            self._states[topic] = text
            # With the lock, so that no older one follows it. Where the broker
            # is away, all are told when it is there.
            if self._is_connected:
                self._publish(topic, text, True)

    def close(self) -> None:
        """A broker that is there gets everything, and `offline`."""
        with self._lock:
            is_connected = self._is_connected
            self._has_complained = True  # nothing more to be said
        if is_connected:
            end = time.monotonic() + _END_SECONDS
            self._last.append(self._client.publish(
                self._topic('status'), 'offline', 1, True))
            for info in self._last:
                self._wait(info, end - time.monotonic())
        self._client.disconnect()
        self._client.loop_stop()

    @staticmethod
    def _wait(info: Any, seconds: Optional[float]) -> None:
        try:
            info.wait_for_publish(max(0.0, seconds or 0.0))
        except (ValueError, RuntimeError):
            pass  # it was never taken, or the broker has gone
