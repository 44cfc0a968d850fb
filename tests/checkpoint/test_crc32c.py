"""CRC-32C: the checksum that the standard defines, whatever the length and wherever it is cut.

Only integers are computed: this holds on every processor.
"""

import numpy as np
import pytest

from shims._src.checkpoint import crc32c
from shims._src.checkpoint.crc32c import _LONG, _POLYNOMIAL, _SHORT, mask, unmask

# Below, at and above each border of the algorithm.
WORDS = 8 * _SHORT[0], 8 * _LONG[0], 8 * crc32c._CHUNK
LENGTHS = sorted({0, 1, 3, 4, 127, 128, *(w + d for w in WORDS for d in (-1, 0, 1, 7, 8, 9))})
DATA = np.random.default_rng(0).integers(0, 256, max(LENGTHS), np.uint8).tobytes()


def by_definition(data):
    """Checksums of all beginnings of `data`, bit by bit."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (byte & 1) * _POLYNOMIAL
        table.append(byte)
    state, found = 0xFFFFFFFF, {0: 0}
    for count, byte in enumerate(data, 1):
        state = table[(state ^ byte) & 0xFF] ^ state >> 8
        found[count] = state ^ 0xFFFFFFFF
    return found


def test_the_vectors_of_the_standard():
    vectors = (b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43)
    assert [crc32c.crc32c(data) for data, _ in vectors] == [crc for _, crc in vectors]


def test_every_length():
    expected = by_definition(DATA)
    assert {n: crc32c.crc32c(DATA[:n]) for n in LENGTHS} == {n: expected[n] for n in LENGTHS}


@pytest.mark.parametrize("cut", [1, 5, 3000, 50_001])
def test_in_two_pieces(cut):
    assert crc32c.crc32c(DATA[cut:], crc32c.crc32c(DATA[:cut])) == crc32c.crc32c(DATA)


def test_arrays_and_bytes_are_the_same_to_it():
    array = np.frombuffer(DATA[:80_000], np.float32)
    assert crc32c.crc32c(array) == crc32c.crc32c(DATA[:80_000])


@pytest.mark.parametrize("multiple", [_LONG, _SHORT])
def test_the_sparse_polynomials_are_multiples(multiple):
    degree, powers = multiple
    residues = [1]
    for _ in range(degree):
        doubled = residues[-1] << 1
        residues.append(doubled ^ (doubled >> 32) * 0x11EDC6F41)
    total = residues[degree]
    for power in powers:
        total ^= residues[power]
    assert total == 0
    assert powers == tuple(sorted(powers, reverse=True))


def test_masks():
    numbers = (0, 1, 0xFFFFFFFF, 0xE3069283)
    assert [unmask(mask(n)) for n in numbers] == list(numbers)
    assert mask(0) == 0xA282EAD8  # TensorFlow writes it for empty tensors
