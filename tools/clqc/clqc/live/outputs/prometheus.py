# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves metrics for Prometheus."""
import socket
import threading
from socketserver import ThreadingMixIn
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Optional,
                    Sequence, Tuple, Type)
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from clqc.common.clock import REAL, Clock
from clqc.common.errors import ClqcError
from clqc.live.judging.counters import COUNTERS
from clqc.live.outputs.base import Output
from clqc.live.outputs.state import State

# Name without clqc_, type, text, and the value of a State; None: no value now.
_METRICS: Tuple[Tuple[str, str, str], ...] = (
    ('restarts', 'counter', 'Number of times that the stream was reopened.'),
    ('connected', 'gauge', '1 while the stream is open and had frames.'),
    ('ended', 'gauge', '1 after the end of a file.'),
    ('healthy', 'gauge',
     '1 if the stream is healthy, 0 if not; missing before it was judged.'),
    ('muted', 'gauge',
     '1 while the stream does not count for alerts.'),
    ('frame_rate', 'gauge',
     'Frames per second that arrived in the last ten seconds.'),
    ('behind_seconds', 'gauge',
     'How old the newest measured frame was when it was measured.'),
    ('last_frame_timestamp_seconds', 'gauge',
     'When the newest frame was measured, in seconds since 1970.'),
    ('memory_bytes', 'gauge',
     'Resident memory of the process of the stream.'))

STATISTIC = 'clqc_statistic'
EVENTS = 'clqc_events'
EVENT_OPEN = 'clqc_event_open'
REASON = 'clqc_reason'
LOST = 'clqc_lost_messages'
INFO = 'clqc_stream_info'
OUTPUT_CONNECTED = 'clqc_output_connected'

# If the thread that watches has not run for this many seconds, /healthz says
# so.
STUCK_SECONDS = 10.0


def _value(state: State, name: str) -> Optional[float]:
    values: Dict[str, Any] = {
        'restarts': state.restarts, 'frame_rate': state.rate,
        'connected': int(state.is_connected),
        'ended': int(state.connection == 'ended'),
        'healthy': state.health.healthy, 'muted': bool(state.muted),
        'behind_seconds': state.behind,
        'last_frame_timestamp_seconds': state.last_frame,
        'memory_bytes': state.memory}
    value = values[name]
    return None if value is None else float(value)


def _form(state: State) -> List[str]:
    """Returns the values of the labels of INFO."""
    form = state.form
    rate = form.get('rate')
    return [state.name, form.get('codec') or '', str(form['width']),
            str(form['height']), form['format'],
            f'{rate[0] / rate[1]:.6g}' if rate and rate[1] else '']


class Collector:
    """Creates the metrics of the states and of other outputs at each request.
    """

    def __init__(self, states: Sequence[State], lock: Any,
                 kinds: Sequence[str], outputs: Sequence[Output]) -> None:
        self.states = states
        self.lock = lock
        self.kinds = kinds
        self.outputs = outputs

    def collect(self) -> Iterator[Any]:
        """Called by prometheus_client; any thread."""
        with self.lock:
            families: List[Any] = list(self._families())
        yield from families

    def _families(self) -> Iterator[Any]:
        from prometheus_client.core import (CounterMetricFamily,
                                            GaugeMetricFamily)
        types = {'counter': CounterMetricFamily, 'gauge': GaugeMetricFamily}
        for row in COUNTERS:
            labels = ['stream', 'kind'] if row.kinds else ['stream']
            counter = CounterMetricFamily(f'clqc_{row.metric}', row.text,
                                          labels=labels)
            for state in self.states:
                for of_kind, count in state.count_of(row.key).items():
                    counter.add_metric([state.name, of_kind][:len(labels)],
                                       count)
            yield counter
        info = GaugeMetricFamily(
            INFO, '1 while the stream is connected: what its frames are.',
            labels=['stream', 'codec', 'width', 'height', 'format', 'rate'])
        for state in self.states:
            if state.form:
                info.add_metric(_form(state), 1)
        yield info
        for name, kind, text in _METRICS:
            family = types[kind](f'clqc_{name}', text, labels=['stream'])
            for state in self.states:
                value = _value(state, name)
                if value is not None:
                    family.add_metric([state.name], value)
            yield family
        statistics = GaugeMetricFamily(
            STATISTIC, 'A statistic of the newest frame, by the name that '
            "FFmpeg's signalstats has for it.", labels=['stream', 'statistic'])
        events = CounterMetricFamily(
            EVENTS, 'Events that have begun.', labels=['stream', 'event'])
        is_open = GaugeMetricFamily(
            EVENT_OPEN, '1 while an event goes on.',
            labels=['stream', 'event'])
        reason = GaugeMetricFamily(
            REASON, '1 for the rule that is the first reason for the health, '
            'or the last one while a stream recovers.',
            labels=['stream', 'rule', 'severity'])
        for state in self.states:
            fault = state.health.cause
            if fault:
                reason.add_metric([state.name, fault.rule, fault.severity], 1)
            for key, value in state.statistics.items():
                statistics.add_metric([state.name, key], value)
            for kind in self.kinds:
                events.add_metric([state.name, kind],
                                  state.events.get(kind, 0))
                if kind != 'scene':
                    is_open.add_metric([state.name, kind],
                                       float(kind in state.open))
        lost = CounterMetricFamily(
            LOST, 'Lines and events that an output has lost.',
            labels=['output'])
        connected = GaugeMetricFamily(
            OUTPUT_CONNECTED, '1 while the server of an output is connected.',
            labels=['output'])
        for output in self.outputs:
            if output.name:
                lost.add_metric([output.name], output.n_lost)
            if output.is_connected is not None:
                connected.add_metric([output.name], int(output.is_connected))
        yield from (statistics, events, is_open, reason, lost, connected)


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect early."""


def _server_of(host: str, port: int) -> Type[_Server]:
    """Returns a server for IPv4 or IPv6, as the host needs. Raises OSError."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    return type('_ServerOfFamily', (_Server,), {'address_family': family})


class _Handler(WSGIRequestHandler):
    timeout = 30  # time-out in seconds of a client that sends no request

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


class Prometheus(Output):
    """Serves the pages /metrics and /healthz."""

    def __init__(self, host: str, port: int, lock: Any,
                 kinds: Sequence[str], outputs: Sequence[Output],
                 clock: Clock = REAL) -> None:
        self.host = host
        self.port = port
        self.lock = lock
        self.kinds = kinds
        self.outputs = outputs
        self.clock = clock
        self._ticked = clock.now()
        self._server: Optional[WSGIServer] = None
        try:
            import prometheus_client
        except ImportError as error:
            raise ClqcError(
                '--prometheus needs prometheus_client: apt install python3-'
                "prometheus-client, or pip install 'clqc[live]'") from error
        self._library = prometheus_client

    def open(self, states: Sequence[State]) -> None:
        registry: Any = self._library.CollectorRegistry()
        registry.register(Collector(states, self.lock, self.kinds,
                                    self.outputs))
        self._library.ProcessCollector(registry=registry)  # of clqc watch
        metrics = self._library.make_wsgi_app(registry)

        def page(environ: Dict[str, Any], start: Callable[..., Any]
                 ) -> Iterable[bytes]:
            if environ['PATH_INFO'] == '/healthz':
                return self._healthz(start)
            answer: Iterable[bytes] = metrics(environ, start)
            return answer

        try:
            self._server = make_server(
                self.host, self.port, page,
                _server_of(self.host, self.port), _Handler)
        except OSError as error:
            raise ClqcError(f'--prometheus: {self.host}:{self.port}: '
                            f'{error.strerror}') from error
        threading.Thread(target=self._server.serve_forever, daemon=True,
                         name='prometheus').start()

    def _healthz(self, start: Callable[..., Any]) -> Iterable[bytes]:
        """Returns the page about clqc watch itself. Takes no lock: the
        watching thread may hold it for ever."""
        silent = self.clock.now() - self._ticked
        is_stuck = silent > STUCK_SECONDS
        start('503 Service Unavailable' if is_stuck else '200 OK',
              [('Content-Type', 'text/plain; charset=utf-8')])
        return [(f'clqc watch has not worked for {silent:.0f} seconds'
                 if is_stuck else 'ok').encode() + b'\n']

    def tick(self) -> None:
        self._ticked = self.clock.now()

    def close(self) -> None:
        if self._server:
            self._server.shutdown()
            self._server.server_close()
