# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs in its own process: pictures of frames of files beside those of their
reference, and of the differences."""
import contextlib
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from clqc.common.clock import REAL, Clock
from clqc.decoding.colours import set_range
from clqc.decoding.compared_files import Pictures, Source
from clqc.decoding.gst import Gst, Pipeline, source
from clqc.decoding.pictures import (CAPS, LIMIT, QUEUE, bytes_of, pull,
                                    settled)
from clqc.decoding.video_track import decode_alone, decoder

WIDTH = 480           # maximum width of a picture
DETAIL = (320, 176)   # size of a detail, which is not scaled
_BLOCK = 8            # pixels, by which the place of a detail is chosen
_MOST_GAIN = 64

Luma = npt.NDArray[np.int32]


@dataclass
class _Frame:
    """A decoded frame in the size of the reference."""
    raw: bytes  # I420
    luma: Luma  # of 16 bits


@dataclass
class Row:
    """The pictures of a frame as JPEG, the reference first."""
    pictures: List[bytes]
    details: List[bytes]  # the part of each that differs most, not scaled
    differences: List[bytes] = field(default_factory=list)  # of each file
    gain: int = 1         # factor of these


class _Reader:
    """Decodes single frames of a file."""

    def __init__(self, file: Source, width: int, height: int) -> None:
        size = f'width={width},height={height}'
        self.shape = height, width
        line = Pipeline(
            f'{source(file.path)} ! {decoder(file.track)} dither=none ! '
            f'tee name=frame ! {QUEUE} ! videoscale ! videoconvert ! '
            f'{CAPS},{size} ! appsink name=raw sync=false '
            f'frame. ! {QUEUE} ! videoscale ! videoconvert dither=none ! '
            f'video/x-raw,format=GRAY16_LE,{size} ! '
            'appsink name=luma sync=false')
        self.pipeline = line.pipeline
        decode_alone(self.pipeline, file.track)
        if file.range:
            set_range(line.element('convert').get_static_pad('sink'),
                      file.range)

    def start(self) -> None:
        """Begins to decode the first frame."""
        self.pipeline.set_state(Gst.State.PAUSED)

    def seek(self, time: int) -> bool:
        """Begins to decode the frame at a time."""
        return bool(self.pipeline.get_by_name('raw').seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
            max(time, 0)))

    def frame(self, left: float) -> Optional[_Frame]:
        """Waits for the frame; returns None if it cannot be decoded."""
        if not settled(self.pipeline, left):
            return None
        samples = [pull(self.pipeline, name) for name in ('raw', 'luma')]
        if None in samples:
            return None
        height, width = self.shape
        stride = -(-2 * width // 4) * 2  # rows of GStreamer: 4 bytes
        luma = np.frombuffer(bytes_of(samples[1]), dtype='<u2')
        return _Frame(bytes_of(samples[0]), luma.reshape(
            height, stride)[:, :width].astype(np.int32))

    def close(self) -> None:
        """Frees the pipeline."""
        self.pipeline.set_state(Gst.State.NULL)


def _jpeg(data: bytes, caps: str, steps: str = '') -> bytes:
    """Returns a picture with these caps as JPEG. @steps: elements before the
    encoder."""
    line = Pipeline(
        f'appsrc name=in format=time caps="{caps},framerate=0/1" ! {steps} '
        'jpegenc quality=80 ! appsink name=out sync=false')
    try:
        line.pipeline.set_state(Gst.State.PLAYING)
        line.element('in').emit('push-buffer', Gst.Buffer.new_wrapped(data))
        line.element('in').emit('end-of-stream')
        return bytes_of(line.element('out').emit('pull-sample'))
    finally:
        line.close()


def place(differences: List[Luma]) -> Tuple[int, int]:
    """Returns the left and the upper edge of the detail in which the frames
    differ most."""
    sums: npt.NDArray[np.float64] = np.sum(differences, axis=0, dtype=float)
    rows, columns = (max(-(-size // _BLOCK), 1) for size in sums.shape)
    blocks = np.zeros((rows * _BLOCK, columns * _BLOCK))
    blocks[:sums.shape[0], :sums.shape[1]] = sums
    blocks = blocks.reshape(rows, _BLOCK, columns, _BLOCK).sum(axis=(1, 3))
    height, width = (min(DETAIL[1] // _BLOCK, rows),
                     min(DETAIL[0] // _BLOCK, columns))
    whole = np.zeros((rows + 1, columns + 1))
    whole[1:, 1:] = blocks.cumsum(axis=0).cumsum(axis=1)
    windows = (whole[height:, width:] - whole[:-height, width:]
               - whole[height:, :-width] + whole[:-height, :-width])
    y, x = np.unravel_index(int(windows.argmax()), windows.shape)
    return int(x) * _BLOCK, int(y) * _BLOCK


def gain_of(differences: List[Luma]) -> int:
    """Returns a power of two with which all but a thousandth of the
    differences fit in 8 bits."""
    most = max(float(np.quantile(one, 0.999)) for one in differences) / 257
    gain = 1
    while gain < _MOST_GAIN and 2 * gain * most <= 255:
        gain *= 2
    return gain


def _map(difference: Luma, gain: int) -> bytes:
    """Returns the differences as a picture: each pixel is the greatest of
    several, so that single ones stay visible."""
    codes = np.minimum(difference * gain // 257, 255).astype(np.uint8)
    step = -(-codes.shape[1] // WIDTH)
    rows, columns = (-(-size // step) for size in codes.shape)
    whole = np.zeros((rows * step, columns * step), np.uint8)
    whole[:codes.shape[0], :codes.shape[1]] = codes
    most = whole.reshape(rows, step, columns, step).max(axis=(1, 3))
    stride = -(-columns // 4) * 4
    padded = np.zeros((rows, stride), np.uint8)
    padded[:, :columns] = most
    return _jpeg(padded.tobytes(), 'video/x-raw,format=GRAY8,'
                 f'width={columns},height={rows}')


def _row(frames: List[_Frame], width: int, height: int) -> Row:
    lumas = [frame.luma for frame in frames]
    differences = [np.abs(luma - lumas[0]) for luma in lumas[1:]]
    left, top = place(differences)
    across, down = min(DETAIL[0], width), min(DETAIL[1], height)
    left, top = min(left, width - across), min(top, height - down)
    caps = f'{CAPS},width={width},height={height},pixel-aspect-ratio=1/1'
    crop = (f'videocrop left={left} top={top} '
            f'right={width - left - across} '
            f'bottom={height - top - down} !')
    scaled = min(WIDTH, width)
    scale = (f'videoscale ! video/x-raw,width={scaled},'
             f'height={max(height * scaled // width, 1)} !')
    gain = gain_of(differences)
    return Row([_jpeg(frame.raw, caps, scale) for frame in frames],
               [_jpeg(frame.raw, caps, crop) for frame in frames],
               [_map(one, gain) for one in differences], gain)


def make(plan: Pictures, limit: float = LIMIT, clock: Clock = REAL
         ) -> Dict[int, Row]:
    """Returns the pictures by the index of their times. Those that cannot be
    decoded, or not within @limit seconds, are missing."""
    end = clock.now() + limit
    rows: Dict[int, Row] = {}
    with contextlib.ExitStack() as stack:
        readers = []
        for file in plan.sources:
            readers.append(_Reader(file, plan.width, plan.height))
            stack.callback(readers[-1].close)
        for reader in readers:
            reader.start()
        if not all(settled(reader.pipeline, end - clock.now())
                   for reader in readers):
            return rows
        for number, times in enumerate(zip(*plan.times)):
            # all decode at the same time
            sought = [reader for reader, time in zip(readers, times)
                      if reader.seek(time)]
            found = [frame for reader in sought
                     if (frame := reader.frame(end - clock.now()))]
            if len(found) == len(readers):
                rows[number] = _row(found, plan.width, plan.height)
    return rows
