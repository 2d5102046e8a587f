# SPDX-License-Identifier: LGPL-2.1-or-later
"""The policy for transfers in docs/policies.md, on real videos."""
from pathlib import Path

import clips
import pytest
from command import here, verdict
from test_docs import TEXT

POLICY = next(block.split('```')[0] for block in TEXT.split('```toml\n')
              if 'name = "transfers"' in block)
# Sixty frames, each different, at 25 frames a second.
PEOPLE = f'movie={clips.SOURCE},scale=192:144,settb=1/25,setpts=N,fps=25'
# A hundred frames with two fields of different times.
FIELDS = 'mandelbrot=s=192x144:r=50,trim=end_frame=200,format=yuv420p'
LOSSLESS = ('-c:v', 'ffv1')


@pytest.mark.parametrize('kind, source, codec', (
    ('', PEOPLE, LOSSLESS),
    ('border', f'{PEOPLE},drawbox=y=0:h=20:c=black:t=fill,'
     'drawbox=y=124:h=20:c=black:t=fill', LOSSLESS),
    ('field-order', f'{FIELDS},tinterlace=interleave_top,setfield=prog',
     LOSSLESS),
    ('repeat', f"{PEOPLE},select='mod(n\\,5)',fps=25", LOSSLESS),
    ('gap', f"{PEOPLE},select='not(between(n\\,20\\,39))'",
     (*LOSSLESS, '-vsync', 'vfr')),
    ('noisy', f'{PEOPLE},noise=c0s=80:c0f=t', LOSSLESS),
    ('blocky', PEOPLE, ('-c:v', 'mpeg2video', '-qscale:v', '31')),
    ('range', f'{PEOPLE},lutyuv=y=(val-16)*255/219', LOSSLESS)))
def test_finds(tmp_path: Path, kind: str, source: str,
               codec: 'tuple[str, ...]') -> None:
    path, policy = tmp_path / 'clip.mkv', tmp_path / 'transfers.toml'
    policy.write_text(POLICY)
    clips.run('-f', 'lavfi', '-i', source, *codec,
              '-color_range', 'tv', '-pix_fmt', 'yuv420p', str(path))
    here('check', path, '--out', tmp_path / 'out', '--policy', policy,
         '--no-reports')
    rules = {reason['rule']
             for reason in verdict(tmp_path / 'out', 'clip.mkv')['reasons']}
    assert (f'events.{kind}' in rules) if kind else not rules, rules
