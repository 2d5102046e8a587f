#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every block of commands of the documentation runs: fenced blocks of sh and
python in pages, EXAMPLES of manuals, launch lines of the API documentation,
and the indented commands that INDENTED names. NOT_RUN names all others.

A missing program that a block calls is a failure, except for the programs in
NEEDS: such a block is skipped, and named.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import launch
import pagecommands
from pagecommands import ROOT

try:
    import gi  # noqa: F401, used by the examples
except ImportError as error:
    launch.skip(str(error))

BUILD = Path(os.environ['BUILD_DIR'])
DATA = ROOT / 'tests/data'
ENVIRONMENT = os.environ | {'PATH': os.pathsep.join([
    str(BUILD), str(BUILD / 'tools/replay'), os.environ['PATH'],
    '/usr/sbin']), 'PYTHONPATH': str(ROOT / 'bindings/python'),
    'PKG_CONFIG_PATH': str(BUILD / 'meson-uninstalled'),
    'GI_TYPELIB_PATH': str(BUILD / 'gst-libs'),
    'LD_LIBRARY_PATH': str(BUILD / 'gst-libs')}
MANUALS = ['docs/gst-opencl.7', 'tools/replay/clqc-replay.1']
# scripts/setup.sh test installs all of them.
PROGRAMS = ('gst-launch-1.0', 'gst-inspect-1.0', 'ffmpeg', 'jq', 'gcc',
            'pkg-config', 'python3', 'xargs', 'mkfifo', 'cmp')

# Indented blocks that are commands, by page; others are not run.
INDENTED = {'README.md': ''}
# Blocks that do not run here: page, pattern of a block or of a line, and where
# that runs, or why it does not run anywhere.
NOT_RUN = [
    ('README.md', r'^scripts/demo\.sh .*\n', 'scripts/quickstart.sh demo'),
    ('README.md', r'^export GST_PLUGIN_PATH.*\n',
     'scripts/quickstart.sh demo'),
    ('README.md', r'(?s)^scripts/setup\.sh qc\n.*',
     'scripts/quickstart.sh qc'),
    ('README.md', r'^scripts/test\.sh\n', 'this test is part of it'),
    ('README.md', r'(?s)^apt-get .*', 'scripts/quickstart.sh hand'),
    ('README.md', r'(?s)^message = .*', 'a part of examples/framesum.py'),
    ('docs/integral-image.md', r'(?s).+', 'expressions, not programs'),
    ('docs/library.md', r'(?s)^import gi.*',
     'tests/pipelines/test_library.py'),
    ('docs/memory.md', r'(?s)^def share.*',
     'tests/pipelines/test_owncontext.py'),
    ('docs/statistics.md', r'(?s)^def results.*',
     'tests/pipelines/test_framesum.py'),
    ('docs/statistics.md', r'(?s)^from gi.*',
     'tests/pipelines/test_analytics.py'),
    ('docs/statistics.md', r'^total = .*\n', 'a part of '
     'examples/mergepooled.py'),
    ('docs/statistics.md', r'(?s)^import numpy.*',
     'tests/pipelines/test_scopecounts.py'),
    ('docs/testing.md', r'(?s).+', 'by hand: scripts that set up systems'),
]
# The input of each Python program of a page, lines or a source; and its
# output.
BLACK = 'videotestsrc num-buffers=90 pattern=black'
ARGUMENTS = {
    'README.md': [('', '(3, 6, 8)')],
    'docs/archive.md': [('clip.jsonl', 'BRNG > 0.05: 0 of 60 frames')],
    'docs/tamper.md': [('day.jsonl', 'freeze-noise below 0.00445'),
                       (BLACK, '0.0 s: single-color start')],
    'docs/cookbook.md': [('', 'black start'), ('', 'luma_mean 1'),
                         ('', '49 '), ('', '2.01403'),
                         ('', '20')],
    'docs/exposure.md': [(BLACK, '+7.49 stops, 0.0% clipped')],
}
# The output of commands, by a pattern of them.
PRINTED = {
    r'^(\./|examples/)framesum(\.py)? ': 'frame 59 at ',
    r'\bframesumlines$': 'frame 59 at ',
    r'^\./owncontext$': 'frame',
}
# The files that commands create, checked by another command.
LEFT = {
    r'pattern=black.* events=black\+freeze location=frames\.jsonl':
    'test $(grep -c \'"type":"frame"\' frames.jsonl) = 90; '
    'grep -q \'"event":"black"\' frames.jsonl',
    r'location=blurred\.ogg': 'test -s blurred.ogg',
}


def exists(*command):
    """Returns whether the command reports it by its exit status."""
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def has_elements(*names):
    return all(exists('gst-inspect-1.0', '--exists', name) for name in names)


# Features that not every system or build has, by a pattern of the commands.
NEEDS = {
    r'json-glib-1\.0': lambda: exists('pkg-config', '--exists',
                                      'json-glib-1.0'),
}


def all_blocks():
    """The blocks of commands of all pages, unchanged."""
    pages = [*ROOT.glob('*.md'), *ROOT.glob('docs/*.md'),
             ROOT / 'examples/README.md', *ROOT.glob('gst/elements/**/*.c')]
    for page in [*sorted(str(path.relative_to(ROOT)) for path in pages),
                 *MANUALS]:
        for block in pagecommands.blocks_of(page):
            if block.kind in ('sh', 'python', 'manual', 'api') or (
                    block.kind == 'indented' and page in INDENTED and
                    block.text.startswith(INDENTED[page])):
                yield block


def python_command(block, argument, words):
    """A shell runs the Python program of a page, which prints @words."""
    return block._replace(
        text=f"/usr/bin/python3 - '{argument}' <<'END' >said\n"
        f"{block.text}END\ncat said\n"
        f"grep -qF -- '{words}' said\n! grep 'not measured' said\n")


def as_run(block):
    """Returns the block in a form that runs on any machine, without the lines
    in NOT_RUN. Lines that check for a decoder of NVIDIA's are kept."""
    text = block.text
    for page, pattern, _ in NOT_RUN:
        if page == block.page:
            text = re.sub(pattern, '', text, flags=re.M)
    text = pagecommands.normalised(text)
    if '--exists' not in text and not has_elements('nvh264dec'):
        text = re.sub(r'\bnvh264dec\b', 'avdec_h264', text)
    return block._replace(text=text)


def blocks_to_run(blocks):
    arguments = {page: list(given) for page, given in ARGUMENTS.items()}
    for block in blocks:
        block = as_run(block)
        if block.kind == 'python' and block.text:
            block = python_command(block, *arguments[block.page].pop(0))
        if block.text:
            yield block


def matches(table, text):
    """Returns the table's values for the patterns that match."""
    return [value for pattern, value in table.items()
            if re.search(pattern, text, re.M)]


class PagesTest(launch.PipelineTest):
    def make_board(self, board):
        """The negative of the page, white on black."""
        raw = self.folder / 'board.raw'
        launch.run(f'-q filesrc location={DATA}/page.png ! pngdec ! '
                   f'videoconvert ! video/x-raw,format=GRAY8 ! '
                   f'filesink location={raw}')
        negative = bytes(255 - code for code in raw.read_bytes())
        raw.write_bytes(negative)
        launch.run(f'-q filesrc location={raw} blocksize={len(negative)} ! '
                   f'rawvideoparse format=gray8 width=558 height=563 ! '
                   f'pngenc ! filesink location={board}')

    def make_template(self):
        """A folder with the files that the pages name."""
        template = self.folder / 'template'
        for name in 'archive', 'clips':
            (template / name).mkdir(parents=True)
        for name in 'clip.avi', 'backup.avi', 'archive/tape.avi', \
                'clips/clip.avi':
            (template / name).symlink_to(launch.CLIP)
        for name in 'examples', 'tests', 'tools':
            (template / name).symlink_to(ROOT / name)
        (template / 'page.png').symlink_to(DATA / 'page.png')
        self.output('ffmpeg', '-v', 'error', '-i', DATA / 'testsrc.h264', '-c',
                    'copy', template / 'clip.mp4')
        self.make_board(template / 'board.png')
        (template / 'mask.png').symlink_to('board.png')

    def run_commands(self, text, folder):
        status, printed = pagecommands.shell(text, folder, ENVIRONMENT)
        self.assertEqual(status, 0, printed)
        self.assertNotRegex(printed, 'ERROR| failed|not found')
        self.assertNotIn('Traceback', printed)
        for words in matches(PRINTED, text):
            self.assertIn(words, printed)
        for command in matches(LEFT, text):
            status, _ = pagecommands.shell(command, folder, ENVIRONMENT)
            self.assertEqual(status, 0, f'{text}{command}')

    def execute(self, run):
        folder = Path(tempfile.mkdtemp(dir=self.folder)) / 'run'
        shutil.copytree(self.folder / 'template', folder, symlinks=True)
        try:
            for pattern, is_there in NEEDS.items():
                if re.search(pattern, run.text, re.M) and not is_there():
                    run.skipped = f'needs {pattern}'
                    return
            for block in run.blocks:
                self.run_commands(pagecommands.with_free_ports(block.text),
                                  folder)
        except Exception:  # pylint: disable=broad-exception-caught
            run.error = traceback.format_exc()
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # some are still ending

    def test_blocks(self):
        for program in PROGRAMS:
            self.assertTrue(shutil.which(program), f'there is no {program}')
        blocks = list(blocks_to_run(all_blocks()))
        self.assertGreater(len(blocks), 90)
        runs = pagecommands.distinct_runs(blocks)
        self.make_template()
        pagecommands.run_all(runs, self.execute)
        for run in runs:
            where = ', '.join(f'{block.page}:{block.line}'
                              for block in run.blocks + run.alike)
            print(f'{run.seconds:6.1f} s  {where}: '
                  f'{run.skipped or "ok" if not run.error else "FAIL"}',
                  file=sys.stderr)
            with self.subTest(where, text=run.text):
                if run.skipped:
                    self.skipTest(run.skipped)
                self.assertIsNone(run.error, run.error)

    def test_tables_name_existing_blocks(self):
        """Every row of a table matches a page."""
        blocks = list(all_blocks())
        for page, pattern, reason in NOT_RUN:
            self.assertTrue(
                any(re.search(pattern, block.text, re.M) for block in blocks
                    if block.page == page), (page, pattern))
            if reason.startswith(('scripts/', 'tests/', 'tools/')):
                self.assertTrue((ROOT / reason.split()[0]).exists(), reason)
        quickstart = (ROOT / 'scripts/quickstart.sh').read_text()
        readme = (ROOT / 'README.md').read_text(encoding='utf-8')
        for line in re.findall(r"\(indented '(.*)'\)", quickstart):
            self.assertIn(f'{line}\n\n    ', readme)
        text = ''.join(block.text for block in blocks_to_run(blocks))
        for table in PRINTED, LEFT, NEEDS:
            for pattern in table:
                self.assertRegex(text, re.compile(pattern, re.M))


if __name__ == '__main__':
    launch.main()
