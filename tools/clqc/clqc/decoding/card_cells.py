# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: measures the cells of one frame of a video."""
from typing import Any, Dict, List

from clqc.common.errors import ClqcError
from clqc.decoding.gst import Gst, GstVideo, Pipeline, source
from clqc.decoding.media_info import describe
from clqc.decoding.pictures import LIMIT, settled
from clqc.decoding.video_track import decode_alone, decoder


def _shows(stats: Any, time: int) -> bool:
    """Returns whether the frame of @stats is shown at @time or after it."""
    start, duration = (stats.get_value(name)
                       for name in ('stream-time', 'duration'))
    if Gst.CLOCK_TIME_NONE in (start, duration):
        return time == 0
    return bool(stats.has_field('cell-means') and start + duration > time)


def _numbers(value: Any) -> List[int]:
    """Returns the numbers of 32 bits in a GBytes."""
    return list(memoryview(value.get_data() or b'').cast('I'))


def measure(path: str, time: int) -> Dict[str, Any]:
    """Returns the cells of the frame at @time, nanoseconds from the start, in
    the fields of clframesum, and `weights`, those of red and blue in luma.
    Raises ClqcError if there is no such frame."""
    track = describe(path)['video'].get('track')
    line = Pipeline(f'{source(path)} ! {decoder(track)} dither=none ! '
                    'clframesum name=measure statistics=cells+detection '
                    'async-depth=0 post-messages=false ! '
                    'fakesink name=sink sync=false')
    pipeline = line.pipeline
    decode_alone(pipeline, track)
    element = line.element('measure')
    try:
        pipeline.set_state(Gst.State.PAUSED)
        if not (settled(pipeline, LIMIT) and pipeline.seek_simple(
                Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                time) and settled(pipeline, LIMIT)):
            raise ClqcError('the frame cannot be decoded')
        stats = element.get_property('stats')
        caps = element.get_static_pad('sink').get_current_caps()
        if stats is None or caps is None or not _shows(stats, time):
            raise ClqcError('there is no frame at this time')
        matrix = GstVideo.VideoInfo.new_from_caps(caps).colorimetry.matrix
        known, red, blue = GstVideo.VideoColorMatrix.get_Kr_Kb(matrix)
        return {'components': list(stats.get_value('components')),
                'depth': stats.get_value('depth'),
                'full-range': stats.get_value('full-range'),
                'cell-means': [_numbers(means) for means
                               in stats.get_value('cell-means')],
                'weights': [red, blue] if known else None}
    finally:
        pipeline.set_state(Gst.State.NULL)
