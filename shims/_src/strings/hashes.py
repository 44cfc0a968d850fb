"""Compute the hashes of strings on the host, as TensorFlow does.

Strings are bytes here, and hashes are 64-bit integers, to which Python's integers are
truncated.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.errors import errors
from shims._src.types.dtypes import canonical_dtype

_WORD = 0xFFFFFFFFFFFFFFFF
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def buckets(function: str, texts, number, hash_of: Callable[[bytes], int]):
    """Compute the hash bucket of each string, int64 as in TensorFlow.

    Args:
      function: the operator as the user spells it.
      texts: a string, bytes, or nested lists or a NumPy array of them.
      number: the number of buckets.
      hash_of: the hash function of one string.

    Raises:
      InvalidArgumentError: `number` is not positive.
      UnimplementedError: a bucket number needs 64 bits, and `jax_enable_x64` is off.
      TypeError: an element is not a string.
    """
    if number < 1:
        raise checks.invalid(
            function, "`num_buckets` must be positive.", required=f"num_buckets > 0, not {number}"
        )
    dtype = canonical_dtype(np.int64)
    if number - 1 > np.iinfo(dtype).max:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "the bucket numbers need more than 32 bits.",
                received=f"num_buckets={number}",
                do="turn on `jax_enable_x64`",
            )
        )
    array = np.asarray(texts, object)
    found = [hash_of(_encoded(function, text)) % number for text in array.ravel()]
    return jnp.asarray(np.reshape(np.asarray(found, dtype), array.shape))


def _encoded(function: str, text) -> bytes:
    """Encode a string as UTF-8; return bytes unchanged."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"{function}: {text!r} is not a string.")
    return text.encode() if isinstance(text, str) else text


def _fetch(s: bytes, at: int, size: int = 8) -> int:
    """Read `size` bytes at an offset as a little-endian integer."""
    return int.from_bytes(s[at : at + size], "little")


def _rotate_right(x: int, by: int) -> int:
    """Rotate a 64-bit word to the right."""
    return (x >> by | x << 64 - by) & _WORD


def _xor_shift(x: int) -> int:
    """Xor a word with itself shifted right by 47 bits."""
    return x ^ x >> 47


# ---- murmur --------------------------------------------------------------------------------------


def murmur(s: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """Compute MurmurHash64A, the hash of `to_hash_bucket`."""
    m = 0xC6A4A7935BD1E995
    h = (seed ^ len(s) * m) & _WORD
    whole = len(s) // 8 * 8
    for at in range(0, whole, 8):
        k = _fetch(s, at) * m & _WORD
        k = (k ^ k >> 47) * m & _WORD
        h = (h ^ k) * m & _WORD
    if whole < len(s):
        h = (h ^ _fetch(s, whole)) * m & _WORD
    h = _xor_shift(h) * m & _WORD
    return _xor_shift(h)


# ---- farm ----------------------------------------------------------------------------------------


def farm(s: bytes) -> int:
    """Compute FarmHash's `Fingerprint64`, the hash of `to_hash_bucket_fast`."""
    n = len(s)
    if n > 64:
        return _farm_long(s)
    if n > 32:
        return _farm_to_64(s)
    if n > 16:
        return _farm_to_32(s)
    return _farm_to_16(s)


def _hash_pair(u: int, v: int, mul: int) -> int:
    """Hash two words into one."""
    a = _xor_shift((u ^ v) * mul & _WORD)
    b = _xor_shift((v ^ a) * mul & _WORD)
    return b * mul & _WORD


def _farm_to_16(s: bytes) -> int:
    n = len(s)
    mul = _K2 + 2 * n
    if n >= 8:
        a, b = _fetch(s, 0) + _K2 & _WORD, _fetch(s, n - 8)
        c = _rotate_right(b, 37) * mul + a & _WORD
        return _hash_pair(c, (_rotate_right(a, 25) + b) * mul & _WORD, mul)
    if n >= 4:
        return _hash_pair(n + (_fetch(s, 0, 4) << 3), _fetch(s, n - 4, 4), mul)
    if not n:
        return _K2
    y, z = s[0] + (s[n // 2] << 8), n + (s[-1] << 2)
    return _xor_shift((y * _K2 ^ z * _K0) & _WORD) * _K2 & _WORD


def _hash_ends(s: bytes, a: int, mul: int) -> tuple[int, int]:
    """Hash the first and the last 16 bytes into two words."""
    n = len(s)
    b, c, d = _fetch(s, 8), _fetch(s, n - 8) * mul & _WORD, _fetch(s, n - 16) * _K2
    y = _rotate_right(a + b & _WORD, 43) + _rotate_right(c, 30) + d & _WORD
    return y, a + _rotate_right(b + _K2 & _WORD, 18) + c & _WORD


def _farm_to_32(s: bytes) -> int:
    mul = _K2 + 2 * len(s)
    return _hash_pair(*_hash_ends(s, _fetch(s, 0) * _K1 & _WORD, mul), mul)


def _farm_to_64(s: bytes) -> int:
    n = len(s)
    mul = _K2 + 2 * n
    a = _fetch(s, 0) * _K2 & _WORD
    y, other = _hash_ends(s, a, mul)
    z = _hash_pair(y, other, mul)
    e, f = _fetch(s, 16) * mul & _WORD, _fetch(s, 24)
    g = (y + _fetch(s, n - 32)) * mul & _WORD
    h = (z + _fetch(s, n - 24)) * mul & _WORD
    u = _rotate_right(e + f & _WORD, 43) + _rotate_right(g, 30) + h & _WORD
    return _hash_pair(u, e + _rotate_right(f + a & _WORD, 18) + g & _WORD, mul)


def _hash_32_bytes(s: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Hash 32 bytes into two words."""
    w, x, y, z = (_fetch(s, at + 8 * i) for i in range(4))
    a = a + w & _WORD
    b = _rotate_right(b + a + z & _WORD, 21)
    c, a = a, a + x + y & _WORD
    return a + z & _WORD, b + _rotate_right(a, 44) + c & _WORD


def _farm_round(s: bytes, at: int, state, mul: int, last: bool):
    """Mix 64 bytes into the hash state of seven words."""
    x, y, z, v, w = state
    x = _rotate_right(x + y + v[0] + _fetch(s, at + 8) & _WORD, 37) * mul & _WORD
    y = _rotate_right(y + v[1] + _fetch(s, at + 48) & _WORD, 42) * mul & _WORD
    x ^= w[1] * (9 if last else 1) & _WORD
    y = y + v[0] * (9 if last else 1) + _fetch(s, at + 40) & _WORD
    z = _rotate_right(z + w[0] & _WORD, 33) * mul & _WORD
    v = _hash_32_bytes(s, at, v[1] * mul & _WORD, x + w[0] & _WORD)
    w = _hash_32_bytes(s, at + 32, z + w[1] & _WORD, y + _fetch(s, at + 16) & _WORD)
    return z, y, x, v, w


def _farm_long(s: bytes) -> int:
    n, seed = len(s), 81
    y = seed * _K1 + 113 & _WORD
    z = _xor_shift(y * _K2 + 113 & _WORD) * _K2 & _WORD
    state = seed * _K2 + _fetch(s, 0) & _WORD, y, z, (0, 0), (0, 0)
    for at in range(0, (n - 1) // 64 * 64, 64):
        state = _farm_round(s, at, state, _K1, last=False)
    x, y, z, v, w = state
    mul = _K1 + ((z & 0xFF) << 1) & _WORD
    first = w[0] + ((n - 1) & 63)
    v = (v[0] + first & _WORD, v[1])
    w = (first + v[0] & _WORD, w[1])
    x, y, z, v, w = _farm_round(s, n - 64, (x, y, z, v, w), mul, last=True)
    u = _hash_pair(v[0], w[0], mul) + _xor_shift(y) * _K0 + z & _WORD
    return _hash_pair(u, _hash_pair(v[1], w[1], mul) + x & _WORD, mul)


# ---- sip -----------------------------------------------------------------------------------------


def sip(s: bytes, key: tuple[int, int]) -> int:
    """Compute the keyed hash SipHash-2-4, the hash of `to_hash_bucket_strong`."""
    k0, k1 = (k & _WORD for k in key)
    state = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]
    whole = len(s) // 8 * 8
    words = [_fetch(s, at) for at in range(0, whole, 8)]
    words.append(_fetch(s, whole) | (len(s) & 0xFF) << 56)
    for word in words:
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state: list[int], number: int) -> None:
    a, b, c, d = state
    for _ in range(number):
        a = a + b & _WORD
        b = _rotate_right(b, 51) ^ a
        a = _rotate_right(a, 32)
        c = c + d & _WORD
        d = _rotate_right(d, 48) ^ c
        a = a + d & _WORD
        d = _rotate_right(d, 43) ^ a
        c = c + b & _WORD
        b = _rotate_right(b, 47) ^ c
        c = _rotate_right(c, 32)
    state[:] = a, b, c, d
