# SPDX-License-Identifier: LGPL-2.1-or-later
"""States and judges of streams without processes."""
import pickle

from clqc.judging import policy
from clqc.live.configuration.stream_addresses import Stream
from clqc.live.judging.health import Fault, Health
from clqc.live.judging.judge import Judging, Rules
from clqc.live.outputs.state import State

BLACK = Fault('events.black', 'error', 'Black picture; none is allowed.')
FORM = {'width': 64, 'height': 48, 'format': 'I420', 'rate': [25, 1],
        'sound': False, 'codec': 'H.264'}


def state(name='cam', uri='rtsp://me:secret@host/1'):
    return State(Stream(name, uri), Health())


def connected(healthy=True):
    one = state()
    one.connection = 'connected'
    one.form = FORM
    one.health.update([] if healthy else [BLACK], 0)
    one.count({'frames': 9, 'dropped': 1, 'behind': 0.25, 'position': 3.0,
               'memory': 5_000_000, 'statistics': {'YAVG': 99.5},
               'faults': [], 'rate': 24.5,
               'counts': {'missing-frames': 3, 'lost-packets': {'ts': 7},
                          'transport-errors': {'continuity': 2},
                          'packets': {'ts': 93},
                          'decode-errors': {'video': 4}}})
    return one


def judging(text):
    rules = Rules.of(policy.parse(text, 'test'))
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules  # the process that decodes gets them so
    return Judging(again)


def event(judge, kind, state, time, start=None):
    judge.event({'type': 'event', 'event': kind, 'state': state,
                 'running-time': time, 'start-running-time': start})


def rules(judge):
    return [fault.rule for fault in judge.faults()]
