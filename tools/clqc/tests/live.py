# SPDX-License-Identifier: LGPL-2.1-or-later
"""Senders, a broker and clqc watch, for the tests of streams. All listen on
127.0.0.1 only, and end with their with block."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

GUARD = 120.0  # seconds, against a hang: no test depends on the duration

HERE = os.path.dirname(os.path.abspath(__file__))

# Seconds without a frame that are a lost signal. A busy machine may pause for
# less; clqc reopens a stream after 10.
LOSS = 6

# Other faults after half a second, so that tests need not wait for two.
POLICY = f"""
name = "live-test"
[measure]
events = ["black", "white", "freeze"]
black-min-duration = 0.5
white-min-duration = 0.5
freeze-duration = 0.5
freeze-noise = 0.0001
[audio]
silence-duration = 0.5
[live]
unhealthy-after = 0.2
healthy-after = 1
signal-loss-timeout = {LOSS}
[events.black]
max-count = 0
[events.white]
max-count = 0
severity = "warning"
[events.freeze]
except = ["black", "white"]
max-count = 0
[events.silence]
max-count = 0
"""

SDP = """v=0
o=- 0 0 IN IP4 127.0.0.1
s=test
c=IN IP4 127.0.0.1
t=0 0
m=video {port} RTP/AVP 26
a=rtpmap:26 JPEG/90000
"""


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


def until(condition, seconds, what):
    """Returns the value of the condition as soon as it is true. @what
    describes it; if it is a function, it sees the output so far."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, (
            f'not within {seconds} s: {what() if callable(what) else what}')
        time.sleep(0.02)


class Process:
    """A process, which ends with the with block."""

    def __init__(self, *words, **settings):
        self.process = subprocess.Popen(
            [str(word) for word in words], text=True, **settings)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        self.process.kill()
        for pipe in self.process.stdin, self.process.stdout:
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.process.wait()


class Sender(Process):
    """sender.py."""

    def __init__(self, kind, to, *form, waits=True):
        super().__init__(
            sys.executable, os.path.join(HERE, 'sender.py'), kind, to, *form,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if waits:
            self.answer()

    def answer(self):
        return json.loads(self.process.stdout.readline())['time']

    def gaps(self):
        """Returns the times in which its frames were late, and those in which
        the sender was paused: lists of from, to."""
        print('gaps', file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return answer['gaps'], answer['stood']

    def send(self, command):
        """Sends a command; returns the time of the first frame after it."""
        print(command, file=self.process.stdin, flush=True)
        return self.answer()


class Watch(Process):
    """clqc watch; keeps its lines of JSON with their times of arrival."""

    def __init__(self, folder, *words, policy=POLICY, is_long=False,
                 **settings):
        folder = Path(folder)
        (folder / 'live.toml').write_text(policy, encoding='utf-8')
        self.lines = []
        self.is_long = is_long  # without it no statistics are written
        self.errors = open(folder / 'errors.txt', 'w+', encoding='utf-8')
        super().__init__(
            sys.executable, '-m', 'clqc', 'watch', *words, '--policy',
            folder / 'live.toml', '--jsonl', '-', stdout=subprocess.PIPE,
            stderr=self.errors, env={**os.environ, **settings})
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        with contextlib.suppress(ValueError):  # closed, or aborted, at the end
            for text in self.process.stdout:
                line = json.loads(text)
                if not self.is_long or line['type'] != 'statistics':
                    self.lines.append({**line, 'came': time.time()})

    def find(self, since=0, **fields):
        """Returns the first line after @since that has these fields."""
        for line in list(self.lines):
            if line['came'] >= since and all(
                    line.get(key) == value for key, value in fields.items()):
                return line
        return None

    def wait(self, seconds=GUARD, since=0, **fields):
        return until(lambda: self.find(since, **fields), seconds,
                     lambda: f'{fields}; {self.output()}')

    def output(self):
        with open(self.errors.name, encoding='utf-8') as file:
            return file.read()

    def stop(self):
        """Stops the command as a user does; returns its exit status."""
        self.process.terminate()
        status = self.process.wait(GUARD)
        self.thread.join(GUARD)
        return status

    def children(self):
        """Returns the ids of the processes that decode."""
        pid = self.process.pid
        path = f'/proc/{pid}/task'
        found = []
        for task in os.listdir(path):
            with contextlib.suppress(OSError):
                with open(f'{path}/{task}/children',
                          encoding='utf-8') as file:
                    found += map(int, file.read().split())
        return found


class Broker(Process):
    """mosquitto, with a separate configuration."""

    def __init__(self, folder, port=None, more='', keeps=False):
        self.port = port or free_port()
        folder = Path(folder)
        config = folder / 'mosquitto.conf'
        if 'listener' not in more:
            more += f'\nlistener {self.port} 127.0.0.1\n'
        if 'allow_anonymous' not in more:
            more += 'allow_anonymous true\n'
        config.write_text(
            f'persistence {"true" if keeps else "false"}\n'
            f'persistence_location {folder}/\nuser root\n' + more,
            encoding='utf-8')
        super().__init__(program('mosquitto'), '-c', config,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._answers, GUARD, 'mosquitto')

    def stop(self):
        """Stops the broker, which saves its retained messages."""
        self.process.terminate()
        self.process.wait(GUARD)

    def _answers(self):
        with contextlib.suppress(OSError):
            socket.create_connection(('127.0.0.1', self.port), 1).close()
            return True
        return False


class Subscriber(Process):
    """mosquitto_sub: topics and texts, with their time of arrival. The
    constructor returns when the broker has acknowledged the subscription."""

    def __init__(self, port, prefix, *words):
        self.messages = []
        self.has_subscribed = threading.Event()
        super().__init__('stdbuf', '-oL', program('mosquitto_sub'), '-h',
                         '127.0.0.1', '-p', port, '-d', '-v', '-q', '1', '-t',
                         f'{prefix}/#', *words, stdout=subprocess.PIPE)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        assert self.has_subscribed.wait(GUARD), self.messages

    def _read(self):
        with contextlib.suppress(ValueError):  # closed at the end
            for text in self.process.stdout:
                topic, _, payload = text.rstrip('\n').partition(' ')
                if topic == 'Subscribed':  # of -d
                    self.has_subscribed.set()
                if topic in ('Client', 'Subscribed'):
                    continue
                with contextlib.suppress(ValueError):
                    payload = json.loads(payload)
                self.messages.append((time.time(), topic, payload))

    def wait(self, topic, seconds=GUARD, since=0, **fields):
        """Returns the first message of the topic with these fields (or this
        text, as `text`), and its time of arrival."""
        def find():
            for came, name, payload in list(self.messages):
                if came >= since and name == topic and (
                        payload == fields['text'] if 'text' in fields else
                        all(payload.get(key) == value
                            for key, value in fields.items())):
                    return came, payload
            return None
        return until(find, seconds,
                     lambda: f'{topic} {fields}: {self.messages}')


def program(name):
    """Returns the path of a server program, also outside the PATH of users."""
    for folder in ('/usr/bin', '/usr/sbin', '/usr/local/bin',
                   '/usr/local/sbin'):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    return None


def sdp(folder, port):
    """Returns the SDP of the stream of `sender.py rtp PORT`."""
    path = Path(folder) / f'camera-{port}.sdp'
    path.write_text(SDP.format(port=port), encoding='utf-8')
    return path
