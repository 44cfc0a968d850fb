"""Define gradient descent with momentum."""

from __future__ import annotations

from shims._src.v1.train.kernel_optimizer import KernelOptimizer


class MomentumOptimizer(KernelOptimizer):
    """Gradient descent with momentum: `a = momentum * a + gradient`.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns a
        scalar.
      momentum: the momentum; same types as `learning_rate`.
      use_locking: accepted and ignored; a session runs one program at a time.
      name: the name of the operations, and of the slots, such as `w/Momentum:0`.
      use_nesterov: whether to update by `gradient + momentum * a` instead of `a`.

    Differs from TensorFlow:
      Nothing in a graph.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [], initializer=tf.constant_initializer(1.0))
      ...     step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(w * w)
      ...     session.run(tf.global_variables_initializer())
      ...     session.run(step)
      ...     print(session.run(w))
      0.8

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/MomentumOptimizer
    """

    _kernel = "Momentum"
    _slot_names = ("momentum",)

    def __init__(
        self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False
    ):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "momentum", self._name)

    def _hyperparameters(self):
        return [("learning_rate", self._learning_rate), ("momentum", self._momentum)]

    def _formula(self, var, kept, grad, rate, momentum):
        kept = kept * momentum + grad
        step = grad * rate + kept * momentum * rate if self._use_nesterov else kept * rate
        return [var - step, kept]
