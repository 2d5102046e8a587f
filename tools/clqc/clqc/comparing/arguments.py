# SPDX-License-Identifier: LGPL-2.1-or-later
"""The arguments of the command clqc compare."""
import argparse
from typing import Any

from clqc.common.arguments import number

EPILOG = """exit status: 0 all files were compared, and none is beyond a limit;
1 one is; 2 one could not be compared or the command is wrong. docs/compare.md
explains the rest."""

_DECIBELS = number('a number of dB, 0 or more', 0)
_SSIM = number('a number from 0 to 1', 0, 1.000001)
_CODES = number('a number of codes, 0 to 65534', 0, 65535)

# The property `metrics` of clcompare.
_METRICS = 'psnr', 'ssim', 'xpsnr', 'max-difference', 'histogram'


def _metrics(text: str) -> str:
    """A type for argparse: names of metrics."""
    if not set(text.split('+')) <= set(_METRICS):
        raise argparse.ArgumentTypeError(
            f'{text}: not {", ".join(_METRICS[:-1])} or {_METRICS[-1]}, or '
            'some of these with + between them')
    return text


def add(commands: Any) -> None:
    """Adds the command to those of clqc."""
    compare = commands.add_parser(
        'compare', help='compare encodings with their reference: PSNR, SSIM, '
        'XPSNR', epilog=EPILOG)
    compare.add_argument('reference', metavar='REFERENCE',
                         help='the file that was encoded')
    compare.add_argument('paths', nargs='+', metavar='FILE',
                         help='an encoding of it; several are compared in one '
                         'run')
    compare.add_argument('--out', metavar='DIR',
                         help='where results go: the page report.html, '
                         'compare.json, and a line for each pair of frames')
    compare.add_argument('--json', metavar='FILE',
                         help='write compare.json there, too; - is standard '
                         'output')
    compare.add_argument('--vmaf', metavar='FILE',
                         help='write values in the layout of libvmaf\'s JSON '
                         'log; of several files, one log each, with a number '
                         'before the extension')
    compare.add_argument('--metrics', type=_metrics,
                         default='psnr+ssim+xpsnr', metavar='M',
                         help='what is measured (psnr+ssim+xpsnr)')
    compare.add_argument('--min-psnr', type=_DECIBELS, metavar='DB',
                         help='the PSNR of all components and of the whole '
                         'file must not be less')
    compare.add_argument('--min-ssim', type=_SSIM, metavar='X',
                         help='the mean SSIM of all components must not be '
                         'less')
    compare.add_argument('--min-xpsnr', type=_DECIBELS, metavar='DB',
                         help='the XPSNR of luma (or G) of the whole file '
                         'must not be less')
    compare.add_argument('--max-difference', type=_CODES, metavar='N',
                         help='no sample may differ by more codes')
    compare.add_argument('--pair', choices=('time', 'order'), default='time',
                         help='which frames are pairs: those of the same '
                         'time, or the first with the first (time)')
    compare.add_argument('--keep-times', action='store_true',
                         help='do not look for a constant shift of a file')
    compare.add_argument('--other-rates', action='store_true',
                         help='accept another frame rate than that of the '
                         'reference: the frames of the same times are '
                         'compared')
    compare.add_argument('--scale', action='store_true',
                         help='scale frames to the size of the reference')
    compare.add_argument('--convert', action='store_true',
                         help='convert frames to the format and the colours '
                         'of the reference')
    compare.add_argument('--no-report', action='store_true',
                         help='write no page')
    compare.add_argument('--quiet', action='store_true',
                         help='print only files that are beyond a limit')
