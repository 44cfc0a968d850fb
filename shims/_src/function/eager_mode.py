"""Switch all compiled functions to eager execution, for debugging."""

from __future__ import annotations

_eagerly = False


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Run every `shims.function` as ordinary Python, operation by operation, or compile it as usual.

    Args:
      run_eagerly: whether functions run eagerly from now on.

    Differs from TensorFlow:
      Inside of another trace, such as `jax.jit`, functions are traced as before.

    Under jit:
      No effect.

    https://www.tensorflow.org/api_docs/python/tf/config/run_functions_eagerly
    """
    global _eagerly
    _eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """Return whether `run_functions_eagerly(True)` is in force.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/functions_run_eagerly
    """
    return _eagerly
