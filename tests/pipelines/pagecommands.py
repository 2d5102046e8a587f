# SPDX-License-Identifier: LGPL-2.1-or-later
"""The blocks of commands in pages, manuals and API documentation, and a runner
that runs each distinct one once.

Blocks that wait in real time run in parallel with those that compute; of the
latter, one runs on each core. Each run has a separate folder.
"""
import concurrent.futures
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
from typing import List, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 300  # timeout of a hang

# Words that only a reader can replace, and programs with several names, with
# the words that run in their place.
REPLACEMENTS = {
    r'\bautovideosink\b': 'fakesink',
    r'\btail -f\b': 'timeout 1 tail -f',
    r'\brtsp://camera/1\b': 'clip.avi',
    r'\bfile:///srv/backup\.mkv\b': 'backup.avi',
    r'\bfailover(\.py)? \S+\.avi \S+\.avi$': r'\g<0> fakesink fakesink',
    r'\bvideotestsrc !': 'videotestsrc num-buffers=3 !',
    r'(?<=filesrc location=)tests/data/pedestrians\.avi\b': 'clip.avi',
    r'/usr/libexec/gst-opencl/clqc-replay\b': 'clqc-replay',
}
LIVE = r'is-live=true|\btail -f\b|\bfailover\b'
PORT = r'(?:127\.0\.0\.1:|\bport=|-p )(\d{4,5})\b'
RESULTS = r'\blocation=([\w-]+\.jsonl)\b'


class Block(NamedTuple):
    page: str  # below the root of the checkout
    line: int  # first line of the block
    kind: str  # the language of a fence, "indented", "manual" or "api"
    text: str


def blocks_of(page):
    """Returns the blocks of a file, in order."""
    text = (ROOT / page).read_text(encoding='utf-8')
    if page.endswith('.md'):
        # A fence, or indented lines after an empty one.
        pattern = r'^```(?P<kind>\w*)\n(?P<text>.*?)^```$|' \
                  r'(?<=\n\n)(?P<indented>(?: {4}[^\n]*\n)+)'
    elif page.endswith('.c'):
        pattern = r'^ \* \|\[\n(?P<api>.*?)^ \* \]\|'
    else:
        examples = re.search(r'^\.SH EXAMPLES\n.*?(?=^\.SH )', text,
                             re.M | re.S)
        text = text[:examples.end()]
        text = re.sub(r'.', '', text[:examples.start()]) + examples[0]
        pattern = r'^\.nf\n(?P<manual>.*?)^\.fi$'
    for match in re.finditer(pattern, text, re.M | re.S):
        found = match.groupdict()
        kind = found.pop('kind', None) or match.lastgroup
        body = found.get('text') or match[match.lastgroup]
        prefix = {'indented': '^ {4}', 'api': r'^ \* ',
                  'manual': r'\\(?=-)'}.get(kind, '^')
        body = re.sub(prefix, '', body, flags=re.M)
        yield Block(page, text.count('\n', 0, match.start()) + 1, kind, body)


def fenced(page, language):
    """Returns the texts of the blocks of a page in one language."""
    return [block.text for block in blocks_of(page) if block.kind == language]


def normalised(text):
    """Returns the text in a form that runs on any machine."""
    text = re.sub(r' *\\\n *', ' ', text)
    for pattern, other in REPLACEMENTS.items():
        text = re.sub(pattern, other, text, flags=re.M)
    return text


class Run:
    """Blocks that run one after the other in one folder: later ones read
    results of earlier ones."""

    def __init__(self, block):
        self.blocks: List[Block] = [block]
        self.alike: List[Block] = []  # blocks with the same text elsewhere
        self.error = self.skipped = None
        self.seconds = 0.0

    @property
    def text(self):
        return ''.join(block.text for block in self.blocks)

    def writes_for(self, block):
        """Returns whether @block reads a file that these blocks write."""
        return any(name in block.text and f'location={name}' not in block.text
                   for name in re.findall(RESULTS, self.text))


def distinct_runs(blocks):
    """Returns the runs of normalised @blocks: each text once."""
    runs = []
    for block in blocks:
        earlier = [run for run in runs if run.blocks[0].page == block.page
                   and run.writes_for(block)]
        if earlier:
            earlier[-1].blocks.append(block)
        else:
            runs.append(Run(block))
    by_text = {}
    for run in runs:
        first = by_text.setdefault(run.text, run)
        if first is not run:
            first.alike += run.blocks
    return list(by_text.values())


def with_free_ports(text):
    """Returns the text with unused ports of this machine."""
    for port in set(re.findall(PORT, text)):
        with socket.socket() as one:
            one.bind(('127.0.0.1', 0))
            text = re.sub(rf'\b{port}\b', str(one.getsockname()[1]), text)
    return text


def run_all(runs, execute):
    """Calls execute(run) for each of @runs, and sets its error or skipped.
    Returns when all have ended."""
    def timed(run):
        start = time.monotonic()
        execute(run)
        run.seconds = time.monotonic() - start

    workers = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(workers) as computing, \
            concurrent.futures.ThreadPoolExecutor(2 * workers) as waiting:
        futures = [
            (waiting if re.search(LIVE, run.text) else computing).submit(
                timed, run) for run in reversed(runs)]  # manuals take longest
        for future in futures:
            future.result()


def shell(text, folder, environment):
    """Runs @text in a shell, and ends the processes that it left in the
    background. Returns its exit status and its output."""
    with open(folder / 'printed', 'w+', encoding='utf-8',
              errors='replace') as printed:
        with subprocess.Popen(['sh', '-euc', text], cwd=folder,
                              env=environment, stdin=subprocess.DEVNULL,
                              stdout=printed, stderr=subprocess.STDOUT,
                              start_new_session=True) as process:
            try:
                status = process.wait(TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                status = 'a time-out'
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        printed.seek(0)
        return status, printed.read()
