"""Define `tf.estimator.ModeKeys`."""

from __future__ import annotations


class ModeKeys:
    """The modes of a model function.

    https://www.tensorflow.org/api_docs/python/tf/estimator/ModeKeys
    """

    __module__ = "shims.compat.v1.estimator"
    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
    INFER = "infer"
