"""Define the RMSProp optimizer."""

from __future__ import annotations

from jax import lax

from shims._src.v1.graph.standard_operators import ones_like
from shims._src.v1.train.kernel_optimizer import KernelOptimizer
from shims._src.v1.train.slots import ones


class RMSPropOptimizer(KernelOptimizer):
    """RMSProp: updates of `-learning_rate * gradient / sqrt(average of squared gradients)`.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns a
        scalar.
      decay: the decay rate of the averages; same types as `learning_rate`.
      momentum: the momentum; same types as `learning_rate`.
      epsilon: a constant added to the average before the square root; same types as
        `learning_rate`.
      use_locking: accepted and ignored; a session runs one program at a time.
      centered: whether to normalize by the variance, that is, to subtract the square of the average gradient.
      name: the name of the operations, and of the slots, such as `w/RMSProp:0`, `w/RMSProp_1:0`, ...

    Differs from TensorFlow:
      Nothing in a graph. The average starts at 1.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/RMSPropOptimizer
    """

    def __init__(
        self,
        learning_rate,
        decay=0.9,
        momentum=0.0,
        epsilon=1e-10,
        use_locking=False,
        centered=False,
        name="RMSProp",
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._kernel = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_names = ("rms", "momentum", "mg") if centered else ("rms", "momentum")

    def _create_slots(self, var_list):
        for v in var_list:
            if v.shape.is_fully_defined():
                self._get_or_make_slot_with_initializer(
                    v, ones, v.shape, v.dtype, "rms", self._name
                )
            else:
                self._get_or_make_slot(v, ones_like(v), "rms", self._name)
            if self._centered:
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)

    def _hyperparameters(self):
        return [
            ("learning_rate", self._learning_rate),
            ("decay", self._decay),
            ("momentum", self._momentum),
            ("epsilon", self._epsilon),
        ]

    def _formula(self, var, squares, kept, *rest):
        *means, grad, rate, decay, momentum, epsilon = rest
        squares = squares + (grad * grad - squares) * (1 - decay)
        means = [mean + (grad - mean) * (1 - decay) for mean in means]
        spread = squares - means[0] * means[0] if means else squares
        kept = kept * momentum + grad * rate * lax.rsqrt(spread + epsilon)
        return [var - kept, squares, kept, *means]
