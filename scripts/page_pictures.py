#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the pictures of the documentation into OUT_DIR.

usage: page_pictures.py OUT_DIR, with GST_PLUGIN_PATH set.
"""
import os
import sys
import tempfile

import gi

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

import demo  # noqa: E402
import demo_pictures  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    'tests', 'data')


def window(size):
    return f'kernel-width={size} kernel-height={size}'


SHEETS = {
    'windows.png': [
        (f'sauvola, {size} x {size}', f'operation=sauvola {window(size)}')
        for size in (7, 15, 31, 101)],
    'k.png': [
        (f'sauvola, k {k}', f'operation=sauvola k={k} {window(31)}')
        for k in (.05, .2, .35, .5)],
    'operations.png': [
        (title, f'operation={text} {window(31)}') for title, text in (
            ('mean-c, offset 8', 'mean-c offset=8'),
            ('bradley, k 0.15', 'bradley'),
            ('niblack, k -0.2', 'niblack'),
            ('sauvola, k 0.2', 'sauvola'),
            ('wolf, k 0.5', 'wolf'),
            ('nick, k -0.1', 'nick'))],
    'light.png': [
        ('the page', None),
        ('difference', f'operation=difference {window(61)}'),
        ('normalize, target 200',
         f'operation=normalize target=200 {window(61)}'),
        ('stddev', f'operation=stddev {window(15)}')],
}


def draw_sheets(out):
    for name, rows in SHEETS.items():
        pictures = demo.take_page(os.path.join(DATA, 'page.png'),
                                  [text for _, text in rows])
        demo_pictures.draw_pages(
            list(zip([title for title, _ in rows], pictures)),
            4 if len(rows) == 4 else 3, os.path.join(out, name), dpi=75)


def draw_timeline(out):
    with tempfile.TemporaryDirectory() as folder:
        clip, lines = f'{folder}/changed.avi', f'{folder}/changed.jsonl'
        demo.make_changed(os.path.join(DATA, 'pedestrians.avi'), clip)
        demo.measure(clip, lines)
        demo_pictures.draw_timeline(
            [('changed.avi', demo_pictures.Lines(lines))],
            os.path.join(out, 'timeline.png'), width=9, dpi=100)


def main(out):
    Gst.init(None)
    os.makedirs(out, exist_ok=True)
    draw_sheets(out)
    draw_timeline(out)


if __name__ == '__main__':
    main(*sys.argv[1:])
