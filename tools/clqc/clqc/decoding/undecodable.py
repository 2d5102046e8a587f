# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: names the codec that GStreamer has no decoder for,
and another way to check the file."""
from typing import Any, List, Optional, Tuple

from clqc.common.errors import ClqcError
from clqc.decoding.gst import Gst, GstPbutils, Pipeline, fourcc, source
from clqc.decoding.video_track import discard, is_video, name_of

# By the beginning of their fourcc; GStreamer has no names for these.
_NAMES = (('Hap', 'Hap'), ('UL', 'Ut Video'), ('UQ', 'Ut Video'),
          ('FFVH', 'FFmpeg HuffYUV'), ('M8', 'MagicYUV'), ('M0', 'MagicYUV'),
          ('SNOW', 'Snow'), ('exr', 'OpenEXR'), ('dpx', 'DPX'),
          ('tga', 'Targa'), ('MJ2C', 'JPEG 2000'), ('mjp2', 'JPEG 2000'),
          ('SHQ', 'SpeedHQ'))

_CONVERT = 'convert it: ffmpeg -i FILE -c:v ffv1 FILE.mkv'

GIF = ('GStreamer does not decode GIF to its end; ' + _CONVERT)


def _sentence(caps: Any) -> str:
    row = caps[0]
    code = fourcc(row)
    name = next((name for start, name in _NAMES if code.startswith(start)),
                '')
    if not code:
        name = {'video/x-dirac': 'VC-2 (Dirac)'}.get(row.get_name()) or (
            row.get_string('codec-id') or str(
                GstPbutils.pb_utils_get_codec_description(caps)))
    words = f'fourcc {code.strip("_ ")}'
    codec = f'{name} ({words})' if name and code else name or words
    return f'GStreamer has no decoder for its video, {codec}; {_CONVERT}'


def why(path: str, track: Optional[str]) -> Optional[str]:
    """Returns why GStreamer cannot decode the track, or any video; None if it
    has a decoder."""
    line = Pipeline(f'{source(path)} ! decodebin name=decode')
    found: List[Tuple[str, str]] = []

    def on_unknown(_: Any, pad: Any, caps: Any) -> None:
        if is_video(caps):
            found.append((name_of(pad.get_stream_id()), _sentence(caps)))
    decode = line.element('decode')
    decode.connect('unknown-type', on_unknown)
    decode.connect('pad-added', lambda _, pad: discard(line, pad))
    decode.connect('no-more-pads', lambda _: line.bus.post(
        Gst.Message.new_eos(line.pipeline)))
    try:
        line.play()
    except ClqcError:
        pass  # no stream has a decoder, or the file is broken
    finally:
        line.close()
    return next((sentence for name, sentence in found
                 if track in (None, name)), None)
