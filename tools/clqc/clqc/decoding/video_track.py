# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: chooses the video track of a file to measure."""
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Set, Tuple

from clqc.decoding.gst import Gst, Pipeline, source, stream_time
from clqc.inputs.locations import is_http

# A track of pictures without a second frame within this many nanoseconds is a
# cover.
_COVER = 10 * 10 ** 9

_DECODEBIN = 'decodebin name=decode{0} caps=video/x-raw(ANY) ' \
    'expose-all-streams=false'


@dataclass
class Choice:
    """The track to measure."""
    video: Any            # its GstDiscovererVideoInfo
    track: Optional[str]  # its name for decode_alone(); None: the only one
    n_videos: int         # tracks that are not covers
    n_covers: int


def name_of(stream_id: Optional[str]) -> str:
    """Returns the part of a stream's id that does not depend on the location
    of the file. Empty for the container and for a file without one."""
    return (stream_id or '').partition('/')[2]


def is_video(caps: Any) -> bool:
    """Returns whether the caps are those of pictures."""
    name = caps[0].get_name() if caps and caps.get_size() else ''
    return bool(name.startswith(('video/', 'image/')))


def discard(line: Pipeline, pad: Any) -> None:
    """Links a pad to a sink that discards all buffers. A sink that waits for
    its first buffer would block a demuxer that has not reached the other
    tracks."""
    sink = Gst.ElementFactory.make('fakesink', None)
    sink.set_property('sync', False)
    sink.set_property('async', False)
    line.pipeline.add(sink)
    sink.sync_state_with_parent()
    pad.link(sink.get_static_pad('sink'))


def _covers(path: str, tracks: Set[str]) -> Set[str]:
    """Returns the tracks that have one picture."""
    line = Pipeline(f'{source(path)} ! parsebin name=parse')
    counts: Dict[str, int] = dict.fromkeys(tracks, 0)

    def on_pad(_: Any, pad: Any) -> None:
        name = name_of(pad.get_stream_id())

        def on_buffer(pad: Any, info: Any) -> Any:
            if name in counts:
                counts[name] += 1
            time = stream_time(pad, info.get_buffer().pts) or 0
            line.position = max(line.position, time)
            if time > _COVER or all(count > 1 for count in counts.values()):
                line.bus.post(Gst.Message.new_eos(line.pipeline))
            return Gst.PadProbeReturn.OK

        discard(line, pad)
        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)

    line.element('parse').connect('pad-added', on_pad)
    try:
        line.play()
    finally:
        line.close()
    return {name for name, count in counts.items() if count < 2}


def choose(path: str, info: Any) -> Optional[Choice]:
    """Returns the first video track that is not a cover; None if there is
    none."""
    # For a program stream the discoverer has a second track without a name,
    # its first guess of the first one.
    found: List[Any] = info.get_video_streams()
    found = [video for video in found if video.get_stream_id()] or found
    videos = [video for video in found if not video.is_image()]
    n_tracks = len(found)
    if videos and n_tracks + len(info.get_audio_streams()) > 1:
        pictures = {name_of(video.get_stream_id()) for video in videos
                    if video.get_caps()[0].get_name().startswith('image/')}
        covers = _covers(path, pictures) if pictures else pictures
        videos = [video for video in videos
                  if name_of(video.get_stream_id()) not in covers]
    if not videos:
        return None
    return Choice(videos[0], name_of(videos[0].get_stream_id()) or None
                  if n_tracks > 1 else None,
                  len(videos), n_tracks - len(videos))


def decoder(track: Optional[str], number: str = '') -> str:
    """Returns the part of a launch line that decodes the track and converts
    it; the converter is named `convert`, followed by @number: of one of
    several files in a pipeline."""
    between = '!' if track is None else ''  # decode_alone() links these
    return (f'{_DECODEBIN.format(number)} {between} '
            f'videoconvert name=convert{number}')


def decode_alone(pipeline: Any, track: Optional[str], number: str = ''
                 ) -> None:
    """Decodes no video except the track. Called before a pipeline with
    decoder() starts. @number: as for decoder()."""
    if track is None:
        return

    def is_wanted(_: Any, pad: Any, caps: Any) -> bool:
        return not is_video(caps) or (
            name_of(pad.get_stream_id()) in ('', track))

    def on_pad(_: Any, pad: Any) -> None:
        if name_of(pad.get_stream_id()) == track:
            pad.link(pipeline.get_by_name(
                f'convert{number}').get_static_pad('sink'))

    decode = pipeline.get_by_name(f'decode{number}')
    decode.connect('autoplug-continue', is_wanted)
    decode.connect('pad-added', on_pad)


def pose(path: str, track: Optional[str]) -> Optional[Tuple[int, bool]]:
    """Returns the orientation that a container names: `rotation` and
    `mirrored` of orientation(). None if it is not read here."""
    # imports numpy, which the process that decodes does not need
    from clqc.containers import matroska_video, mp4_video

    return None if is_http(path) else (
        mp4_video.orientation(path, track)
        or matroska_video.orientation(path, track))


def orientation(path: str, track: Optional[str], video: Any
                ) -> Dict[str, Any]:
    """Returns facts about the orientation: `rotation`, the degrees by which
    players must rotate the picture clockwise, and `mirrored`, if they must
    mirror it before. Returns nothing if the picture is upright."""
    tags = video.get_tags()
    found, text = (tags.get_string('image-orientation') if tags
                   else (False, ''))
    before, _, degrees = (text if found else '').rpartition('rotate-')
    rotation, is_mirrored = pose(path, track) or (
        int(degrees or 0), bool(before))
    return {**({'rotation': rotation} if rotation else {}),
            **({'mirrored': True} if is_mirrored else {})}
