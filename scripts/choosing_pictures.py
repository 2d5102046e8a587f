# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the pictures of docs/choosing.md. With one version of matplotlib, each
run writes the same bytes. Text in the pictures is text, not outlines."""
import io

import matplotlib
import matplotlib.pyplot as plt
import matplotlib.ticker

from choosing import (
    ATOMICS, BARRIERS, COMPLETIONS, FRAMES, GROUP_SIZES, INSTRUCTIONS,
    PUBLISHED, ROUNDS, STEPS, count, number)

STYLE = {
    'axes.axisbelow': True,
    'axes.grid': True,
    'axes.spines.right': False,
    'axes.spines.top': False,
    'axes.titlesize': 10,
    'figure.facecolor': 'white',
    'font.family': 'sans-serif',
    'font.sans-serif': ['DejaVu Sans', 'Verdana', 'sans-serif'],
    'font.size': 9,
    'grid.alpha': .35,
    'grid.linewidth': .6,
    'legend.frameon': False,
    'legend.handlelength': 2.6,
    'lines.linewidth': 1.6,
    'lines.markersize': 5.5,
    'svg.fonttype': 'none',
    'svg.hashsalt': 'clbench',
}
WIDTH = 9.6  # inches
# The colours of Okabe and Ito; each kind also has its own marker.
KINDS = {
    'every-item': ('#d55e00', 'o', '-'),
    'leader': ('#0072b2', 's', '-'),
    'flags': ('#009e73', '^', '-'),
    'atomics': ('#cc79a7', 'D', '-'),
    'launches': ('#444444', 'x', '--'),
}
METHODS = {
    'strided copies, one buffer': ('#d55e00', 'o', '-'),
    'strided copies, four buffers': ('#e69f00', 'v', '-'),
    'contiguous copies': ('#009e73', '^', '-'),
    'direct reads': ('#0072b2', 's', '-'),
    'direct reads in bands': ('#56b4e9', 'D', '-'),
    'sliding': ('#444444', 'x', '--'),
}
REDUCTIONS = {'inner': ('#d55e00', '//'), 'outer': ('#0072b2', '')}
SHADES = ['#0072b2', '#009e73', '#d55e00']  # by number of instructions


# --- parts --------------------------------------------------------------------

def plain(value, _=None):
    """Returns a label of a logarithmic axis: 0.1, 1, 10, 1000."""
    return f'{value:g}' if value < 1e4 else f'{value:,.0f}'.replace(',', ' ')


def make_logarithmic(axis):
    """Sets the labels of a logarithmic axis; up to three decades also have
    labels at 2 and 5."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(matplotlib.ticker.LogLocator(
        subs=(1,) if high > 1000 * low else (1, 2, 5), numticks=12))
    axis.set_major_formatter(plain)
    axis.set_minor_locator(matplotlib.ticker.NullLocator())


def label_x(axes, names):
    """Labels x with the names, at equal distances."""
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-.3, len(names) - .7)


def plot_times(axes, places, times, style, label):
    """Draws a line through the times that are not None. Returns False if all
    are None."""
    points = [(x, time) for x, time in zip(places, times) if time]
    if not points:
        return False
    colour, marker, line = style
    axes.plot(*zip(*points), color=colour, marker=marker, linestyle=line,
              label=label)
    return True


def add_legend(figure, all_axes, columns, first=()):
    """Adds a legend below the panels with the labels of all of them, in the
    order of @first."""
    found = dict.fromkeys(first)
    for axes in all_axes:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            found[label] = handle
    found = {label: handle for label, handle in found.items() if handle}
    figure.legend(found.values(), found.keys(), ncol=columns,
                  loc='lower center', bbox_to_anchor=(.5, .01))


# --- pictures -----------------------------------------------------------------

def draw_barriers(machines):
    """Top: all compute units, for each size of a work-group. Bottom: groups of
    64 work-items, for each number of groups."""
    figure, panels = plt.subplots(2, len(machines), sharey=True,
                                  figsize=(WIDTH, 6.6))
    for m, above, below in zip(machines, *panels):
        counts = sorted({int(row['groups']) for row in m.rows.values()
                         if 'groups' in row})
        for kind in [*BARRIERS, 'launches']:
            plot_times(above, range(len(GROUP_SIZES)),
                       [m.barrier_us(kind, size, m.units)
                        for size in GROUP_SIZES], KINDS[kind], kind)
            plot_times(below, range(len(counts)),
                       [m.barrier_us(kind, 64, n) for n in counts],
                       KINDS[kind], kind)
        above.set(title=f'{m.name}: all {m.units} compute units', yscale='log',
                  xlabel='work-items a group')
        below.set(title=f'{m.name}: groups of 64', yscale='log',
                  xlabel='work-groups')
        label_x(above, GROUP_SIZES)
        label_x(below, counts)
        below.tick_params('x', labelsize=8)
        make_logarithmic(above.yaxis)
    for row in panels:
        row[0].set_ylabel('us a barrier or a launch')
    add_legend(figure, panels.flat, 5, KINDS)
    figure.subplots_adjust(.075, .145, .99, .955, wspace=.08, hspace=.4)
    return figure


def draw_reductions(machines):
    """The time of each round for floats in blocks of 16."""
    sources = [('GTX 1050, published', PUBLISHED)]
    sources += [(m.name, {method: m.n_rounds(method, 16, 'float')
                          for method in REDUCTIONS}) for m in machines]
    figure, panels = plt.subplots(1, len(sources), sharey=True,
                                  figsize=(WIDTH, 3.6))
    for axes, (name, methods) in zip(panels, sources):
        for i, (method, (colour, hatch)) in enumerate(REDUCTIONS.items()):
            times = methods[method]
            bars = axes.bar([n + .4 * i - .2 for n in range(len(times))],
                            times, .38, color=colour, hatch=hatch,
                            edgecolor='white', label=method)
            axes.bar_label(bars, [number(time) for time in times], padding=1,
                           fontsize=6.5)
        axes.margins(y=.06)
        axes.set(title=name, yscale='log', xlabel='round')
        axes.set_xticks(range(len(times)), range(1, len(times) + 1))
        axes.grid(False, axis='x')
        make_logarithmic(axes.yaxis)
    panels[0].set_ylabel('us')
    add_legend(figure, panels, 2)
    figure.subplots_adjust(.09, .235, .99, .92, wspace=.08)
    return figure


def draw_windows(machines):
    figure, panels = plt.subplots(1, len(machines), figsize=(WIDTH, 4.2))
    for m, axes in zip(machines, panels):
        for method, style in METHODS.items():
            label = method + (', no image' if method == 'sliding' else '')
            plot_times(axes, range(len(STEPS)),
                       [m.figure('windows', f'{method}, step {step}')
                        for step in STEPS], style, label)
        image = m.figure('windows', 'integral image')
        axes.axhline(image, color='#999999', linestyle=':',
                     label='the integral image itself')
        axes.set(title=f'{m.name}, 1920x1080', yscale='log',
                 xlabel='a window every so many samples')
        label_x(axes, STEPS)
        make_logarithmic(axes.yaxis)
    panels[0].set_ylabel('us')
    add_legend(figure, panels, 4, METHODS)
    figure.subplots_adjust(.065, .26, .99, .93, wspace=.2)
    return figure


def draw_latency(machines):
    figure, (ends, batches, jobs) = plt.subplots(
        1, 3, figsize=(WIDTH, 4.6), gridspec_kw={'width_ratios': (11, 8, 9)})
    draw_completions(ends, machines)
    for m, marker in zip(machines, 'os^'):
        for how, line in (('back to back', '-'), ('waited for', '--')):
            rates = [m.figure('latency', f'{count(n, "frame")} a launch, {how}',
                              'per_second') for n in FRAMES]
            plot_times(batches, range(len(FRAMES)),
                       [rate and rate / 1000 for rate in rates],
                       (m.colour, marker, line), f'{m.name}, {how}')
    batches.set(title='thousand frames a second', yscale='log',
                xlabel='frames a launch')
    label_x(batches, FRAMES)
    make_logarithmic(batches.yaxis)
    batches.legend(fontsize=7.5, loc='upper center',
                   bbox_to_anchor=(.5, -.14))
    draw_resident(jobs, machines)
    figure.subplots_adjust(.175, .31, .99, .93, wspace=.3)
    return figure


def draw_completions(axes, machines):
    """Medians, with the 10th and the 90th percentile."""
    places = range(len(COMPLETIONS))
    for i, (m, marker) in enumerate(zip(machines, 'os^')):
        points = [(row['median_us'], place + .22 * (i - 1),
                   row['median_us'] - row['low_us'],
                   row['high_us'] - row['median_us'])
                  for place, name in zip(places, COMPLETIONS)
                  if (row := m.row('latency', name))]
        x, y, low, high = zip(*points)
        axes.errorbar(x, y, xerr=(low, high), fmt=marker, color=m.colour,
                      elinewidth=1, label=m.name)
    axes.set(title='until the host knows', xscale='log', xlabel='us')
    axes.set_yticks(places, COMPLETIONS)
    axes.set_ylim(len(COMPLETIONS) - .4, -.6)
    make_logarithmic(axes.xaxis)
    axes.legend(fontsize=7.5, ncol=3, loc='upper center', handletextpad=.1,
                columnspacing=1, bbox_to_anchor=(.5, -.14))


def draw_resident(axes, machines):
    """The resident loop on the first machine that supports it; horizontal
    lines: one launch for each job."""
    for m in machines:
        if not m.row('latency', 'resident, 60 instructions, 1 round'):
            continue
        for n, colour, marker in zip(INSTRUCTIONS, SHADES, 'os^'):
            times = [m.figure('latency', f'resident, {n} instructions, '
                              f'{count(r, "round")}') for r in ROUNDS]
            plot_times(axes, range(len(ROUNDS)), times, (colour, marker, '-'),
                       f'{n} instructions')
            axes.axhline(
                m.figure('latency', f'a launch a job, {n} instructions'),
                color=colour, linestyle=':', linewidth=1.2,
                label=f'{n}, a launch a job')
        axes.set(title=f'{m.name}: us a job', yscale='log',
                 xlabel='jobs that one launch takes')
        break
    label_x(axes, ROUNDS)
    make_logarithmic(axes.yaxis)
    axes.legend(fontsize=7.5, loc='upper center', bbox_to_anchor=(.5, -.14))


def draw_memory(machines):
    """The time of an atomic, without and with use of its result."""
    figure, panels = plt.subplots(1, len(machines), sharex=True, sharey=True,
                                  figsize=(WIDTH, 3.4))
    for m, axes in zip(machines, panels):
        for end, offset, fill, label in (
                ('', -.12, 'white', 'result not used'),
                (', result', .12, m.colour, 'result used')):
            points = [(time, place + offset) for place, name in
                      enumerate(ATOMICS) if (time := m.figure(
                          'memory', name + end, 'ns_per_operation'))]
            axes.plot(*zip(*points), 'o', color=m.colour, label=label,
                      markerfacecolor=fill)
        axes.set(title=m.name, xscale='log', xlabel='ns an atomic')
        axes.set_yticks(range(len(ATOMICS)), ATOMICS)
        axes.set_ylim(len(ATOMICS) - .5, -.5)
        make_logarithmic(axes.xaxis)
    add_legend(figure, panels[:1], 2)
    figure.subplots_adjust(.1, .24, .985, .92, wspace=.1)
    return figure


PICTURES = {
    'clbench-barriers.svg': draw_barriers,
    'clbench-reductions.svg': draw_reductions,
    'clbench-windows.svg': draw_windows,
    'clbench-latency.svg': draw_latency,
    'clbench-memory.svg': draw_memory,
}


def draw(machines, folder):
    with plt.rc_context(STYLE):
        for name, make in PICTURES.items():
            figure = make(machines)
            text = io.StringIO()
            figure.savefig(text, format='svg', metadata={'Date': None})
            plt.close(figure)
            lines = [line.rstrip() for line in text.getvalue().splitlines()]
            (folder / name).write_text('\n'.join(lines) + '\n',
                                       encoding='utf-8')
