"""Compute the CRC-32C checksum of checkpoint files at memory speed with NumPy.

A checksum is the remainder of a polynomial over GF(2) whose coefficients are the bits of the data.
If `x**n = x**a + x**b + 1` holds modulo the polynomial of CRC-32C, it holds for the 64th powers too,
because squaring is additive over GF(2). So a word of 64 bits may be xored into the words `n-a`, `n-b`
and `n` places later and then dropped; the remainder stays the same. Blocks of words are folded this
way until `n` words are left; those are looked up byte by byte in a table per position.
"""

from __future__ import annotations

import functools

import numpy as np

_POLYNOMIAL = 0x82F63B78  # bits reversed: the highest power is the lowest bit

# `(n, (a, b, ...))`. The first has few terms and long blocks, the second leaves few words.
_LONG = (5685, (1362, 426, 0))
_SHORT = (290, (136, 113, 107, 32, 0))

_WORD = np.dtype("<u8")
_CHUNK = 1 << 15  # words folded at a time, so that they fit into the cache
# For the words left after folding and the bytes of an incomplete word.
_TABLES = 8 * (_SHORT[0] + 1)
_FEW = 128  # up to this many bytes, a loop over single bytes is faster


def crc32c(data, crc: int = 0) -> int:
    """Compute the CRC-32C checksum of bytes, optionally continuing from an earlier checksum.

    Args:
      data: bytes, or a contiguous array.
      crc: the checksum of the preceding data.
    """
    data = memoryview(data).cast("B") if not isinstance(data, bytes) else data
    state = crc ^ 0xFFFFFFFF
    if len(data) < _FEW:
        return _by_byte(data, state) ^ 0xFFFFFFFF
    rest = np.frombuffer(data, np.uint8)
    if len(rest) > _TABLES:
        words = len(rest) // 8
        folded = _fold_words(rest[: words * 8].view(_WORD), state)
        rest, state = np.concatenate([folded.view(np.uint8), rest[words * 8 :]]), 0
    return _by_position(rest, state) ^ 0xFFFFFFFF


def mask(crc: int) -> int:
    """Mask a checksum for storage, as LevelDB does for data that contains checksums."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def unmask(masked: int) -> int:
    """Recover a checksum from its masked form."""
    turned = (masked - 0xA282EAD8) & 0xFFFFFFFF
    return ((turned >> 17) | (turned << 15)) & 0xFFFFFFFF


def _fold_words(words: np.ndarray, state: int) -> np.ndarray:
    """Fold words into at most `_SHORT[0]` words.

    The CRC of the folded words, started from 0, is that of `words` started from `state`.
    """
    carry = np.zeros(0, _WORD)
    for start in range(0, len(words), _CHUNK):
        carry = np.concatenate([carry, words[start : start + _CHUNK]])
        if start == 0:
            carry[0] ^= np.uint64(state)
        _fold_in_place(carry, *_LONG)
        carry = carry[-_LONG[0] :]
    _fold_in_place(carry, *_SHORT)
    return carry[-_SHORT[0] :]


def _fold_in_place(words: np.ndarray, degree: int, powers: tuple[int, ...]) -> None:
    """Xor all but the last `degree` words into later ones, in place."""
    block = degree - powers[0]
    end = len(words) - degree
    for start in range(0, end, block):
        moved = words[start : min(start + block, end)]
        for power in powers:
            target = words[start + degree - power :][: len(moved)]
            np.bitwise_xor(target, moved, out=target)


def _by_byte(data: bytes | memoryview, state: int) -> int:
    table = _byte_table()
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ (state >> 8)
    return state


def _by_position(data: np.ndarray, state: int) -> int:
    tables = _position_tables()
    data = data.copy()
    data[:4] ^= np.frombuffer(state.to_bytes(4, "little"), np.uint8)
    at = np.arange(len(data) - 1, -1, -1, dtype=np.intp)
    at *= 256
    at += data
    return np.bitwise_xor.reduce(tables[at], keepdims=True).item()


@functools.cache
def _byte_table() -> list[int]:
    """Return a table with the CRC remainder of each byte value."""
    table = list(range(256))
    for _ in range(8):
        table = [left >> 1 ^ (left & 1) * _POLYNOMIAL for left in table]
    return table


@functools.cache
def _position_tables() -> np.ndarray:
    """Return the CRC remainders of all byte values, as one table after another.

    Table `i` is for a byte that `i` zero bytes follow.
    """
    first = np.array(_byte_table(), np.uint32)
    tables = np.empty((_TABLES, 256), np.uint32)
    tables[0] = first
    for here, before in zip(tables[1:], tables):
        np.bitwise_xor(first.take(before & 0xFF), before >> 8, out=here)
    return tables.reshape(-1)
