"""Provide the regularizers of Keras and of `contrib.layers`."""

from __future__ import annotations

import numbers

import shims
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.standard_operators import multiply

_absolute = deferred(shims.abs, "abs")
_add_n = deferred(shims.add_n, "add_n")
_half_of_squares = deferred(shims.nn.l2_loss, "nn.l2_loss")
_total = deferred(shims.reduce_sum, "reduce_sum")


class Regularizer:
    """Base class of functions that compute a loss of a variable.

    https://www.tensorflow.org/api_docs/python/tf/keras/regularizers/Regularizer
    """

    __module__ = "shims.compat.v1.keras.regularizers"

    def __call__(self, x):
        """Compute the regularization loss of `x`."""
        raise NotImplementedError

    def get_config(self) -> dict:
        """Return the arguments that recreate the regularizer."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config):
        """Create a regularizer from the result of `get_config`."""
        return cls(**config)


class L1L2(Regularizer):
    """A regularizer with an L1 and an L2 penalty: `l1 * sum(|x|) + l2 * sum(x ** 2)`.

    https://www.tensorflow.org/api_docs/python/tf/keras/regularizers/L1L2
    """

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = float(l1 or 0.0), float(l2 or 0.0)

    def __call__(self, x):
        """Compute the regularization loss of `x`."""
        loss = None
        if self.l1:
            loss = self.l1 * _total(_absolute(x))
        if self.l2:
            squares = (2.0 * self.l2) * _half_of_squares(x)
            loss = squares if loss is None else loss + squares
        return 0.0 * _total(x) if loss is None else loss

    def get_config(self) -> dict:
        """Return the arguments that recreate the regularizer."""
        return {"l1": self.l1, "l2": self.l2}


class L1(L1L2):
    """A regularizer with an L1 penalty: `l1 * sum(|x|)`.

    https://www.tensorflow.org/api_docs/python/tf/keras/regularizers/L1
    """

    def __init__(self, l1=0.01):
        super().__init__(l1=l1)

    def get_config(self) -> dict:
        """Return the arguments that recreate the regularizer."""
        return {"l1": self.l1}


class L2(L1L2):
    """A regularizer with an L2 penalty: `l2 * sum(x ** 2)`.

    https://www.tensorflow.org/api_docs/python/tf/keras/regularizers/L2
    """

    def __init__(self, l2=0.01):
        super().__init__(l2=l2)

    def get_config(self) -> dict:
        """Return the arguments that recreate the regularizer."""
        return {"l2": self.l2}


def l1_l2(l1=0.01, l2=0.01) -> L1L2:
    """Create a regularizer with an L1 and an L2 penalty: `l1 * sum(|x|) + l2 * sum(x ** 2)`.

    https://www.tensorflow.org/api_docs/python/tf/keras/regularizers/L1L2
    """
    return L1L2(l1, l2)


# ---- tf.contrib.layers ---------------------------------------------------------------------------


def l1_regularizer(scale, scope=None):
    """Create a function that returns the L1 penalty `scale * sum(|x|)` of a variable.

    Args:
      scale: a non-negative number; with 0 the function returns no loss.
      scope: the name scope of the loss.

    Raises:
      ValueError: `scale` is an integer or negative.
    """
    if not _check_scale(scale):
        return lambda weights: None

    def l1(weights):
        with get_default_graph().name_scope(scope or "l1_regularizer") as name:
            return multiply(scale, _total(_absolute(weights)), name=name)

    return l1


def l2_regularizer(scale, scope=None):
    """Create a function that returns the L2 penalty `scale * sum(x ** 2) / 2` of a variable.

    Args:
      scale: a non-negative number; with 0 the function returns no loss.
      scope: the name scope of the loss.

    Raises:
      ValueError: `scale` is an integer or negative.
    """
    if not _check_scale(scale):
        return lambda weights: None

    def l2(weights):
        with get_default_graph().name_scope(scope or "l2_regularizer") as name:
            return multiply(scale, _half_of_squares(weights), name=name)

    return l2


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """Create a function that returns the sum of `l1_regularizer` and `l2_regularizer`.

    Args:
      scale_l1: the scale of `l1_regularizer`.
      scale_l2: the scale of `l2_regularizer`.
      scope: the name scope of the loss.

    Raises:
      ValueError: a scale is an integer or negative.
    """
    parts = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]
    return sum_regularizer(parts, scope or "l1_l2_regularizer")


def sum_regularizer(regularizer_list, scope=None):
    """Create a function that returns the sum of the losses of several regularizers.

    Args:
      regularizer_list: the regularizers; `None` elements are ignored.
      scope: the name scope of the loss.
    """
    given = [r for r in regularizer_list if r is not None]
    if not given:
        return None

    def total(weights):
        with get_default_graph().name_scope(scope or "sum_regularizer") as name:
            losses = [loss for loss in (r(weights) for r in given) if loss is not None]
            return _add_n(losses, name=name) if losses else None

    return total


def _check_scale(scale) -> bool:
    """Check the scale of a regularizer; return `False` if it is 0, so there is no loss."""
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}")
    return scale != 0.0
