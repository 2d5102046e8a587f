#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the picture of docs/scale.md from the costs that measure.py has
measured, with the simulation of simulate.py.

usage: picture.py FIGURES PICTURE"""
import json
import sys
from typing import Any, List

import matplotlib
import matplotlib.pyplot as plt
from simulate import PARTS, WORKERS, Site, archive, simulate

HOURS = 10000

# The colours of Okabe and Ito; each also has its own marker.
SITES = (('10 Gbit/s of storage, 1 Gbit/s for results', Site(),
          '#0072b2', 'o', '-'),
         ('100 Gbit/s of storage, 10 Gbit/s for results',
          Site(1.25e10, 1.25e9), '#d55e00', 's', '--'))
SIZES = ((10, '#0072b2', 'o', '-'), (100, '#d55e00', 's', '--'),
         (1000, '#009e73', '^', ':'))
FAST = SITES[1][1]

STYLE = {'axes.axisbelow': True, 'axes.grid': True, 'axes.titlesize': 10,
         'axes.spines.right': False, 'axes.spines.top': False,
         'figure.facecolor': 'white', 'font.size': 9, 'grid.alpha': .35,
         'grid.linewidth': .6, 'legend.frameon': False}


def speeds(axes: Any, figures: Any, lengths: List[float]) -> None:
    """Draws the hours of video that are measured in an hour."""
    for name, site, colour, marker, dashes in SITES:
        axes.loglog(WORKERS, [
            HOURS * 3600 / simulate(figures, lengths, count, 300,
                                    site=site).makespan
            for count in WORKERS], color=colour, marker=marker, ls=dashes,
            label=name)
    axes.set_title('How fast: hours of video in an hour')
    axes.set_xlabel('workers, of one core each')
    axes.legend(loc='upper left', fontsize=8)


def sizes(axes: Any, figures: Any, lengths: List[float]) -> None:
    """Draws the share of the workers' time in which they measure."""
    for count, colour, marker, dashes in SIZES:
        shares = []
        for part in PARTS:
            one = simulate(figures, lengths, count, part, site=FAST)
            shares.append(100 * one.measuring / (one.makespan * count))
        axes.semilogx(PARTS, shares, color=colour, marker=marker, ls=dashes,
                      label=f'{count} workers')
    axes.set_title('Useful share of the workers\' time, %')
    axes.set_xlabel('seconds of a part')
    axes.set_xticks(PARTS, [f'{part}' for part in PARTS])
    axes.set_ylim(0, 100)
    axes.legend(loc='lower right', fontsize=8)


def main() -> None:
    with open(sys.argv[1], encoding='utf-8') as file:
        figures = json.load(file)['figures']
    matplotlib.use('agg')
    plt.rcParams.update(STYLE)
    lengths = archive(HOURS)
    picture, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.6))
    speeds(left, figures, lengths)
    sizes(right, figures, lengths)
    picture.tight_layout()
    picture.savefig(sys.argv[2], dpi=110, pil_kwargs={'optimize': True})


if __name__ == '__main__':
    main()
