# SPDX-License-Identifier: LGPL-2.1-or-later
"""Creates files with known damage, a row of DAMAGED each, and good files, a
row of GOOD each.

usage: python3 damage.py FOLDER    creates all of them in a folder"""
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Tuple, Union

import clips

SECONDS = 8
# Another length, size and rate may reveal assumptions on one of them.
_ODD_SECONDS = 12.5


def _inputs(name: str) -> List[str]:
    """Returns ffmpeg's options for the picture and the sound of a good
    file."""
    size, rate, seconds = ('161x121', '30000/1001', _ODD_SECONDS) if (
        name.startswith('odd')) else ('160x120', '25', SECONDS)
    return ['-f', 'lavfi', '-i',
            f'testsrc2=size={size}:rate={rate}:duration={seconds}',
            '-f', 'lavfi', '-i', f'sine=frequency=440:duration={seconds}',
            '-t', str(seconds)]


_H264 = '-c:v libx264 -preset veryfast -g 25 -bf 2 -pix_fmt yuv420p'

# The first key of each content package of MXF: a picture and its sound.
CONTENT_PACKAGE = bytes.fromhex('060e2b34020501010d01030104010100')

# The rules that name damage of any codec.
POLICY = '''[decode]
errors = 0
[file]
missing-bytes = 0
missing-packets = 0
missing-duration = 0.1
[events.gap]
max-count = 0
'''

Change = Callable[[bytes, random.Random], bytes]
Made = Union[str, Tuple[str, Change]]


def overwrite(places: int, n_bytes: int = 4) -> Change:
    """Writes random bytes at random positions after the first tenth."""
    def change(data: bytes, chance: random.Random) -> bytes:
        damaged = bytearray(data)
        for _ in range(places):
            at = chance.randrange(len(data) // 10, len(data) * 9 // 10)
            damaged[at:at + n_bytes] = chance.randbytes(n_bytes)
        return bytes(damaged)
    return change


def cut(share: float) -> Change:
    """Truncates the file."""
    return lambda data, _: data[:int(len(data) * share)]


def cut_at(mark: bytes, share: float) -> Change:
    """Truncates the file a few bytes after a mark."""
    def change(data: bytes, _: random.Random) -> bytes:
        return data[:data.index(mark, int(len(data) * share)) + 30]
    return change


def zero(start: float, end: float) -> Change:
    """Writes zeros over a range, as after an interrupted copy."""
    def change(data: bytes, _: random.Random) -> bytes:
        first, last = int(len(data) * start), int(len(data) * end)
        return data[:first] + bytes(last - first) + data[last:]
    return change


def remove(start: float, end: float, unit: int = 1) -> Change:
    """Removes a range, in units of @unit bytes."""
    def change(data: bytes, _: random.Random) -> bytes:
        first, last = (int(len(data) * place) // unit * unit
                       for place in (start, end))
        return data[:first] + data[last:]
    return change


def remove_two(mark: bytes, before: int = 0) -> Change:
    """Removes two whole clusters, fragments or pages in the middle: those that
    begin so many bytes before a mark."""
    def change(data: bytes, _: random.Random) -> bytes:
        places = [at - before for at in range(len(data))
                  if data.startswith(mark, at)]
        middle = len(places) // 2
        return data[:places[middle]] + data[places[middle + 2]:]
    return change


def without_start(n_bytes: int) -> Change:
    """Removes the start, as of a recording that begins within a packet."""
    return lambda data, _: data[n_bytes:]


def enter(start: float, end: float) -> Change:
    """Removes the start and the end of a transport stream, as of a recording:
    it ends before a packet of the video, which has the first PID of ffmpeg."""
    def change(data: bytes, _: random.Random) -> bytes:
        first, last = (int(len(data) * place) // 188 * 188
                       for place in (start, end))
        while data[last + 1:last + 3] != b'\x41\x00':
            last += 188
        return data[first:last]
    return change


def longer_packets(n_bytes: int) -> Change:
    """Adds bytes after each packet of a transport stream."""
    return lambda data, _: b''.join(
        data[at:at + 188] + b'\xff' * n_bytes
        for at in range(0, len(data), 188))


def twice(nth: int, before: int = 0) -> Change:
    """Sends each @nth packet of a transport stream twice; @before: bytes of a
    packet before its sync byte."""
    size = 188 + before

    def change(data: bytes, _: random.Random) -> bytes:
        packets = [data[at:at + size] for at in range(0, len(data), size)]
        return b''.join(
            one * 2 if i % nth == 0 and one[before + 3:] and (
                one[before + 3] & 0x10) else one
            for i, one in enumerate(packets))
    return change


def in_front(n_bytes: int) -> Change:
    """Adds unrelated bytes at the start."""
    return lambda data, chance: chance.randbytes(n_bytes) + data


def unknown_sizes(data: bytes, _: random.Random) -> bytes:
    """Sets the sizes of Matroska clusters to unknown, as in live streams."""
    changed = bytearray(data)
    mark = b'\x1f\x43\xb6\x75'
    for at in range(len(data)):
        if data.startswith(mark, at):
            width = 9 - data[at + 4].bit_length()
            size = (1 << 7 * width + 1) - 1
            changed[at + 4:at + 4 + width] = size.to_bytes(width, 'big')
    return bytes(changed)


# The files that are damaged: options of ffmpeg, elements of GStreamer after a
# source of pictures, or a good file and a change that turns it into another
# good one.
BASES: Dict[str, Made] = {
    'h264.mp4': f'{_H264} -c:a aac -movflags +faststart',
    'h264.mkv': f'{_H264} -c:a aac -cluster_time_limit 1000',
    'live.mkv': f'{_H264} -c:a aac -cluster_time_limit 1000 -live 1',
    'unknown.mkv': ('live.mkv', unknown_sizes),
    'h264.ts': f'{_H264} -c:a aac',
    'mpeg2.ts': '-c:v mpeg2video -q:v 3 -g 15 -bf 2 -c:a mp2',
    'disc.m2ts': f'{_H264} -c:a ac3',
    'coded.ts': ('mpeg2.ts', longer_packets(16)),
    'middle.ts': ('h264.ts', without_start(100)),
    'fragments.mp4': f'{_H264} -c:a aac -movflags +frag_keyframe+empty_moov',
    'dash.mp4': f'{_H264} -c:a aac -movflags +frag_keyframe+cmaf+global_sidx',
    'prores.mov': '-c:v prores -c:a pcm_s16le -movflags +faststart',
    'ffv1.mkv': '-c:v ffv1 -level 3 -slicecrc 1 -slices 4 -pix_fmt yuv420p '
                '-c:a pcm_s16le',
    'mjpeg.avi': '-c:v mjpeg -q:v 5 -pix_fmt yuvj420p -c:a pcm_s16le',
    'theora.ogv': '-c:v libtheora -q:v 6 -c:a libvorbis',
    'flash.flv': '-c:v flv -q:v 4 -ar 44100 -c:a mp3',
    'fields.mxf': '-c:v mpeg2video -q:v 3 -flags +ildct+ilme -top 1 '
                  '-c:a pcm_s16le -ar 48000',
    # packets of a constant size, of which the index has a single number
    'constant.mxf': '-vf scale=256:144 -c:v dnxhd -profile:v dnxhr_lb '
                    '-pix_fmt yuv422p -c:a pcm_s16le -ar 48000',
    'program.mpg': '-c:v mpeg2video -q:v 3 -c:a mp2',
    'media.wmv': '-c:v wmv2 -q:v 4 -c:a wmav2'}


def remove_sound_packet(data: bytes, _: random.Random) -> bytes:
    """Removes a transport packet of the sound in the middle of the file, not
    the first one of its packet. The sound has the second PID of ffmpeg."""
    packets = [data[at:at + 188] for at in range(0, len(data), 188)]
    place = next(i for i in range(len(packets) // 2, len(packets))
                 if packets[i][1:3] == b'\x01\x01')
    return b''.join(packets[:place] + packets[place + 1:])


def remove_sound(data: bytes, _: random.Random) -> bytes:
    """Removes the transport packets of the sound in one eighth of the file, in
    the middle."""
    sound = 0x101  # ffmpeg's numbering
    kept = bytearray()
    for at in range(0, len(data), 188):
        packet = data[at:at + 188]
        is_sound = int.from_bytes(packet[1:3], 'big') & 0x1fff == sound
        if not (is_sound and 7 * len(data) < 16 * at < 9 * len(data)):
            kept += packet
    return bytes(kept)


@dataclass(frozen=True)
class Damaged:
    """@made: a change of bytes, or options of ffmpeg that copy the base with
    the damage. @rules: one of them must find it."""
    name: str
    base: str
    kind: str
    made: object
    rules: Tuple[str, ...]


_ERRORS = ('decode.errors',)
_BYTES = ('file.missing-bytes',)
_GAP = ('events.gap',)


def _rows() -> List[Damaged]:
    rows = []

    def add(base: str, kind: str, made: object, rules: Tuple[str, ...]
            ) -> None:
        stem, extension = os.path.splitext(base)
        number = len(rows) + 1
        rows.append(Damaged(f'{number:02}-{stem}{extension}', base, kind,
                            made, rules))
    for base in ('h264.mp4', 'h264.mkv', 'h264.ts', 'mpeg2.ts', 'prores.mov',
                 'ffv1.mkv'):
        add(base, '4 bytes overwritten at 200 places', overwrite(200), _ERRORS)
    for base in 'h264.mp4', 'h264.ts', 'mpeg2.ts', 'ffv1.mkv', 'h264.mkv':
        add(base, '512 bytes overwritten at one place', overwrite(1, 512),
            _ERRORS)
    for share in 0.995, 0.958, 0.6:
        for base in ('h264.mp4', 'h264.mkv', 'live.mkv', 'unknown.mkv',
                     'prores.mov', 'mjpeg.avi'):
            add(base, f'cut at {share:.1%} of its bytes', cut(share), _BYTES)
    for base in 'h264.mp4', 'h264.mkv', 'h264.ts', 'mpeg2.ts':
        add(base, 'zeros from 70 % to the end', zero(0.7, 1), _BYTES)
    for base in ('h264.mp4', 'h264.mkv', 'h264.ts', 'mpeg2.ts', 'disc.m2ts',
                 'coded.ts', 'middle.ts', 'prores.mov'):
        add(base, 'zeros from 50 to 55 %', zero(0.5, 0.55),
            _ERRORS if base == 'h264.mkv' else _BYTES)
    for base in 'h264.mp4', 'h264.mkv':
        add(base, 'bytes removed from 50 to 55 %', remove(0.5, 0.55), _BYTES)
    for base in 'h264.ts', 'mpeg2.ts':
        add(base, 'transport packets removed from 50 to 55 %',
            remove(0.5, 0.55, 188), _GAP)
    for base in 'h264.ts', 'mpeg2.ts', 'disc.m2ts':
        add(base, '1,000 random bytes in front', in_front(1000), _BYTES)
        add(base, 'cut within a transport packet', cut(0.7), _BYTES)
    for base in 'h264.ts', 'mpeg2.ts':
        add(base, 'transport packets removed from 40 to 70 %',
            remove(0.4, 0.7, 188), _GAP)
    add('h264.mkv', 'two clusters removed',
        remove_two(b'\x1f\x43\xb6\x75'), _BYTES)
    for base in 'fragments.mp4', 'dash.mp4':
        add(base, 'two fragments removed', remove_two(b'moof', 4), _BYTES)
        add(base, 'cut at 95.8% of its bytes', cut(0.958), _BYTES)
        add(base, 'zeros from 50 to 55 %', zero(0.5, 0.55), _BYTES)
        add(base, 'bytes removed from 50 to 55 %', remove(0.5, 0.55), _BYTES)
    for base in 'prores.mov', 'ffv1.mkv':
        for first, last in ((100, 100), (60, 89), (50, 174)):
            add(base, f'packets of the frames {first} to {last} removed',
                f'-c copy -bsf:v noise=drop=between(n\\,{first}\\,{last})',
                _GAP)
    for base in ('theora.ogv', 'flash.flv', 'fields.mxf', 'program.mpg',
                 'media.wmv'):
        add(base, 'cut at 95.8% of its bytes', cut(0.958), _BYTES)
    for base in 'theora.ogv', 'flash.flv', 'program.mpg', 'media.wmv':
        add(base, 'bytes removed from 50 to 55 %', remove(0.5, 0.55), _BYTES)
    for base in 'theora.ogv', 'flash.flv', 'program.mpg':
        add(base, 'zeros from 50 to 55 %', zero(0.5, 0.55), _BYTES)
    add('theora.ogv', 'two pages removed', remove_two(b'OggS'), _BYTES)
    add('media.wmv', 'zeros from 50 to 55 %', zero(0.5, 0.55), _ERRORS)
    add('h264.ts', 'a packet of the sound removed', remove_sound_packet,
        _ERRORS)
    for base in 'h264.mkv', 'ffv1.mkv':
        add(base, 'packets of the sound 40 to 79 removed',
            r'-c copy -bsf:a noise=drop=between(n\,40\,79)', _GAP)
    for base in 'h264.ts', 'mpeg2.ts':
        add(base, 'a second of the sound removed', remove_sound, _GAP)
    add('h264.mp4', 'sound of 5 s', '-c:v copy -c:a aac -af atrim=end=5',
        ('tracks.duration',))
    add('h264.mkv', 'picture of 4 s',
        f'{_H264} -vf trim=end=4 -c:a copy', ('tracks.duration',))
    add('h264.mp4', 'sound 2 s later',
        '-c:v copy -c:a aac -af asetpts=PTS+2/TB', ('tracks.offset',))
    return rows


DAMAGED = _rows()

# Good files, some of them unusual, like BASES.
GOOD: Dict[str, Made] = {
    **BASES,
    # open groups of pictures, and intra refresh
    'open.ts': f'{_H264} -x264opts open-gop=1:bframes=3 -c:a aac',
    'open2.ts': '-c:v mpeg2video -q:v 3 -g 15 -bf 2 -c:a mp2',
    'openx.ts': '-c:v libx265 -preset ultrafast -x265-params '
                'log-level=none:open-gop=1:keyint=25:bframes=3 -c:a aac',
    'refresh.ts': f'{_H264} -x264opts intra-refresh=1 -c:a aac',
    'entered.ts': ('open.ts', enter(0.3, 0.8)),
    'entered2.ts': ('open2.ts', enter(0.35, 0.8)),
    'enteredx.ts': ('openx.ts', enter(0.3, 0.8)),
    'enteredr.ts': ('refresh.ts', enter(0.33, 0.8)),
    'twice.ts': ('h264.ts', twice(1)),
    'twice3.ts': ('mpeg2.ts', twice(3)),
    'twice.m2ts': ('disc.m2ts', twice(2, 4)),
    'joined.ts': ('h264.ts', lambda data, _: 2 * data),
    'chunks.mp4': f'{_H264} -c:a aac -movflags +frag_every_frame+empty_moov+'
                  'default_base_moof',
    'smooth.mp4': f'{_H264} -c:a aac -frag_duration 700000 -f ismv',
    'half.mp4': f'{_H264} -c:a aac -movflags +frag_keyframe',
    'tape.avi': '-vf scale=720:576 -pix_fmt yuv420p -c:v dvvideo -c:a mp3 -ar '
                '48000',
    # packets that repeat the picture, including the last ones
    'stills.mov': '-vf trim=end=6,tpad=start_mode=clone:start_duration=1:'
                  'stop_mode=clone:stop_duration=1 -c:v qtrle -c:a pcm_s16le',
    'nosound.mp4': f'{_H264} -an',
    # the priming of the sound moves the first frame
    'unprimed.mp4': f'{_H264} -bf 0 -c:a aac',
    # from the middle on, by an edit list
    'late.mp4': f'{_H264} -c:a aac',
    'edited.mp4': f'{_H264} -g 150 -c:a aac',
    'vp9.webm': '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus',
    'hevc.mp4': '-c:v libx265 -preset ultrafast -x265-params log-level=none '
                '-c:a aac',
    'hevc.ts': '-c:v libx265 -preset ultrafast -x265-params log-level=none '
               '-c:a aac',
    'film.ts': f'-r 24000/1001 {_H264} -c:a ac3',
    'fast.mkv': f'-r 60000/1001 {_H264} -c:a flac',
    'variable.mp4': f'{_H264} -vf select=not(mod(n\\,7)*mod(n\\,3)) '
                    '-fps_mode vfr -c:a aac',
    'raw.mov': '-c:v rawvideo -pix_fmt uyvy422 -vf drawbox=c=black:t=fill '
               '-c:a pcm_s16le -af volume=0',
    'disc.vob': '-c:v mpeg2video -q:v 3 -c:a mp2 -f vob',
    'disc.mpg': '-c:v mpeg1video -q:v 3 -c:a mp2 -f vcd',
    'opus.ogv': '-c:v libtheora -q:v 6 -c:a libopus',
    'avc.flv': f'{_H264} -c:a aac',
    'gst.ogv': '! theoraenc ! oggmux',
    'gst.flv': '! avenc_flv ! flvmux',
    'gst.wmv': '! avenc_wmv2 ! asfmux',
    'gst.mov': '! jpegenc ! qtmux fragment-duration=1000',
    'gst.mkv': '! vp8enc deadline=1 ! matroskamux streamable=true',
    'stream.h264': f'{_H264} -an',
    'old.avi': '-c:v mpeg4 -q:v 4 -bf 2 -c:a mp3',
    'odd.mp4': f'{_H264} -vf crop=158:98 -c:a aac',
    'odd.ts': f'{_H264} -vf crop=158:98 -c:a mp2',
    'odd.mkv': '-c:v ffv1 -level 3 -pix_fmt yuv420p -c:a flac',
    'odd.mov': '-c:v prores -c:a pcm_s16le',
    'odd.avi': '-c:v mjpeg -q:v 5 -pix_fmt yuvj420p -c:a mp3',
    'odd.mpg': '-c:v mpeg2video -q:v 3 -vf crop=158:98 -c:a mp2',
    'odd.webm': '-c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis',
    'odd.flv': '-c:v flv -q:v 4 -ar 44100 -c:a mp3',
    'odd.ogv': '-c:v libtheora -q:v 6 -c:a libvorbis',
    'odd.wmv': '-c:v wmv2 -q:v 4 -vf crop=158:98 -c:a wmav2',
    'oddfields.mxf': '-c:v mpeg2video -q:v 3 -vf crop=144:112 -c:a pcm_s16le '
                     '-ar 48000'}

# The rules with a finding for a good file. raw.mov is black, and zero
# throughout.
TOLD: Dict[str, Tuple[str, ...]] = {
    'raw.mov': ('events.freeze',),
    'joined.ts': ('measure.joined',),
    'entered.ts': ('measure.end', 'measure.start'),
    'entered2.ts': ('measure.end', 'measure.start'),
    'enteredr.ts': ('measure.start',)}


def make_good(folder: Path, name: str) -> Path:
    """Creates one of GOOD."""
    path = folder / name
    made = GOOD[name]
    if path.exists():
        return path
    if isinstance(made, str) and made.startswith('!'):
        subprocess.run(
            ['gst-launch-1.0', '-q', 'videotestsrc', 'pattern=snow',
             f'num-buffers={25 * SECONDS}', '!', 'video/x-raw,format=I420,'
             'width=160,height=120,framerate=25/1', *made.split(), '!',
             'filesink', f'location={path}'], check=True, timeout=120)
    elif isinstance(made, str):
        clips.run(*_inputs(name), *made.split(), str(path))
    else:
        path.write_bytes(made[1](make_good(folder, made[0]).read_bytes(),
                                 random.Random(name)))
    if name == 'unprimed.mp4':
        path.rename(folder / f'whole.{name}')
        clips.run('-i', str(folder / f'whole.{name}'), '-c', 'copy',
                  '-movflags', '+frag_keyframe+empty_moov', str(path))
    if name in ('late.mp4', 'edited.mp4'):
        path.rename(folder / f'whole.{name}')
        clips.run('-ss', '2.5', '-i', str(folder / f'whole.{name}'), '-c',
                  'copy', str(path))
    return path


def make_damaged(folder: Path, row: Damaged) -> Path:
    """Creates one of DAMAGED; its base is in the folder `good` beside it."""
    good = folder / 'good'
    good.mkdir(exist_ok=True)
    base = make_good(good, row.base)
    path = folder / row.name
    if isinstance(row.made, str):
        clips.run('-i', str(base), *row.made.split(), str(path))
    else:
        path.write_bytes(row.made(  # type: ignore[operator]
            base.read_bytes(), random.Random(row.name)))
    return path


if __name__ == '__main__':
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    for one in DAMAGED:
        make_damaged(where, one)
    for one_good in GOOD:
        make_good(where / 'good', one_good)
