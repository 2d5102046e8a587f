# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes H.264 whose fields are pictures and packets of their own (PAFF),
which no encoder of FFmpeg does: ITU-T H.264, Main profile, I_PCM only."""
from pathlib import Path

_WIDTH, _HEIGHT = 4, 2  # of a field, in macroblocks


def _u(n_bits: int, value: int) -> str:
    return format(value, f'0{n_bits}b')


def _ue(value: int) -> str:
    bits = format(value + 1, 'b')
    return '0' * (len(bits) - 1) + bits


def _aligned(bits: str) -> bytes:
    bits += '0' * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, 'big')


def _nal(header: int, payload: bytes) -> bytes:
    """Returns a NAL unit with emulation prevention, 7.3.1."""
    found = bytearray()
    for byte in payload:
        if found[-2:] == b'\0\0' and byte <= 3:
            found.append(3)
        found.append(byte)
    return b'\0\0\0\1' + bytes([header]) + found


def _parameter_sets(ticks: int, scale: int) -> bytes:
    timing = '00001' + _u(32, ticks) + _u(32, scale) + '1' + '0000'
    sequence = (_u(8, 77) + _u(8, 0) + _u(8, 30) + _ue(0) + _ue(0) + _ue(2)
                + _ue(1) + '0' + _ue(_WIDTH - 1) + _ue(_HEIGHT - 1)
                + '0' + '0' + '1' + '0' + '1' + timing + '1')
    picture = (_ue(0) + _ue(0) + '00' + 3 * _ue(0) + '000' + 3 * _ue(0)
               + '100' + '1')
    return _nal(0x67, _aligned(sequence)) + _nal(0x68, _aligned(picture))


def _field(number: int, is_bottom: bool) -> bytes:
    """Returns a field. The top one is an IDR picture."""
    header = _ue(0) + _ue(7) + _ue(0) + _u(4, 0) + '1' + _u(1, is_bottom)
    header += '0' if is_bottom else _ue(number % 2) + '00'
    header += _ue(0) + _ue(1)
    slice_data = b''
    for block in range(_WIDTH * _HEIGHT):
        slice_data += _aligned(header + _ue(25))
        slice_data += bytes(16 + (9 * block + 7 * number + i) % 200
                            for i in range(256)) + bytes([128]) * 128
        header = ''
    return _nal(0x41 if is_bottom else 0x65, slice_data + b'\x80')


def write(path: Path, n_frames: int, rate: int, base: int = 1) -> None:
    """Writes frames of 64x64 pixels; @rate / @base: of the frames."""
    delimiter = _nal(9, _aligned('0011'))
    path.write_bytes(b''.join(
        delimiter + _parameter_sets(base, 2 * rate) + _field(number, False)
        + delimiter + _field(number, True) for number in range(n_frames)))
