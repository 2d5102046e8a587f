# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command clqc."""
import argparse
import atexit
import contextlib
import os
import signal
import sys
from collections import Counter
from typing import Any, List, NoReturn, Optional, Sequence, Tuple

from clqc import __version__
from clqc.common import printable
from clqc.common.arguments import SECONDS
from clqc.common.errors import ClqcError, one_line
from clqc.comparing import arguments as comparing
from clqc.decoding import jobs
from clqc.farm import options
from clqc.inputs import discovery
from clqc.live.configuration import arguments as live
from clqc.results.result_files import FACTS

EPILOG = """exit status: 0 all files pass, 1 some fail the policy, 2 some could
not be measured or the command is wrong. docs/clqc.md explains the rest."""


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError('a whole number, at least 1')
    return int(text)


def _number_or_auto(text: str) -> int:
    return 0 if text == 'auto' else _number(text)


def _add_policy(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--policy', metavar='P',
                        help='a file, or a name that clqc policies lists')


def _add_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--quiet', action='store_true',
                        help='report only files that do not pass')


class _Parser(argparse.ArgumentParser):
    """A parser of whole names of options, also for each command: `--stal` in
    a script would be another option once a later release has two of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)


def _parser() -> Tuple[argparse.ArgumentParser, Any]:
    """Returns the parser, and the parsers of the commands by name."""
    parser = _Parser(prog='clqc', epilog=EPILOG, description=__doc__)
    parser.add_argument('--version', action='version', version=__version__)
    commands = parser.add_subparsers(dest='command', required=True)

    check = commands.add_parser(
        'check', help='measure files and judge them', epilog=EPILOG)
    check.add_argument('paths', nargs='+', metavar='PATH',
                       help='a file, or a folder with its subfolders')
    check.add_argument('--out', required=True, metavar='DIR',
                       help='where results go: a folder for each file')
    _add_policy(check)
    check.add_argument('--parts', type=_number, metavar='N',
                       help='measure a file in N parts; same results (1; on '
                       'farms: of five minutes)')
    check.add_argument('--jobs', type=_number_or_auto, metavar='N',
                       help='files, or parts of one, at a time; auto: as '
                       '--cluster local (auto with Dask and more than two '
                       'cores, else 1)')
    options.add(check)
    check.add_argument('--no-reports', action='store_true',
                       help='write only verdicts and statistics')
    _add_quiet(check)

    judge = commands.add_parser(
        'judge', help='apply another policy to measured files',
        epilog=EPILOG)
    judge.add_argument('out', metavar='DIR',
                       help='an output folder of clqc check')
    _add_policy(judge)
    _add_quiet(judge)

    learn = commands.add_parser(
        'learn', help='propose a policy from files known to be good, or take '
        'a known picture from a file')
    learn.add_argument('out', nargs='+', metavar='GOOD',
                       help='an output folder of clqc check; with --card, a '
                       'video')
    learn.add_argument('--card', metavar='NAME',
                       help='print a frame of the video as a known picture '
                       'for a card file')
    learn.add_argument('--at', type=SECONDS, metavar='SECONDS',
                       help='with --card, the time of the frame; default: 0')

    hdr10plus = commands.add_parser(
        'hdr10plus', help='write HDR10+ metadata from lines of clframesum')
    hdr10plus.add_argument('file', metavar='FILE',
                           help='lines of frames with statistics=light+'
                           'light-histogram and events=scene')
    hdr10plus.add_argument('-o', '--out', required=True, metavar='OUT',
                           help='the JSON file to write')
    hdr10plus.add_argument('--transfer', choices=('pq', 'hlg'), default='pq',
                           help='transfer function of the lines (pq)')
    hdr10plus.add_argument('--range', choices=('limited', 'full'),
                           default='limited', help='colour range, for lines '
                           'without full-range (limited)')

    commands.add_parser('policies',
                        help='list the policies that come with clqc')
    live.add(commands)
    comparing.add(commands)
    return parser, commands.choices


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Parses the arguments. An empty argument is an error: the command may
    come from a script whose variable is not set."""
    parser, commands = _parser()
    parsed = parser.parse_args(words)
    command = commands[parsed.command]
    for action in command._actions:  # argparse has no public list of them
        value = getattr(parsed, action.dest, None)
        if value == '' or isinstance(value, list) and '' in value:
            command.error(str(argparse.ArgumentError(
                action, 'its value is empty')))
    return parsed


def _check(arguments: argparse.Namespace) -> int:
    from clqc.checking import batch, check
    from clqc.measuring import card_files
    how = check.Options(
        arguments.out, card_files.load_policy(arguments.policy or 'default'),
        arguments.parts, arguments.jobs or 1, not arguments.no_reports)
    skipped: Counter[str] = Counter()
    items = discovery.find(arguments.paths, skipped)
    if os.path.exists(arguments.out) and not os.path.isdir(arguments.out):
        raise ClqcError(f'{arguments.out}: a file, not a folder')
    if not discovery.is_utf8(arguments.out):
        raise ClqcError(f'{arguments.out}: {discovery.NOT_UTF8}')
    if not arguments.policy and not arguments.quiet:
        print('policy: default', file=sys.stderr)
    if skipped and not arguments.quiet:
        print(printable.line(discovery.describe_skipped(skipped)),
              file=sys.stderr)
    with options.opened(arguments) as how.farm:
        return batch.check_all(items, how, arguments.quiet)


def _judge(arguments: argparse.Namespace) -> int:
    from clqc.checking import batch
    from clqc.measuring import card_files
    return batch.judge_all(
        arguments.out, card_files.load_policy(arguments.policy or 'default'),
        arguments.quiet)


def _learn(arguments: argparse.Namespace) -> int:
    from clqc.checking import batch
    from clqc.judging import learning
    from clqc.measuring import card_learning
    if arguments.card is not None:
        if len(arguments.out) != 1:
            raise ClqcError('a card is learnt from one video')
        print(card_learning.learn(arguments.card, arguments.out[0],
                                  arguments.at or 0), end='')
        return 0
    if arguments.at is not None:
        raise ClqcError('--at is for --card')
    found = list({os.path.realpath(results.folder): results
                  for folder in arguments.out
                  for _, results in batch.measured(folder)
                  if results.has(FACTS)}.values())
    if not found:
        raise ClqcError(f'{arguments.out[0]}: no results of clqc '
                        'check')
    print(learning.learn(found), end='')
    return 0


def _hdr10plus(arguments: argparse.Namespace) -> int:
    from clqc.reporting import hdr10plus
    hdr10plus.write(arguments.file, arguments.out, arguments.transfer,
                    arguments.range)
    return 0


def _policies(_: argparse.Namespace) -> int:
    from clqc.judging import policy
    for name in policy.shipped():
        print(f'{name:20} {policy.load(name).description}')
    return 0


def _watch(arguments: argparse.Namespace) -> int:
    from clqc.live import command
    return command.run(arguments)


def _compare(arguments: argparse.Namespace) -> int:
    from clqc.comparing import compare
    return compare.compare(compare.Options.of(arguments))


COMMANDS = {'check': _check, 'judge': _judge, 'learn': _learn,
            'hdr10plus': _hdr10plus, 'policies': _policies, 'watch': _watch,
            'compare': _compare}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command; returns its exit status."""
    words: List[str] = list(sys.argv[1:] if arguments is None else arguments)
    parsed = _parse(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return COMMANDS[parsed.command](parsed)
    except (ClqcError, OSError) as error:
        for line in f'clqc: {one_line(error)}'.split('\n'):
            print(printable.line(line), file=sys.stderr)
    except (KeyboardInterrupt, jobs.Cancelled):
        # objects under construction may fail in their destructors
        sys.unraisablehook = lambda _: None
        again = '' if parsed.command == 'compare' else (
            '; the next run continues from here')
        print(f'clqc: stopped{again}', file=sys.stderr)
        return 130
    return 2


def run() -> NoReturn:
    """Runs the command of this process and ends the process. Dask leaves
    threads behind; after all exit handlers the process ends at once, because
    Python might crash while it shuts down under these threads."""
    status: Optional[int] = None

    def end() -> None:
        if status is not None and 'distributed' in sys.modules:
            for stream in sys.stdout, sys.stderr:
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
            os._exit(status)
    atexit.register(end)  # the first handler runs last
    status = main()
    sys.exit(status)
