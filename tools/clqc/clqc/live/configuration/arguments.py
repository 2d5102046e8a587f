# SPDX-License-Identifier: LGPL-2.1-or-later
"""The arguments of the command clqc watch."""
from typing import Any

from clqc.common.arguments import SECONDS, number

EPILOG = """exit status: 0 all streams were healthy, 1 one was not, failed, or
had no frame, 2 none had one or the command is wrong; 0 if you stop it.
docs/live.md explains the rest."""

_above_zero = number('a number of seconds, at least 0.1', 0.1)


def add(commands: Any) -> None:
    """Adds the command to those of clqc."""
    watch = commands.add_parser(
        'watch', help='follow cameras and channels', epilog=EPILOG)
    watch.add_argument('streams', nargs='*', metavar='[NAME=]URI',
                       help='rtsp://, srt://, udp://, rtp://, a device, a '
                       'FIFO, a .sdp file, or a file, which is played at its '
                       'own pace; env:VARIABLE or @FILE, which has one of '
                       'these')
    watch.add_argument('--config', metavar='FILE',
                       help='a file with streams and options; SIGHUP reads it '
                       'again')
    watch.add_argument('--policy', metavar='P',
                       help='a file, or a name that clqc policies lists')
    watch.add_argument('--jsonl', metavar='FILE',
                       help='write everything as lines of JSON; - is standard '
                       'output')
    watch.add_argument('--mqtt', metavar='URL',
                       help='mqtt://[USER[:PASSWORD]@]HOST[:PORT]/PREFIX, or '
                       'mqtts:// for TLS; env:VARIABLE or @FILE')
    watch.add_argument('--mqtt-pictures', action='store_true',
                       help='publish a JPEG picture at the start and the end '
                       'of each event')
    watch.add_argument('--pictures', metavar='FOLDER',
                       help='write these pictures as files; the newest 1000 '
                       'of each stream are kept')
    watch.add_argument('--prometheus', metavar='[HOST:]PORT',
                       help='serve a page of metrics')
    watch.add_argument('--unhealthy-after', type=SECONDS, metavar='S',
                       help='seconds that a fault has to last (1, or what '
                       'the policy says)')
    watch.add_argument('--healthy-after', type=SECONDS, metavar='S',
                       help='seconds without a fault (10, or what the policy '
                       'says)')
    watch.add_argument('--interval', type=_above_zero,
                       metavar='S', help='seconds between two statistics (1)')
    watch.add_argument('--stall', type=_above_zero, metavar='S',
                       help='reopen a stream that has had no frame for '
                       'this many seconds (10)')
    watch.add_argument('--seconds', type=_above_zero, metavar='S',
                       help='stop after this many seconds')
    watch.add_argument('--loop', action='store_true',
                       help='restart files when they end')
    watch.add_argument('--quiet', action='store_true',
                       help='report only changes of the health')
