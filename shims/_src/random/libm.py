"""Compute float32 sine, cosine and logarithm with the exact rounding of the GNU C library.

TensorFlow's CPU kernels call the C library, which computes in float64 with few terms and rounds
once. The result is the correctly rounded number, or in about one of a hundred cases its neighbor;
with the same terms, this module returns the same neighbor.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

_SINE = tuple(
    map(float.fromhex, ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13"))
)
_COSINE = tuple(
    map(
        float.fromhex,
        (
            *("-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5"),
            *("-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16"),
        ),
    )
)
_LOGARITHM = tuple(
    map(float.fromhex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2"))
)
# Where the sixteen parts of an octave begin, as the bits of a float32.
_OCTAVE = 0x3F330000
# Per part the reciprocal of a number in it, and the logarithm of that number.
_PARTS = np.asarray(
    [
        (float.fromhex(a), float.fromhex(b))
        for a, b in (
            ("0x1.661ec79f8f3bep+0", "-0x1.57bf7808caadep-2"),
            ("0x1.571ed4aaf883dp+0", "-0x1.2bef0a7c06ddbp-2"),
            ("0x1.49539f0f010bp+0", "-0x1.01eae7f513a67p-2"),
            ("0x1.3c995b0b80385p+0", "-0x1.b31d8a68224e9p-3"),
            ("0x1.30d190c8864a5p+0", "-0x1.6574f0ac07758p-3"),
            ("0x1.25e227b0b8eap+0", "-0x1.1aa2bc79c81p-3"),
            ("0x1.1bb4a4a1a343fp+0", "-0x1.a4e76ce8c0e5ep-4"),
            ("0x1.12358f08ae5bap+0", "-0x1.1973c5a611cccp-4"),
            ("0x1.0953f419900a7p+0", "-0x1.252f438e10c1ep-5"),
            ("0x1p+0", "0x0p+0"),
            ("0x1.e608cfd9a47acp-1", "0x1.aa5aa5df25984p-5"),
            ("0x1.ca4b31f026aap-1", "0x1.c5e53aa362eb4p-4"),
            ("0x1.b2036576afce6p-1", "0x1.526e57720db08p-3"),
            ("0x1.9c2d163a1aa2dp-1", "0x1.bc2860d22477p-3"),
            ("0x1.886e6037841edp-1", "0x1.1058bc8a07ee1p-2"),
            ("0x1.767dcf5534862p-1", "0x1.4043057b6ee09p-2"),
        )
    ]
)


def sine_and_cosine(angle):
    """Compute float32 sine and cosine of float32 angles in [0, 2 * pi]."""
    x = angle.astype(jnp.float64)
    quarter = jnp.round(x * (2 / np.pi))
    x = x - quarter * (np.pi / 2)
    square = x * x
    cube = x * square
    sine = (x + cube * _SINE[0]) + (cube * square) * (_SINE[1] + square * _SINE[2])
    fourth = square * square
    cosine = (
        (1 + square * _COSINE[0])
        + fourth * _COSINE[1]
        + (fourth * square) * (_COSINE[2] + square * _COSINE[3])
    )
    quarter = quarter.astype(jnp.int32) & 3
    odd, beyond = (quarter & 1) == 1, quarter >= 2
    sines = jnp.where(odd, cosine, sine)
    cosines = jnp.where(odd, -sine, cosine)
    return tuple(jnp.where(beyond, -v, v).astype(jnp.float32) for v in (sines, cosines))


def logarithm(number):
    """Compute the float32 natural logarithm of positive normal float32 numbers."""
    bits = lax.bitcast_convert_type(number, jnp.uint32)
    above = bits - jnp.uint32(_OCTAVE)
    part = ((above >> jnp.uint32(19)) & jnp.uint32(15)).astype(jnp.int32)
    octave = lax.bitcast_convert_type(above, jnp.int32) >> 23
    fraction = lax.bitcast_convert_type(bits - (above & jnp.uint32(0xFF800000)), jnp.float32)
    reciprocal, logarithm_of_part = jnp.asarray(_PARTS).T
    r = fraction.astype(jnp.float64) * reciprocal[part] - 1
    whole = logarithm_of_part[part] + octave.astype(jnp.float64) * np.log(2)
    square = r * r
    tail = _LOGARITHM[0] * square + (_LOGARITHM[1] * r + _LOGARITHM[2])
    return (tail * square + (whole + r)).astype(jnp.float32)
