# SPDX-License-Identifier: LGPL-2.1-or-later
"""The colour range in the sequence header of AV1 (AV1 Bitstream & Decoding
Process Specification, 5.3 to 5.5). Decoders of GStreamer do not pass it on,
and its parser does only with a matrix."""
from typing import Optional

_SEQUENCE_HEADER = 1

_UNSPECIFIED = (2, 2, 2)
_SRGB = (1, 13, 0)


class _Bits:
    """Reads numbers, highest bit first. Raises IndexError past the end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, n: int) -> int:
        """Returns a number of @n bits."""
        value = 0
        for at in range(self.at, self.at + n):
            value = value << 1 | self.data[at >> 3] >> (7 - (at & 7)) & 1
        self.at += n
        return value

    def skip(self, n: int) -> None:
        """Skips @n bits."""
        self.at += n

    def skip_uvlc(self) -> None:
        """Skips a number of variable length."""
        n = 0
        while not self.read(1):
            n += 1
        self.skip(n if n < 32 else 0)

    def leb128(self) -> int:
        """Returns a LEB128 number: groups of seven bits, lowest first."""
        value = 0
        for i in range(8):
            byte = self.read(8)
            value |= (byte & 127) << 7 * i
            if byte < 128:
                break
        return value


def _skip_operating_points(bits: _Bits) -> None:
    n_delay = 0
    if bits.read(1):  # timing_info
        bits.skip(64)
        if bits.read(1):
            bits.skip_uvlc()
        if bits.read(1):  # decoder_model_info
            n_delay = bits.read(5) + 1
            bits.skip(42)
    has_delay = bits.read(1)
    for _ in range(bits.read(5) + 1):
        bits.skip(12)
        if bits.read(5) > 7:
            bits.skip(1)
        if n_delay and bits.read(1):
            bits.skip(2 * n_delay + 1)
        if has_delay and bits.read(1):
            bits.skip(4)


def _skip_tools(bits: _Bits) -> None:
    """Skips the fields from enable_interintra_compound to order_hint_bits."""
    bits.skip(4)
    has_order = bits.read(1)
    if has_order:
        bits.skip(2)
    has_screen_tools = bits.read(1) or bits.read(1)
    if has_screen_tools and not bits.read(1):
        bits.skip(1)
    if has_order:
        bits.skip(3)


def _is_full(bits: _Bits) -> bool:
    profile = bits.read(3)
    bits.skip(1)
    is_reduced = bits.read(1)
    if is_reduced:
        bits.skip(5)
    else:
        _skip_operating_points(bits)
    n_width, n_height = bits.read(4) + 1, bits.read(4) + 1
    bits.skip(n_width + n_height)
    if not is_reduced and bits.read(1):  # frame_id_numbers
        bits.skip(7)
    bits.skip(3)
    if not is_reduced:
        _skip_tools(bits)
    bits.skip(3)
    if bits.read(1) and profile == 2:  # high_bitdepth
        bits.skip(1)
    is_grey = profile != 1 and bits.read(1)
    colours = _UNSPECIFIED
    if bits.read(1):
        colours = (bits.read(8), bits.read(8), bits.read(8))
    return bool((colours == _SRGB and not is_grey) or bits.read(1))


def colour_range(data: bytes) -> Optional[str]:
    """Returns `full` or `limited`, from the first sequence header in these
    units; None if there is none."""
    bits = _Bits(data)
    try:
        while True:
            bits.skip(1)
            kind = bits.read(4)
            has_extension, has_size = bits.read(1), bits.read(1)
            bits.skip(9 if has_extension else 1)
            size = bits.leb128() if has_size else 0
            if kind == _SEQUENCE_HEADER:
                return 'full' if _is_full(bits) else 'limited'
            if not has_size:
                return None
            bits.skip(8 * size)
    except IndexError:
        return None
