# SPDX-License-Identifier: LGPL-2.1-or-later
"""Unusual videos: each is measured, with every frame, or has one clear
line."""
import gzip
import json
import os
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Collection, Dict, List
from unittest import mock

import clips
import field_pictures
import pytest
import webserver
from command import clqc, here, read, rules, verdict
from jumping import Jumping

from clqc.common.errors import ClqcError
from clqc.containers import avi
from clqc.decoding import gst, media_info, packets
from clqc.decoding.gst import Gst

SOURCE = 'testsrc=s={}:r=25:d=0.4'

# Names, sizes, options of FFmpeg.
MEASURED = [
    ('vp8.webm', '64x48', '-c:v libvpx'),
    ('vp9.webm', '64x48', '-c:v libvpx-vp9 -cpu-used 8'),
    ('program.mpg', '64x48', '-c:v mpeg2video'),
    ('ten.mp4', '64x48', '-c:v libx264 -pix_fmt yuv420p10le'),
    ('full.mp4', '64x48', '-c:v libx264 -pix_fmt yuv444p'),
    ('alpha.mov', '64x48', '-c:v png -pix_fmt rgba'),
    ('one.mp4', '64x48', '-c:v libx264 -frames:v 1'),
    ('rate.mp4', '64x48', '-c:v libx264 -fps_mode vfr '
     '-vf select=not(mod(n\\,3))+gt(n\\,5)'),
    ('fields.mp4', '64x48', '-c:v libx264 -flags +ilme+ildct '
     '-x264opts tff=1'),
    ('1x1.mkv', '1x1', '-c:v ffv1 -pix_fmt yuv420p'),
    # FFmpeg 9 has no number of slices for such small frames, and files of this
    # level have none.
    ('3x5.mkv', '3x5', '-c:v ffv1 -level 1 -pix_fmt yuv420p'),
    ('161x121.avi', '161x121', '-c:v mjpeg -pix_fmt yuvj420p'),
    ('gbr10.mkv', '64x48', '-c:v ffv1 -pix_fmt gbrp10le'),
    ('twelve.mkv', '64x48', '-c:v ffv1 -pix_fmt yuv422p12le'),
    ('v210.mov', '64x48', '-c:v v210'),
    ('r210.mov', '64x48', '-c:v r210'),
    ('palette.avi', '64x48', '-c:v zmbv -pix_fmt pal8'),
    ('4444.mov', '64x48', '-c:v prores_ks -profile:v 4444 -pix_fmt '
     'yuv444p10le'),
    ('422.mov', '64x48', '-c:v prores_ks -profile:v hq -pix_fmt yuv422p10le'),
    ('rgb.mov', '64x48', '-c:v libopenjpeg -pix_fmt rgb24'),
    ('rgb48.mov', '64x48', '-c:v libopenjpeg -pix_fmt rgb48le'),
    ('rgba64.mov', '64x48', '-c:v libopenjpeg -pix_fmt rgba64le'),
]

SOUNDS = [
    ('channels.mkv', 'sine=d=1,aformat=channel_layouts=5.1'),
    ('samples.mkv', 'sine=d=1:r=768000'),
]


def make(path: Path, size: str, options: str) -> Path:
    clips.run('-f', 'lavfi', '-i', SOURCE.format(size), *options.split(),
              str(path))
    return path


def count(path: Path) -> int:
    """Frames of the first video, as FFmpeg decodes them."""
    return int(subprocess.run(
        ['ffprobe', '-v', 'error', '-count_frames', '-select_streams', 'v:0',
         '-show_entries', 'stream=nb_read_frames', '-of',
         'default=nk=1:nw=1', str(path)], check=True, text=True,
        stdout=subprocess.PIPE).stdout.split()[0])


@pytest.fixture(scope='module', name='done')
def check_all(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Any]:
    """All files that can be measured."""
    folder = tmp_path_factory.mktemp('odd')
    for name, size, options in MEASURED:
        make(folder / name, size, options)
    for name, sound in SOUNDS:
        clips.run('-f', 'lavfi', '-i', SOURCE.format('64x48'), '-f', 'lavfi',
                  '-i', sound, '-c:v', 'libx264', '-c:a', 'pcm_s24le',
                  str(folder / name))
    clips.run('-f', 'lavfi', '-i', SOURCE.format('64x48'), '-f', 'lavfi',
              '-i', 'color=red:s=32x32:d=2', '-map', '0:v', '-map', '1:v',
              '-c:v', 'libx264', str(folder / 'two.mkv'))
    for name, codec in ('jpeg.mkv', 'mjpeg'), ('png.mkv', 'png'):
        cover = make(folder / 'cover.tmp', '96x80',
                     f'-frames:v 1 -c:v {codec} -f image2')
        clips.run('-i', str(cover), '-i', str(folder / 'ten.mp4'), '-map',
                  '0', '-map', '1', '-c', 'copy', str(folder / name))
    clips.run('-f', 'lavfi', '-i', SOURCE.format('96x80'), '-f', 'lavfi',
              '-i', SOURCE.format('64x48'), '-map', '0:v', '-map', '1:v',
              '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p',
              str(folder / 'two.avi'))
    clips.run('-f', 'lavfi', '-i', SOURCE.format('96x80'), '-f', 'lavfi',
              '-i', SOURCE.format('64x48'), '-map', '0:v', '-map', '1:v',
              '-c:v', 'mpeg2video', '-program', 'program_num=1:st=0',
              '-program', 'program_num=2:st=1', str(folder / 'two.ts'))
    clips.turn(make(folder / 'turned.mp4', '64x48', '-c:v libx264'))
    clips.turn(make(folder / 'mirrored.mp4', '64x48', '-c:v libx264'), True)
    for name, *angles in ('turned.mkv', 0, 90), ('mirrored.mkv', 180, -90):
        clips.pose(make(folder / name, '64x48', ' '.join(
            ['-c:v libx264', *clips.COLOURS])), *angles)
    (folder / 'change.h264').write_bytes(b''.join(
        make(folder / f'{size}.tmp', size, '-c:v libx264 -f h264')
        .read_bytes() for size in ('64x48', '96x80')))
    out = tmp_path_factory.mktemp('out')
    done = here('check', folder, '--out', out, '--no-reports')
    assert done.returncode < 2, done.stdout
    return {'folder': folder, 'out': out}


@pytest.mark.parametrize('name', [
    *(row[0] for row in MEASURED), *(row[0] for row in SOUNDS), 'two.mkv',
    'two.avi', 'change.h264', 'turned.mp4'])
def test_every_frame_is_measured(done: Dict[str, Any], name: str) -> None:
    facts = read(done['out'], name, 'facts.json')
    assert facts['measured']['frames'] == count(done['folder'] / name)
    assert 'sound-error' not in facts


def warnings(done: Dict[str, Any], name: str) -> List[str]:
    return [reason['message']
            for reason in verdict(done['out'], name)['reasons']
            if reason['rule'].startswith('measure.')]


def test_converted_frames_are_reported(done: Dict[str, Any]) -> None:
    for name, kept, used, depth in (
            ('palette.avi', 'RGB8P', 'GBRA', 8),
            ('v210.mov', 'v210', None, 10),
            ('r210.mov', 'r210', None, 10),
            ('gbr10.mkv', 'GBR_10LE', None, 10),
            ('twelve.mkv', 'I422_12LE', None, 12)):
        assert warnings(done, name) == ([
            f'Frames of {kept} were converted to {used} to be measured.']
            if used else []), name
        video = read(done['out'], name, 'facts.json')['video']
        assert (video['format'], video['depth']) == (kept, depth)
    assert not warnings(done, 'ten.mp4')


def test_decoder_that_changes_the_format_is_reported(
        done: Dict[str, Any]) -> None:
    """A newer decoder may give all bits, or no alpha."""
    bits = read(done['out'], '4444.mov', 'facts.json')['video']['depth']
    assert warnings(done, '4444.mov') == ([
        'The stream has up to 12 bits; its decoder gives 10, which were '
        'measured.'] if bits == 10 else [])
    form = read(done['out'], 'rgb48.mov', 'facts.json')['video']['format']
    assert warnings(done, 'rgb48.mov') == ([
        'The decoder adds an alpha component (A), which the stream does not '
        'have.'] if 'A' in form else [])
    for name in '422.mov', 'rgb.mov', 'rgba64.mov':
        assert not warnings(done, name), name


def test_changing_size_is_reported(done: Dict[str, Any]) -> None:
    assert warnings(done, 'change.h264') == [
        'The size of the picture changes: 64 × 48, 96 × 80.']


@pytest.mark.parametrize('name', ['jpeg.mkv', 'png.mkv'])
def test_a_cover_is_not_measured(done: Dict[str, Any], name: str) -> None:
    """It is the first track, and MPEG-4 has none for it."""
    facts = read(done['out'], name, 'facts.json')
    assert facts['measured']['frames'] == count(done['folder'] / 'ten.mp4')
    assert facts['video']['codec'].startswith('H.264')
    assert (facts['video']['width'], facts['video']['covers'],
            facts['video']['tracks']) == (64, 1, 1)
    assert not warnings(done, name)


@pytest.mark.parametrize('name, width', [('two.mkv', 64), ('two.avi', 96)])
def test_second_video_is_reported(done: Dict[str, Any], name: str,
                                  width: int) -> None:
    video = read(done['out'], name, 'facts.json')['video']
    assert (video['width'], video['tracks']) == (width, 2)
    assert warnings(done, name) == [
        'The file has 2 video tracks; the first was measured.']


def test_second_program_is_reported(done: Dict[str, Any]) -> None:
    assert warnings(done, 'two.ts') == [
        'The stream has 2 programs; one was measured.']


@pytest.mark.parametrize('name, rotation, is_mirrored', [
    ('turned.mp4', 90, None), ('mirrored.mp4', 90, True),
    ('turned.mkv', 270, None), ('mirrored.mkv', 90, True),
    ('ten.mp4', None, None), ('1x1.mkv', None, None)])
def test_orientation(done: Dict[str, Any], name: str, rotation: Any,
                     is_mirrored: Any) -> None:
    """The rotation is clockwise, after the picture is mirrored; that of
    Matroska is counter-clockwise."""
    video = read(done['out'], name, 'facts.json')['video']
    assert video.get('rotation') == rotation
    assert video.get('mirrored') == is_mirrored


def test_measured_rate(done: Dict[str, Any]) -> None:
    for name, rate in ('ten.mp4', [10 ** 9, 40_000_000]), ('rate.mp4', None):
        assert read(done['out'], name, 'facts.json')['video'].get(
            'measured-rate') == rate


def test_interlaced(done: Dict[str, Any]) -> None:
    facts = read(done['out'], 'fields.mp4', 'facts.json')
    assert facts['video']['interlacing'] == 'interleaved'
    assert read(done['out'], 'ten.mp4', 'facts.json')['video'][
        'interlacing'] == 'progressive'


def test_sounds(done: Dict[str, Any]) -> None:
    sound, = read(done['out'], 'channels.mkv', 'facts.json')['audio']
    assert sound['channels'] == 6
    sound, = read(done['out'], 'samples.mkv', 'facts.json')['audio']
    assert sound['rate'] == 768000
    for name, _ in SOUNDS:
        assert 'events.silence' not in rules(done['out'], name)


def test_one_line_per_unmeasured_file(tmp_path: Path) -> None:
    folder = tmp_path / 'videos'
    folder.mkdir()
    expected = {}
    for name, options, why in (
            ('picture.png', '-frames:v 1', 'a still picture, not a video'),
            ('picture.jpg', '-frames:v 1', 'a still picture, not a video'),
            ('rows.avi', '-c:v rawvideo -pix_fmt yuv420p -s 161x121',
             'its frames do not have the size that GStreamer expects'),
            ('zero.mkv', '-frames:v 0 -c:v libx264', 'no frame can'),
            ('zero.mp4', '-frames:v 0 -c:v libx264', 'no playable stream')):
        make(folder / name, '64x48', options)
        expected[name] = why
    clips.run('-f', 'lavfi', '-i', 'sine=d=1', str(folder / 'sound.mkv'))
    expected['sound.mkv'] = 'it contains no video'
    clips.run('-i', str(folder / 'picture.jpg'), '-i',
              str(folder / 'sound.mkv'), '-map', '0', '-map', '1', '-c',
              'copy', str(folder / 'cover.mkv'))
    expected['cover.mkv'] = 'a still picture, not a video'
    done = here('check', *folder.iterdir(), '--out', tmp_path / 'out',
                '--quiet')
    assert done.returncode == 2
    assert done.stdout.count('\n') == len(expected), done.stdout
    for name, why in expected.items():
        assert f'not measured: {name}: ' in done.stdout, name
        assert why in verdict(tmp_path / 'out', name)['reasons'][0][
            'message'], name


@pytest.mark.parametrize('kind', ['mov', 'mkv'])
@pytest.mark.parametrize('fourcc, sound, codec', [
    ('Hap9', '', 'Hap (fourcc Hap9)'), ('UL99', '', 'Ut Video (fourcc UL99)'),
    ('Zzzz', '', 'fourcc Zzzz'), ('Zzzz', 'sine', 'fourcc Zzzz')])
def test_codec_without_a_decoder_is_named(fourcc: str, sound: str, codec: str,
                                          kind: str, tmp_path: Path) -> None:
    path = tmp_path / f'clip.{kind}'
    clips.run('-f', 'lavfi', '-i', SOURCE.format('64x48'), *(
        ['-f', 'lavfi', '-i', 'sine=d=0.4'] if sound else []), '-c:v', 'qtrle',
        str(path))
    path.write_bytes(path.read_bytes().replace(b'rle ', fourcc.encode()))
    done = here('check', path, '--out', tmp_path / 'out', '--quiet')
    assert done.stdout == (
        f'not measured: clip.{kind}: GStreamer has no decoder for its video, '
        f'{codec}; convert it: ffmpeg -i FILE -c:v ffv1 FILE.mkv\n')


@pytest.mark.parametrize('profile, pixels', [
    ('dnxhr_lb', 'yuv422p'), ('dnxhr_444', 'yuv444p10le')])
def test_dnxhr_is_measured_in_each_container(profile: str, pixels: str,
                                             tmp_path: Path) -> None:
    """GStreamer 1.22 does not know its fourcc in MOV and AVI, and does not
    read it in Matroska."""
    clips.run('-f', 'lavfi', '-i', SOURCE.format('256x144'), '-c:v', 'dnxhd',
              '-profile:v', profile, '-pix_fmt', pixels,
              str(tmp_path / 'clip.mov'))
    names = ['clip.mov', 'clip.avi', 'clip.mxf']
    for name in names[1:]:
        clips.run('-i', str(tmp_path / 'clip.mov'), '-c', 'copy', '-r', '25',
                  str(tmp_path / name))
    for name, options in (
            ('parts.mov', ['-movflags', 'frag_keyframe+empty_moov']),
            ('clip.mkv', ['-color_range', 'pc'])):
        names.append(name)
        clips.run('-i', str(tmp_path / 'clip.mov'), '-c', 'copy', *options,
                  str(tmp_path / name))
    out = tmp_path / 'out'
    assert here('check', tmp_path, '--out', out, '--no-reports'
                ).returncode < 2
    means = []
    for name in names:
        with gzip.open(out / name / 'frames.jsonl.gz') as lines:
            means.append([json.loads(line)['mean'] for line in lines])
    assert len(means[0]) == 10
    assert means == means[:1] * 5
    facts = read(out, 'clip.mkv', 'facts.json')['video']
    assert (facts['range'], facts['rate']) == ('full', [25, 1])
    with webserver.serving(tmp_path) as server:
        here('check', f'{server.address}/clip.mkv', '--out', out / 'far',
             '--no-reports')
    far = read(out / 'far', 'clip.mkv', 'facts.json')['video']
    assert (far['codec'], far['range']) == (facts['codec'], 'full')


@pytest.mark.parametrize('rate, base', [(25, 1), (30000, 1001)])
def test_rate_of_field_pictures_is_that_of_frames(
        rate: int, base: int, tmp_path: Path) -> None:
    """MPEG-4 and AVI name the rate of the packets, twice as many; and the
    last field is no missing frame, however containers round its time. A frame
    of a raw stream does not end with its first field."""
    stream = tmp_path / 'clip.h264'
    field_pictures.write(stream, 10, rate, base)
    clips.run('-i', str(stream), '-c', 'copy', str(tmp_path / 'clip.mp4'))
    names = ['clip.h264', 'clip.mp4', *(f'clip.{kind}' for kind in (
        'mov', 'mkv', 'ts', 'avi'))]
    for name in names[2:]:
        clips.run('-i', str(tmp_path / 'clip.mp4'), '-c', 'copy',
                  str(tmp_path / name))
    out = tmp_path / 'out'
    policy = tmp_path / 'policy.toml'
    policy.write_text(f'[container]\nrate = "{rate}/{base}"\n'
                      f'measured-rate = "{rate}/{base}"\n'
                      '[events.gap]\nmax-count = 0\n')
    here('check', tmp_path, '--out', out, '--no-reports', '--policy', policy)
    for name in names:
        assert not rules(out, name), name
        facts = read(out, name, 'facts.json')
        assert facts['measured']['frames'] == 10
        track = facts['tracks'][0]
        assert track['packets'] == 20
        assert abs(track['duration'] - 1e10 * base / rate) < 2e6
        assert facts['video']['rate'] == [rate, base]


def test_gif_is_refused(tmp_path: Path) -> None:
    make(tmp_path / 'clip.gif', '64x48', '')
    done = here('check', tmp_path / 'clip.gif', '--out', tmp_path / 'out',
                '--quiet')
    assert done.stdout == (
        'not measured: clip.gif: GStreamer does not decode GIF to its end; '
        'convert it: ffmpeg -i FILE -c:v ffv1 FILE.mkv\n')


def test_unknown_pixel_format_is_reported(tmp_path: Path) -> None:
    """FFmpeg's decoders report that they are out of memory, or crash."""
    names = ['gray9le', 'yuv440p12le']
    for name in names:
        make(tmp_path / f'{name}.mkv', '64x48', f'-c:v ffv1 -pix_fmt {name}')
    done = clqc('check', tmp_path, '--out', tmp_path / 'out', '--quiet')
    assert sorted(line for line in
                  done.stdout.splitlines()) == [
        f'not measured: {name}.mkv: its frames have a pixel format that '
        'GStreamer does not know' for name in names]


def test_header_that_hides_the_video_is_repaired(tmp_path: Path) -> None:
    """GStreamer treats a track with less than a fifth of the length as a
    preview; a picture that is so short compared with its sound is one, too."""
    names = {'header.mp4': 10, 'short.mov': 5, 'good.mp4': 10}
    for name, count_of in names.items():
        seconds = 2 if name == 'short.mov' else 0.4
        clips.run('-f', 'lavfi', '-i',
                  f'testsrc=s=64x48:r=25:d={count_of / 25}', '-f', 'lavfi',
                  '-i', f'sine=d={seconds}', '-c:v', 'mpeg4',
                  str(tmp_path / name))
    path = tmp_path / 'header.mp4'
    data = bytearray(path.read_bytes())
    place = data.index(b'mdhd') + 20
    data[place:place + 4] = bytes(4)
    path.write_bytes(data)
    out = tmp_path / 'out'
    assert here('check', tmp_path, '--out', out).returncode < 2
    for name, count_of in names.items():
        assert read(out, name, 'facts.json')['measured']['frames'] == count_of
    messages = {name: [reason['message']
                       for reason in verdict(out, name)['reasons']
                       if reason['rule'] == 'measure.header']
                for name in names}
    assert messages == {
        'header.mp4': ['The header of the video track says 0 s, and its '
                       'table 0.4 s; the table is used.'],
        'short.mov': [], 'good.mp4': []}
    assert path.read_bytes() == data


def with_empty_chunks(path: Path, empty: Collection[int],
                      form: str = 'idx1') -> bytes:
    """Returns an AVI file of FFmpeg with these video chunks empty, with an
    index, without one, or with the second half in a segment of OpenDML; or a
    capture that has not been finished, whose lists have no size."""
    data = path.read_bytes()
    at = data.index(b'movi') + 4
    chunks, index = [b''], []
    while data[at:at + 4] == b'00dc':
        size, = struct.unpack_from('<I', data, at + 4)
        content = b'' if len(index) in empty else data[at + 8:at + 8 + size]
        index.append(struct.pack('<4s3I', b'00dc', 16, 4 + len(
            b''.join(chunks)), len(content)))
        chunks.append(struct.pack('<4sI', b'00dc', len(content)) + content
                      + bytes(len(content) % 2))
        at += 8 + size + size % 2

    def chunk(kind: bytes, *content: bytes) -> bytes:
        inner = b''.join(content)
        size = 0 if form == 'unfinished' else len(inner)
        return struct.pack('<4sI', kind, size) + inner
    half = len(chunks) // 2 if form == 'OpenDML' else len(chunks)
    made = chunk(
        b'RIFF', data[8:data.index(b'movi') - 8],
        chunk(b'LIST', b'movi', *chunks[:half]),
        chunk(b'idx1', *index[:half - 1])
        if form in ('idx1', 'OpenDML') else b'')
    return made if form != 'OpenDML' else made + chunk(
        b'RIFF', b'AVIX', chunk(b'LIST', b'movi', *chunks[half:]))


def test_dropped_frames_of_a_capture_are_reported(tmp_path: Path) -> None:
    """Programs that capture write empty chunks for them."""
    videos, out = tmp_path / 'videos', tmp_path / 'out'
    videos.mkdir()
    whole = videos / 'whole.avi'
    clips.run('-f', 'lavfi', '-i', 'testsrc=s=64x48:r=25:d=4', '-c:v',
              'mjpeg', '-pix_fmt', 'yuvj420p', str(whole))
    empty = {25, *range(50, 60), 99}
    for form in 'idx1', 'none', 'OpenDML', 'unfinished':
        path = videos / f'{form}.avi'
        path.write_bytes(with_empty_chunks(whole, empty, form))
        assert [time // 40_000_000 for time in avi.dropped_frames(str(path))
                ] == sorted(empty), form
    path.write_bytes(b'RIFF\0\0\0\0AVI ' + b'LIST\0\0\0\0rec ' * 2000)
    assert not avi.dropped_frames(str(path))
    here('check', whole, videos / 'idx1.avi', '--out', out, '--no-reports')
    assert 'dropped.frames' not in rules(out, 'whole.avi')
    found = [reason for reason in verdict(out, 'idx1.avi')['reasons']
             if reason['rule'] == 'dropped.frames']
    assert [(reason['severity'], reason['message']) for reason in found] == [
        ('warning', message) for message in (
            'The writer dropped frames, whose chunks are empty: 12; none is '
            'allowed.', '1 empty chunk at 0:00:01.000.',
            '10 empty chunks from 0:00:02.000 to 0:00:02.400.',
            '1 empty chunk at 0:00:03.960.')]
    assert verdict(out, 'idx1.avi')['measured']['dropped-frames'] == 12
    assert 'events.gap' not in rules(out, 'idx1.avi')


class Hurrying(Jumping):
    """A minute passes between two reads of the clock."""

    def now(self) -> float:
        self.sleep(61)
        return super().now()


@pytest.mark.parametrize('is_compiling, n_ticks', [(False, 1), (True, 4)])
def test_stalled_element_is_named(is_compiling: bool, n_ticks: int) -> None:
    """A demuxer that never ends is named. While kernels are compiled, the
    pipeline reports progress for five minutes."""
    gst.init()
    line = gst.Pipeline('appsrc ! avidemux ! fakesink', clock=Hurrying())
    line.is_compiling = is_compiling
    ticks: List[int] = []
    line.on_tick = ticks.append
    try:
        with pytest.raises(ClqcError) as error:
            line.play()
    finally:
        line.close()
    assert str(error.value) == ('nothing was decoded for 60 seconds after '
                                '0.000 s: avidemux makes no progress')
    assert len(ticks) == n_ticks


def test_demuxer_that_reads_in_a_loop() -> None:
    """Its streams end, with a warning. One that still reads other bytes is
    slow."""
    gst.init()
    line = gst.Pipeline('appsrc ! avidemux name=demuxer')
    reads = gst.Reads(line.element('demuxer'))

    def returned(offset: int) -> Any:
        return reads._on_read(None, SimpleNamespace(offset=offset))

    def warning() -> Any:
        return line.bus.pop_filtered(gst.Gst.MessageType.WARNING)
    for offset in [*range(3000), *range(900), *range(2990, 6000),
                   *[5, 7, 6] * 333]:
        assert returned(offset) == gst.Gst.PadProbeReturn.PASS
    assert warning() is None
    for _ in range(3):
        assert returned(5) == gst.Gst.PadProbeReturn.OK
    assert warning().parse_warning()[0].message == (
        'the demuxer reads in a loop, at byte 5')
    assert warning() is None
    line.close()


@pytest.mark.parametrize('change', ['os.utime(part.path)',
                                    'os.truncate(part.path, 0)'])
def test_changing_file_is_refused(change: str, tmp_path: Path) -> None:
    """It is written to while it is measured; a second start measures the new
    contents."""
    path = make(tmp_path / 'clip.mp4', '64x48', '-c:v libx264')
    (tmp_path / 'sitecustomize.py').write_text(
        'import os, sys\n'
        'if "clqc.decoding.worker" in sys.orig_argv:\n'
        '    import clqc.decoding.frames\n'
        '    measure = clqc.decoding.frames.measure\n'
        '    def changing(part, tick):\n'
        f'        {change}\n'
        '        return measure(part, tick)\n'
        '    clqc.decoding.frames.measure = changing\n')
    out = tmp_path / 'out'
    done = clqc('check', path, '--out', out, PYTHONPATH=os.pathsep.join(
        [str(tmp_path), os.environ['PYTHONPATH']]))
    assert done.returncode == 2
    assert 'it has changed while it was measured' in done.stdout
    assert not (out / 'clip.mp4' / 'facts.json').exists()
    if path.stat().st_size:
        assert here('check', path, '--out', out).returncode < 2


def test_length_of_a_program_stream(tmp_path: Path) -> None:
    """And no guess from its first seconds, which differs each time."""
    gst.init()
    path = clips.make(str(tmp_path / 'long.mpg'))
    durations = {media_info.describe(path)['container']['duration']
                 for _ in range(5)}
    assert len(durations) == 1
    duration = durations.pop()  # GStreamer 1.28 may not know
    assert duration is None or abs(duration - 16e9) < 1e8


def test_demuxer_without_streams_is_ended(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It might be waited for an hour."""
    gst.init()
    monkeypatch.setattr(media_info, 'TIMEOUT', 3600 * 10 ** 9)
    path = tmp_path / 'none.mpg'
    path.write_bytes(bytes(range(256)) * 400)
    assert media_info._duration_of_demuxer(str(path)) is None


@pytest.mark.parametrize('path, timeouts', [('clip', [1, 30]),
                                            ('http://x/clip', [30])])
def test_discoverer_loses_an_error(tmp_path, monkeypatch, path, timeouts):
    """A file whose demuxer has no error gets a long attempt after a short one;
    a server gets one long attempt."""
    results, asked = media_info.GstPbutils.DiscovererResult, []

    def new(timeout):
        asked.append(timeout // 1_000_000_000)
        info = mock.Mock(**{
            'get_result.return_value': results.ERROR
            if len(asked) == len(timeouts) else results.TIMEOUT,
            'get_video_streams.return_value': [],
            'get_tags.return_value': None})
        return mock.Mock(**{'discover_uri.return_value': info})
    monkeypatch.setattr(media_info.GstPbutils, 'Discoverer',
                        mock.Mock(new=new))
    if len(timeouts) > 1:
        path = tmp_path / path
        path.write_bytes(b'x')
    with pytest.raises(ClqcError):
        media_info.describe(str(path))
    assert asked == timeouts


def test_pipelines_share_contexts() -> None:
    """A GPU is opened once in a process."""
    gst.init()
    found = []
    for _ in range(2):
        line = gst.Pipeline('videotestsrc num-buffers=1 ! '
                            'clframesum name=measure ! fakesink')
        assert not line.pipeline.get_context('gst.soup.session')
        line.play()
        found.append(line.element('measure').get_context(
            'gst.cl.context').get_structure().to_string())
        line.bus.post(Gst.Message.new_have_context(
            line.pipeline, Gst.Context.new('gst.soup.session', True)))
        line.close()
    assert found[0] == found[1]


def test_pipelines_are_freed(tmp_path: Path) -> None:
    """A process reads many files."""
    gst.init()
    clips.run('-f', 'lavfi', '-i', SOURCE.format('64x48'), '-c:v', 'libx264',
              str(tmp_path / 'clip.mp4'))
    n_open = []
    for _ in range(3):
        packets.read(str(tmp_path / 'clip.mp4'), None, lambda _: None)
        n_open.append(len(os.listdir('/proc/self/fd')))
    assert n_open[1] == n_open[2]
