"""Set precision, placement, determinism and threads, as far as JAX has such settings."""

from __future__ import annotations

import os

import jax

_settings: dict[str, object] = {
    "soft_device_placement": True,
    "inter_op_parallelism_threads": 0,
    "intra_op_parallelism_threads": 0,
    "jit": "",
    "experimental_options": {},
    "op_determinism": False,
    "synchronous_execution": True,
    "device_policy": "silent",
    "log_device_placement": False,
}


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allow or forbid TensorFloat-32 in products of float32 matrices on GPUs.

    Args:
      enabled: if false, JAX's default precision of products becomes `"highest"`.

    Differs from TensorFlow:
      It sets `jax_default_matmul_precision`, which also affects other code that uses JAX.

    Under jit:
      Programs that are compiled already are compiled again.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental/enable_tensor_float_32_execution
    """
    jax.config.update("jax_default_matmul_precision", None if enabled else "highest")


def tensor_float_32_execution_enabled() -> bool:
    """Return whether TensorFloat-32 is allowed.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental/tensor_float_32_execution_enabled
    """
    return jax.config.jax_default_matmul_precision in (None, "default", "tensorfloat32")


def enable_op_determinism() -> None:
    """Request that every run returns the same bits.

    On CPUs, every run returns the same bits. On GPUs, XLA needs `--xla_gpu_deterministic_ops=true`
    in `XLA_FLAGS`, which is read when JAX starts.

    Raises:
      RuntimeError: JAX runs on a GPU without that flag.

    Differs from TensorFlow:
      The function checks the flag, but does not set the flag.

    Under jit:
      Call this function before tracing.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental/enable_op_determinism
    """
    if jax.default_backend() == "gpu" and "deterministic_ops=true" not in os.environ.get(
        "XLA_FLAGS", ""
    ):
        raise RuntimeError(
            "config.experimental.enable_op_determinism: set "
            "XLA_FLAGS=--xla_gpu_deterministic_ops=true in the environment before the program starts."
        )
    _settings["op_determinism"] = True


def _accepted(name: str, page: str):
    """Return the getter and the setter of a setting that JAX does not have; the value is only stored.

    Args:
      name: what is set.
      page: the path of TensorFlow's page, below `tf`.
    """

    def get():
        return _settings[name]

    def set_(value) -> None:
        _settings[name] = value

    words = name.replace("_", " ")
    get.__name__, set_.__name__ = f"get_{name}", f"set_{name}"
    tail = f"\n\n    https://www.tensorflow.org/api_docs/python/tf/{page}"
    get.__doc__ = f"Return the stored setting of {words}, which has no effect in JAX.{tail}"
    set_.__doc__ = f"Store a setting of {words}; it has no effect in JAX.{tail}"
    return get, set_


get_soft_device_placement, set_soft_device_placement = _accepted(
    "soft_device_placement", "config/set_soft_device_placement"
)
get_inter_op_parallelism_threads, set_inter_op_parallelism_threads = _accepted(
    "inter_op_parallelism_threads", "config/threading/set_inter_op_parallelism_threads"
)
get_intra_op_parallelism_threads, set_intra_op_parallelism_threads = _accepted(
    "intra_op_parallelism_threads", "config/threading/set_intra_op_parallelism_threads"
)
get_jit, set_jit = _accepted("jit", "config/optimizer/set_jit")
get_experimental_options, set_experimental_options = _accepted(
    "experimental_options", "config/optimizer/set_experimental_options"
)
get_synchronous_execution, set_synchronous_execution = _accepted(
    "synchronous_execution", "config/experimental/set_synchronous_execution"
)
get_device_policy, set_device_policy = _accepted(
    "device_policy", "config/experimental/set_device_policy"
)
get_log_device_placement, set_log_device_placement = _accepted(
    "log_device_placement", "debugging/set_log_device_placement"
)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Do nothing: what is converted is not logged.

    Args:
      level: ignored.
      alsologtostdout: ignored.

    Differs from TensorFlow:
      Nothing is logged.

    Under jit:
      No effect.

    https://www.tensorflow.org/api_docs/python/tf/autograph/set_verbosity
    """
    del level, alsologtostdout
