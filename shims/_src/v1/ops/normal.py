"""Provide `tf.distributions.Normal`, the normal distribution, and divergences of two of them."""

from __future__ import annotations

import math

import shims
from shims._src.errors import errors
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.output_specs import constant_value_as_shape
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.ops.static_checks import broadcast_static_shape

_random_normal = deferred(shims.random.normal, "random_normal")
_HALF_LOG = 0.5 * math.log(2.0 * math.pi)


class Normal:
    """Normal distributions of means `loc` and standard deviations `scale`, which broadcast.

    Args:
      loc: the means.
      scale: the standard deviations, which are positive.
      validate_args: must be false.
      allow_nan_stats: accepted and ignored.
      name: the name scope of operations.

    Raises:
      UnimplementedError: `validate_args` is true.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/distributions/Normal
    """

    __module__ = "shims.compat.v1.distributions"

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        if validate_args:
            raise errors.UnimplementedError(
                errors.message(
                    "distributions.Normal",
                    "arguments are not checked during a run.",
                    received="validate_args=True",
                    do="remove `validate_args`, and write `tf.assert_positive(scale)`",
                )
            )
        self._name = name
        with name_scope(name, values=[loc, scale]):
            self._loc = convert_to_tensor(loc, name="loc", preferred_dtype=shims.float32)
            self._scale = convert_to_tensor(scale, name="scale", preferred_dtype=self._loc.dtype)
        if self._loc.dtype != self._scale.dtype:
            raise TypeError(
                f"Tensor conversion requested dtype {self._loc.dtype.name} for Tensor with dtype "
                f"{self._scale.dtype.name}: {self._scale!r}"
            )

    @property
    def loc(self):
        """The means."""
        return self._loc

    @property
    def scale(self):
        """The standard deviations."""
        return self._scale

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._loc.dtype

    @property
    def name(self) -> str:
        """The name scope of operations."""
        return self._name

    @property
    def batch_shape(self):
        """The static shape of the distributions."""
        return broadcast_static_shape(self._loc.shape, self._scale.shape)

    @property
    def event_shape(self):
        """The static shape of a sample of one distribution: `[]`."""
        return convert_to_tensor(0.0).shape

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """Return the shape of the distributions as a tensor."""
        return self._of(_batch_shape, "shape", name)

    def _of(self, f, public: str, name: str | None, *args):
        with name_scope(f"{self._name}/{name}" if name else self._name):
            return operation_of(f, (*args, self._loc, self._scale), {}, public=public)

    def sample(self, sample_shape=(), seed=None, name="sample"):
        """Draw samples: `[*sample_shape, *batch_shape]`."""
        with name_scope(f"{self._name}/{name}"):
            flat = operation_of(_as_vector, (sample_shape,), {}, public="reshape")
            given = (flat, self._loc, self._scale)
            shape = operation_of(_flat_sample_shape, given, {}, public="concat")
            drawn = _random_normal(shape, dtype=self.dtype, seed=seed)
            full = operation_of(_sample_shape, given, {}, public="concat")
            scaled = drawn * self._scale + self._loc
            found = operation_of(shims.reshape, (scaled, full), {}, public="reshape")
            batch = broadcast_static_shape(self._loc.shape, self._scale.shape)
            found.set_shape(constant_value_as_shape(flat).concatenate(batch))
            return found

    def log_prob(self, value, name="log_prob"):
        """Return the logarithm of the density at a value."""
        return self._of(_log_prob, "sub", name, convert_to_tensor(value, self.dtype))

    def prob(self, value, name="prob"):
        """Return the density at a value."""
        log_prob = self.log_prob(value, name)
        return operation_of(shims.exp, (log_prob,), {}, public="exp")

    def cdf(self, value, name="cdf"):
        """Return the probability of a smaller value."""
        return self._of(_cdf, "multiply", name, convert_to_tensor(value, self.dtype))

    def entropy(self, name="entropy"):
        """Return the entropy in nats."""
        return self._of(_entropy, "add", name)

    def mean(self, name="mean"):
        """Return the mean."""
        return self._of(_mean, "multiply", name)

    mode = mean

    def stddev(self, name="stddev"):
        """Return the standard deviation."""
        return self._of(_stddev, "multiply", name)

    def variance(self, name="variance"):
        """Return the variance."""
        return self._of(lambda *args: shims.square(_stddev(*args)), "square", name)

    def kl_divergence(self, other, name="kl_divergence"):
        """Return the Kullback-Leibler divergence from this distribution to another."""
        given = (self._loc, self._scale, other.loc, other.scale)
        with name_scope(f"{self._name}/{name}"):
            return operation_of(_divergence, given, {}, public="add")


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """Return the Kullback-Leibler divergence of two normal distributions.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/distributions/kl_divergence
    """
    return distribution_a.kl_divergence(distribution_b)


def _batch_shape(loc, scale):
    return shims.broadcast_dynamic_shape(shims.shape(loc), shims.shape(scale))


def _as_vector(sample_shape):
    return shims.cast(shims.reshape(sample_shape, [-1]), shims.int32)


def _flat_sample_shape(sample_shape, loc, scale):
    return shims.concat([[shims.reduce_prod(sample_shape)], _batch_shape(loc, scale)], 0)


def _sample_shape(sample_shape, loc, scale):
    return shims.concat([sample_shape, _batch_shape(loc, scale)], 0)


def _log_prob(value, loc, scale):
    z = (value - loc) / scale
    return -0.5 * shims.square(z) - (_HALF_LOG + shims.math.log(scale))


def _cdf(value, loc, scale):
    z = (value - loc) / scale * math.sqrt(0.5)
    tail = shims.math.erfc(shims.abs(z))
    upper = shims.where(z > 0.0, 2.0 - tail, tail)
    return 0.5 * shims.where(shims.abs(z) < math.sqrt(0.5), 1.0 + shims.math.erf(z), upper)


def _entropy(loc, scale):
    return _HALF_LOG + 0.5 + shims.math.log(scale * shims.ones_like(loc))


def _mean(loc, scale):
    return loc * shims.ones_like(scale)


def _stddev(loc, scale):
    return scale * shims.ones_like(loc)


def _divergence(loc_a, scale_a, loc_b, scale_b):
    ratio = shims.square(scale_a) / shims.square(scale_b)
    distance = shims.square(loc_a - loc_b) / (2.0 * shims.square(scale_b))
    return distance + 0.5 * (ratio - 1.0 - shims.math.log(ratio))
