# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process that decodes: `python3 -m clqc.decoding.worker` reads requests
as JSON on standard input, each on one line: `task`, `log` (a file for other
output), `settings` (variables of the environment) and `request`, what the
task needs. It writes lines of JSON on standard output: `position` in
nanoseconds now and then, `alive` every few seconds, at last `result`, or
`error` with `of-machine` where it is no fault of the file. It ends after an
error, and at the end of its input. A file that makes a decoder crash or hang
costs this process alone.
"""
import base64
import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List

from clqc.common.errors import ClqcError, MachineError, no_bindings
from clqc.decoding import jobs, worker_messages

Tick = Callable[[int], None]
Say = Callable[[Dict[str, Any]], None]

# GStreamer before this one needs edit_lists.py.
_WITHOUT_EDITS = (1, 22, 3)


@contextlib.contextmanager
def _mended(path: str) -> Iterator[str]:
    """Returns a path from which GStreamer outputs all frames of a file. Boxes
    of MPEG-4 have names of letters, and other formats need no table to be
    read."""
    from clqc.decoding.gst import Gst
    from clqc.inputs.locations import is_http
    if Gst.version()[:3] < _WITHOUT_EDITS and not is_http(path):
        with open(path, 'rb') as file:
            is_suspect = file.read(8)[4:].isalpha()
        if is_suspect:
            from clqc.containers.edit_lists import mended
            with mended(path) as found:
                yield found
            return
    yield path


def _measure(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    from clqc.decoding.file_parts import Part
    from clqc.decoding.frames import measure
    with _mended(request['path']) as path:
        return measure(Part(**dict(request, path=path)), tick)


def _packets(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    from clqc.decoding.packets import read
    with _mended(request['path']) as path:
        scan = read(path, request.get('track'), tick)
    if scan.pop('has-slices'):
        # in a process of its own, which may crash
        with contextlib.suppress(ClqcError):
            scan['slices'] = jobs.run(
                os.devnull, 'slices', tick, path=request['path'],
                track=request.get('track'))['errors']
    return scan


def _levels(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    from clqc.decoding.sound import levels
    with _mended(request['path']) as path:
        return levels(path, tick)


def _container(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    from clqc.containers.readers import damage_of
    from clqc.decoding.media_info import describe
    from clqc.inputs.locations import is_http
    path = request['path']
    try:
        return describe(path)
    except ClqcError as error:
        why = '' if is_http(path) else damage_of(path, lambda: tick(0))
        raise ClqcError(str(error).rstrip('.') + why) from error


def _survey(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    """Runs both tasks, because starting a process takes longer than reading
    the packets of a short file."""
    facts = _container(request, tick)
    scan = _packets({**request, 'track': facts['video'].get('track')}, tick)
    return {'facts': facts, 'scan': scan}


def _slices(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    from clqc.decoding.hevc_slices import check
    with _mended(request['path']) as path:
        return check(path, request.get('track'), tick)


def _text(jpeg: bytes) -> str:
    return base64.b64encode(jpeg).decode('ascii')


def _texts(jpegs: Iterable[bytes]) -> List[str]:
    return [_text(jpeg) for jpeg in jpegs]


def _thumbnails(request: Dict[str, Any], _: Tick) -> Dict[str, Any]:
    from clqc.decoding.pictures import make
    with _mended(request['path']) as path:
        return {'pictures': [
            {'time': picture.time, 'width': picture.width,
             'height': picture.height, 'jpeg': _text(picture.jpeg),
             'scopes': dict(zip(picture.scopes, _texts(
                 picture.scopes.values())))}
            for picture in make(path, request['times'],
                                track=request.get('track'))]}


def _compare(request: Dict[str, Any], tick: Tick) -> Dict[str, Any]:
    from clqc.decoding.comparison import compare
    from clqc.decoding.compared_files import Comparison
    plan = Comparison.from_json(request)
    with contextlib.ExitStack() as stack:
        for file in [plan.reference, *plan.files]:
            file.path = stack.enter_context(_mended(file.path))
        return compare(plan, tick)


def _differences(request: Dict[str, Any], _: Tick) -> Dict[str, Any]:
    from clqc.decoding.compared_files import Pictures
    from clqc.decoding.difference_pictures import make
    plan = Pictures.from_json(request)
    with contextlib.ExitStack() as stack:
        for file in plan.sources:
            file.path = stack.enter_context(_mended(file.path))
        return {'rows': {number: {
            'gain': row.gain, 'pictures': _texts(row.pictures),
            'details': _texts(row.details),
            'differences': _texts(row.differences)}
                for number, row in make(plan).items()}}


def _cells(request: Dict[str, Any], _: Tick) -> Dict[str, Any]:
    from clqc.decoding.card_cells import measure
    with _mended(request['path']) as path:
        return measure(path, request['time'])


def _versions(_: Dict[str, Any], __: Tick) -> Dict[str, Any]:
    from clqc.decoding.versions import versions
    return versions()


def _devices(request: Dict[str, Any], _: Tick) -> Dict[str, Any]:
    from clqc.decoding.devices import devices
    return {'devices': devices(request['kind'])}


TASKS = {'measure': _measure, 'packets': _packets, 'levels': _levels,
         'container': _container, 'survey': _survey,
         'slices': _slices, 'thumbnails': _thumbnails,
         'compare': _compare, 'differences': _differences,
         'cells': _cells, 'versions': _versions, 'devices': _devices}


@contextlib.contextmanager
def _alive(say: Say) -> Iterator[None]:
    """Writes `alive` regularly until the end of the block, also while the
    thread of the task waits for GStreamer."""
    has_ended = threading.Event()

    def run() -> None:
        with contextlib.suppress(OSError):  # the parent has ended
            while not has_ended.wait(worker_messages.ALIVE_SECONDS):
                say({'alive': True})
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def _output() -> Say:
    """Returns a function that writes a line to standard output, in any thread.
    Some plugins print to standard output: redirects it to the log."""
    output = os.fdopen(os.dup(1), 'w', encoding='utf-8')
    os.dup2(2, 1)
    lock = threading.Lock()

    def say(data: Dict[str, Any]) -> None:
        with lock:
            print(worker_messages.text(data), file=output, flush=True)
    return say


def _set_process(log: str, settings: Dict[str, str]) -> None:
    with open(log, 'a', encoding='utf-8') as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.update(settings)
    tempfile.tempdir = None  # TMPDIR is read again


def _serve(line: str, say: Say) -> None:
    order = json.loads(line)
    with _alive(say):
        _set_process(order['log'], order['settings'])
        result = TASKS[order['task']](
            order['request'], lambda position: say({'position': position}))
    say({'result': result})


def _serve_all(say: Say) -> None:
    with _alive(say):
        from clqc.decoding.gst import init
        init()
        from clqc.decoding import frames  # noqa: F401, before a request
    for line in sys.stdin:
        _serve(line, say)


def main() -> int:
    """Exit status 0 after results, 1 after an error."""
    # the parent stops this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    say = _output()
    try:
        _serve_all(say)
    except (ClqcError, OSError) as error:
        say({'error': str(error),
             'of-machine': isinstance(error, (MachineError, OSError))})
        return 1
    except ImportError as error:
        say({'error': no_bindings(error), 'of-machine': True})
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
