"""Operators whose arguments or results a row of the table does not describe."""

from __future__ import annotations

import numpy as np

from .case import Case

_X = np.float32([1.5, -2.0, 3.0])
_MATRIX = np.float32([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 5]])
_GENERAL = np.float32([[1, 2, -1], [3, -1, 0.5], [0.7, 2, 4]])
_SMALLER = ((np.float32([[2, 1], [1, 3]]),),)
_SCORES = np.random.default_rng(7).normal(size=(4, 2, 3)).astype(np.float32)


def _times(tf, u, s, v):
    """`u @ diag(s) @ adjoint(v)`: what does not depend on signs and phases."""
    return tf.matmul(u * s[..., None, :], v, adjoint_b=True)


def _svd(tf, x):
    s, u, v = tf.linalg.svd(x)
    return s, _times(tf, u, s, v), _times(tf, u, s**2, v), tf.linalg.svd(x, compute_uv=False)


def _eigh(tf, x):
    x = (x + tf.transpose(x)) * 0.5
    e, v = tf.linalg.eigh(x)
    return e, _times(tf, v, e, v), _times(tf, v, tf.exp(e / 4), v)


def _eig(tf, x):
    e, v = tf.linalg.eig(x)
    product = tf.matmul(v * e[..., None, :], tf.linalg.inv(v))
    return tf.sort(tf.math.real(e)), tf.math.real(product)


def _labels(tf):
    return tf.SparseTensor(
        np.int64([[0, 0], [0, 1], [1, 0]]), np.int32([0, 1, 1]), np.int64([2, 2])
    )


def _loss_of_version_1(tf, scores, lengths):
    v1 = tf.compat.v1 if hasattr(tf, "compat") else tf.v1
    return v1.nn.ctc_loss(_labels(tf), scores, lengths)


def _static_shape(tf, x):
    shape = tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    return tf.ones(shape) * tf.reduce_sum(x)


_NO_RULE = "JAX's `eig` has no rule for unknown sizes: refused"

CASES = (
    Case(
        "svd",
        ("linalg.svd",),
        _svd,
        (_GENERAL,),
        _SMALLER,
        tolerance=2e-5,
        long=True,
        away={"poison": "its sizes are compared, and have to be known: refused"},
    ),
    Case("eigh", ("linalg.eigh",), _eigh, (_MATRIX,), _SMALLER, tolerance=2e-5, long=True),
    Case(
        "eigvals",
        ("linalg.eigvals",),
        lambda tf, x: tf.sort(tf.math.real(tf.linalg.eigvals(x))),
        (_GENERAL,),
        _SMALLER,
        tolerance=2e-5,
        xla="unsupported: no kernel",
        away={"poison": _NO_RULE},
        long=True,
    ),
    Case(
        "eig",
        ("linalg.eig",),
        _eig,
        (_GENERAL,),
        _SMALLER,
        tolerance=5e-5,
        xla="unsupported: no kernel",
        away={"poison": _NO_RULE},
        long=True,
    ),
    Case(
        "ctc-loss-of-version-1",
        ("v1.nn.ctc_loss",),
        _loss_of_version_1,
        (_SCORES, np.int32([4, 2])),
        shapes=((None, 2, 3), (2,)),
        tolerance=1e-5,
        xla="unsupported: no kernel",
        long=True,
    ),
    Case("broadcast-static-shape", ("broadcast_static_shape",), _static_shape, (_X,)),
)
