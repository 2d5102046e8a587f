# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the file that qcli writes and QCTools reads: ffprobe's output for
frames after signalstats, in XML, compressed by gzip. Its name is the name of
the video plus `.qctools.xml.gz`, by which QCTools finds the video."""
import gzip
import os
from typing import Dict, Iterator, Mapping, Optional
from xml.sax.saxutils import quoteattr

from clqc.common import files, printable
from clqc.results.result_files import Json

SUFFIX = '.qctools.xml.gz'

# The keys in the order of FFmpeg 5.1 (9.0 has VREP first). Keys that were not
# measured are omitted.
KEYS = ('YMIN YLOW YAVG YHIGH YMAX UMIN ULOW UAVG UHIGH UMAX VMIN VLOW VAVG '
        'VHIGH VMAX SATMIN SATLOW SATAVG SATHIGH SATMAX HUEMED HUEAVG YDIF '
        'UDIF VDIF YBITDEPTH UBITDEPTH VBITDEPTH TOUT VREP BRNG').split()

# QCTools stores the timestamp in 32 bits. In MPEG's clock this is enough for
# six hours; the time in seconds, which QCTools shows, has no such limit.
CLOCK = 90_000

# The stream of the video. GStreamer does not report its number in the
# container.
STREAM = 0

_FORMATS = {
    'I420': 'yuv420p', 'YV12': 'yuv420p', 'Y42B': 'yuv422p',
    'Y444': 'yuv444p', 'Y41B': 'yuv411p', 'YUV9': 'yuv410p',
    'NV12': 'nv12', 'NV21': 'nv21', 'NV16': 'nv16', 'NV24': 'nv24',
    'YUY2': 'yuyv422', 'UYVY': 'uyvy422', 'A420': 'yuva420p',
    'I420_10LE': 'yuv420p10le', 'I422_10LE': 'yuv422p10le',
    'Y444_10LE': 'yuv444p10le', 'I420_12LE': 'yuv420p12le',
    'I422_12LE': 'yuv422p12le', 'Y444_12LE': 'yuv444p12le',
    'Y444_16LE': 'yuv444p16le', 'P010_10LE': 'p010le',
    'P012_LE': 'p012le', 'P016_LE': 'p016le', 'GRAY8': 'gray',
    'GRAY16_LE': 'gray16le', 'GRAY10_LE16': 'gray10le', 'RGB': 'rgb24',
    'BGR': 'bgr24', 'RGBx': 'rgb0', 'BGRx': 'bgr0', 'xRGB': '0rgb',
    'xBGR': '0bgr', 'RGBA': 'rgba', 'BGRA': 'bgra', 'ARGB': 'argb',
    'ABGR': 'abgr', 'GBR': 'gbrp', 'GBR_10LE': 'gbrp10le',
    'GBR_12LE': 'gbrp12le', 'GBRA': 'gbrap'}

_HEAD = '''<?xml version="1.0" encoding="UTF-8"?>
<ffprobe:ffprobe xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xmlns:ffprobe="http://www.ffmpeg.org/schema/ffprobe"
 xsi:schemaLocation="http://www.ffmpeg.org/schema/ffprobe ffprobe.xsd">
'''


def file_name(file: str) -> str:
    """Returns the name that QCTools expects beside the video."""
    return os.path.basename(file) + SUFFIX


def pix_fmt(format_name: object) -> str:
    """Returns FFmpeg's name for a format of GStreamer."""
    name = str(format_name)
    return _FORMATS.get(name, name.lower())


def write(path: str, file: str, frames: Iterator[Json], facts: Json) -> None:
    """Writes the frames, which are lines of clframesum with the keys of
    signalstats. Equal frames give equal bytes. Replaces `path` atomically."""
    with files.replacing(path, 'wb') as out:
        with gzip.GzipFile('', 'wb', 6, out, mtime=0) as packed:
            for text in _pieces(file, frames, facts):
                packed.write(text.encode('utf-8'))


def _pieces(file: str, frames: Iterator[Json],
            facts: Json) -> Iterator[str]:
    measured = facts.get('measured') or {}
    yield _HEAD
    yield _element('program_version', {
        'version': 'clframesum ' + str(measured.get('plugin') or ''),
        'copyright': 'none', 'build_date': 'none', 'build_time': 'none',
        'compiler_ident': 'none', 'configuration': 'signalstats'})
    yield '  <library_versions/>\n  <frames>\n'
    last: Json = {}
    for frame in frames:
        yield _frame(frame)
        last = frame
    yield '  </frames>\n  <streams>\n  '
    yield _stream(last, facts)
    yield '  </streams>\n'
    yield _container(file, facts)
    yield '</ffprobe:ffprobe>\n'


def _element(name: str, values: Mapping[str, object]) -> str:
    return f'  <{name}{_attributes(values)}/>\n'


def _attributes(values: Mapping[str, object]) -> str:
    return ''.join(f' {name}={quoteattr(printable.text(value))}'
                   for name, value in values.items() if value is not None)


def _frame(frame: Json) -> str:
    lines = [f'    <frame{_attributes(_times(frame))}>\n']
    for key in KEYS:
        value = frame.get(key)
        if value is not None:
            lines.append(f'      <tag key="lavfi.signalstats.{key}"'
                         f' value="{printable.number(value)}"/>\n')
    lines.append('    </frame>\n')
    return ''.join(lines)


def _times(frame: Json) -> Dict[str, object]:
    """Returns the attributes of a frame. Times of a frame are named as packet
    times, as in old versions of ffprobe and in qcli. Whether the frame is a
    key frame is unknown."""
    time = frame.get('timestamp')
    duration = frame.get('duration')
    pts = None if time is None else _ticks(time)
    return {
        'media_type': 'video', 'stream_index': STREAM,
        'pkt_pts': pts, 'pkt_pts_time': _seconds(time),
        'pts': pts, 'pts_time': _seconds(time),
        'pkt_duration': None if duration is None else _ticks(duration),
        'pkt_duration_time': _seconds(duration),
        'duration_time': _seconds(duration),
        'width': frame.get('width'), 'height': frame.get('height'),
        'pix_fmt': pix_fmt(frame.get('format')), 'pict_type': '?'}


def _ticks(time: int) -> int:
    return (time * CLOCK + 500_000_000) // 1_000_000_000


def _seconds(time: Optional[int]) -> Optional[str]:
    return None if time is None else '%f' % (time / 1_000_000_000)


def _stream(frame: Json, facts: Json) -> str:
    video = facts.get('video') or {}
    rate = video.get('rate')
    ratio = video.get('pixel-aspect-ratio')
    fraction = f'{rate[0]}/{rate[1]}' if rate else None
    orders = {'progressive': 'progressive'}
    return _element('stream', {
        'index': STREAM, 'codec_name': video.get('codec'),
        'codec_type': 'video',
        'width': frame.get('width', video.get('width')),
        'height': frame.get('height', video.get('height')),
        'sample_aspect_ratio': f'{ratio[0]}:{ratio[1]}' if ratio else None,
        'pix_fmt': pix_fmt(frame.get('format', video.get('format'))),
        'field_order': orders.get(str(video.get('interlacing')), 'unknown'),
        'r_frame_rate': fraction, 'avg_frame_rate': fraction,
        'time_base': f'1/{CLOCK}',
        'bits_per_raw_sample': frame.get('depth', video.get('depth'))})


def _container(file: str, facts: Json) -> str:
    container = facts.get('container') or {}
    return _element('format', {
        'filename': os.path.basename(file), 'nb_streams': 1,
        'format_name': container.get('format'),
        'duration': _seconds(container.get('duration')),
        'size': container.get('bytes')})
