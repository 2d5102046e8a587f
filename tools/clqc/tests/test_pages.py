# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands of the pages and of the manual run, and print what they are
for. test_scale.py runs those of scale.md."""
import contextlib
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List

import clips
import docpages
import live
import pytest

# Words that only a reader can replace, and times for a busy machine.
REPLACEMENTS = {
    r'^scripts/setup\.sh qc\n': '',  # scripts/quickstart.sh runs it
    r'\bbuild/clqc\b': 'clqc',
    r'--seconds \d+': '--seconds 10',
    r'\bclqc watch\b': 'clqc watch --unhealthy-after 60',
    r'^sleep 1$': 'timeout 60 sh -c "until mosquitto_pub -h 127.0.0.1 '
                  '-p 18830 -t begun -n; do sleep 0.1; done" 2>/dev/null',
    r'-W 2\b': '-W 30',
}
PORT = r'(?:127\.0\.0\.1:|\bport=|-p )(\d{4,5})\b'

# The output of commands, by a pattern of them.
PRINTED = {
    r'^clqc policies': 'broadcast-range',
    r'^clqc check .*broadcast-range': '(outside.Y) is above 1 %',
    r'^clqc judge .*my\.toml': 'allowed is FFV1* or Apple ProRes*',
    r'^clqc check .*(out/good|out/checked|mine\.toml|--no-reports)$':
    '[1/1] pass',
    r'^clqc compare .*coarse': 'fine.mp4 is better than coarse.mp4: PSNR ',
    r'^clqc compare .*--min-ssim': 'fine.mp4: PSNR ',
    r'^clqc watch ': 'healthy',
    r'^mosquitto_sub ': 'tv/pedestrians/state {',
    r'^mosquitto_sub .*-v': 'tv/status offline',
    r'^promtool ': 'SUCCESS',
}
# Exit statuses that report a finding; 0 for all others.
STATUS = {
    r'^clqc (check|judge) .*(broadcast-range|my\.toml|web-delivery)$': 1,
}

# Ctrl-C ends it normally, once both streams are healthy.
UNTIL_HEALTHY = """{} >said 2>&1 &
watch=$!
timeout 120 sh -c 'until grep "studio: healthy" said &&
  grep "gate: healthy" said; do sleep 0.2; done' || cat said
kill $watch
wait $watch
"""


def manual() -> List[str]:
    """Returns the lines of the manual's examples."""
    text = (docpages.PACKAGE / 'clqc.1').read_text(encoding='utf-8')
    examples = re.search(r'^\.SH EXAMPLES\n\.nf\n(.*?)^\.fi$', text,
                         re.MULTILINE | re.DOTALL)
    assert examples
    return [re.sub(r'\\(?=-)', '', examples[1])]


def matches(table: Dict[str, Any], text: str) -> List[Any]:
    """Returns the table's values for the patterns that match."""
    return [value for pattern, value in table.items()
            if re.search(pattern, text, re.MULTILINE)]


def as_run(text: str) -> str:
    """Returns the text in a form that runs on any machine."""
    text = re.sub(r' *\\\n *', ' ', text)
    for pattern, other in REPLACEMENTS.items():
        text = re.sub(pattern, other, text, flags=re.MULTILINE)
    for port in set(re.findall(PORT, text)):
        text = re.sub(rf'\b{port}\b', str(live.free_port()), text)
    return text


BLOCKS = [text for page in ('clqc.md', 'compare.md', 'policies.md', 'live.md')
          for text in docpages.fenced(page, 'sh')] + manual()


def test_tables_name_commands() -> None:
    text = ''.join(map(as_run, BLOCKS))
    for table in PRINTED, STATUS:
        for pattern in table:
            assert re.search(pattern, text, re.MULTILINE), pattern


@pytest.fixture(name='folder')
def make_folder(tmp_path: Path) -> Path:
    """A folder with the files that the pages name."""
    (tmp_path / 'clips').mkdir()
    for name in 'clip.avi', 'clips/clip.avi':
        (tmp_path / name).symlink_to(clips.SOURCE)
    for name in 'tests', 'tools':
        (tmp_path / name).symlink_to(docpages.ROOT / name)
    for name, page, key in ('my', 'policies.md', ''), (
            'channel', 'live.md', 'name = "channel"'):
        (tmp_path / f'{name}.toml').write_text(next(
            text for text in docpages.fenced(page, 'toml') if key in text))
    return tmp_path


def run(text: str, folder: Path) -> None:
    """Line by line if an exit status reports a finding."""
    lines = text.splitlines() if matches(STATUS, text) else [text]
    printed = ''
    for line in lines:
        status, output = docpages.shell(line, folder)
        assert status == (matches(STATUS, line) or [0])[0], output
        printed += output
    assert 'Traceback' not in printed
    for words in matches(PRINTED, text):
        assert words in printed, printed


@contextlib.contextmanager
def sender(text: str) -> Iterator[None]:
    """Sends to the port that the manual's last line watches."""
    port = re.search(r'studio=udp://127\.0\.0\.1:(\d+)', text)
    with live.Sender('ts', port[1]) if port else contextlib.nullcontext():
        yield


@pytest.mark.parametrize('block', BLOCKS)
def test_commands(block: str, folder: Path) -> None:
    for program in 'mosquitto', 'promtool':
        if re.search(rf'^{program} ', block, re.MULTILINE) and \
                not live.program(program):
            pytest.skip(f'there is no {program}')
    text = as_run(block)
    with sender(text):
        run(text, folder)


def test_two_streams(folder: Path) -> None:
    """The indented command of live.md: a camera, a sender and a broker on this
    machine replace those of the page; the password is not printed."""
    pytest.importorskip('paho.mqtt.client')
    if subprocess.run(
            ['/usr/bin/python3', '-c', 'import gi; '
             'gi.require_version("GstRtspServer", "1.0")'],
            check=False).returncode or not live.program('mosquitto'):
        pytest.skip('there is no RTSP server or no broker')
    text = re.search(r'^ {4}clqc watch (?:.*\\\n)+.*\n',
                     docpages.text_of('live.md'), re.MULTILINE)[0]
    rtsp, page = live.free_port(), live.free_port()
    srt = live.free_port(live.socket.SOCK_DGRAM)
    with live.Process(
            '/usr/bin/python3', docpages.PACKAGE / 'tests/rtsp_camera.py',
            rtsp, 'me', 's3cret', stdout=subprocess.PIPE) as camera, \
            live.Sender('srt', srt), live.Broker(folder) as broker:
        assert camera.process.stdout.readline() == 'listening\n'
        text = as_run(text)
        for place, other in {
                'rtsp://camera-1/stream':
                f'rtsp://me:s3cret@127.0.0.1:{rtsp}/live',
                'srt://10.0.0.8:7001': f'srt://127.0.0.1:{srt}',
                '/var/log/clqc.jsonl': 'clqc.jsonl',
                'mqtt://broker/tv': f'mqtt://127.0.0.1:{broker.port}/tv',
                '0.0.0.0:9550': f'127.0.0.1:{page}'}.items():
            assert place in text, place
            text = text.replace(place, other)
        status, output = docpages.shell(
            UNTIL_HEALTHY.format(text.strip()), folder)
        assert status == 0, output
        printed = (folder / 'said').read_text(encoding='utf-8')
        assert 'studio: healthy' in printed and 'gate: healthy' in printed
        assert 's3cret' not in printed
        with live.Subscriber(broker.port, 'tv') as heard:
            heard.wait('tv/gate/state', seconds=30, connection='stopped')
    assert (folder / 'clqc.jsonl').stat().st_size > 0
