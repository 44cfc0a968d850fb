"""Check and convert the seeds and algorithm names that callers pass."""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.random.words import words_of


class Algorithm(enum.Enum):
    """An algorithm that generates random numbers.

    `PHILOX` is TensorFlow's algorithm on CPU and GPU, where `AUTO_SELECT` selects it; `THREEFRY` exists
    in TensorFlow's XLA only.

    https://www.tensorflow.org/api_docs/python/tf/random/Algorithm
    """

    __module__ = "shims.random"

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_BY_NAME = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "autoselect": Algorithm.AUTO_SELECT,
}


def algorithm_number(alg) -> int:
    """Convert an algorithm, given as an `Algorithm`, a number or a name, to its number.

    Raises:
      ValueError: there is no such algorithm.
      TypeError: `alg` has a different type.
    """
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        found = _BY_NAME.get(alg.strip().lower().replace("-", "").replace("_", ""))
        if found is None:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
                "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
                "auto-selection."
            )
        return found.value
    if not isinstance(alg, (int, np.integer)):
        raise TypeError(
            f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int."
        )
    if int(alg) not in (a.value for a in Algorithm):
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are 1 for the Philox "
            "algorithm, 2 for the ThreeFry algorithm, and 3 for auto-selection."
        )
    return int(alg)


def check_philox(function: str, alg) -> None:
    """Check that TensorFlow's CPU kernels support an algorithm.

    Raises:
      UnimplementedError: the algorithm is Threefry.
    """
    if alg is not None and algorithm_number(alg) == Algorithm.THREEFRY.value:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "TensorFlow supports the Threefry algorithm only on TPU and under XLA.",
                required="alg 'philox' or 'auto_select'",
                received="alg 'threefry'",
                do="use 'philox', or `jax.random`, whose generator is Threefry",
            )
        )


def is_wide(seed) -> bool:
    """Return whether a seed consists of two 64-bit numbers, each given as a pair of words."""
    return getattr(seed, "dtype", None) == np.uint32 and getattr(seed, "shape", None) == (2, 2)


def seed_words(function: str, seed):
    """Convert a seed of two integers to four uint32 words, low words first.

    Args:
      function: the operator, for error messages.
      seed: two integers. To pass 64-bit seeds without `jax_enable_x64`, give a uint32 array `[2,
        2]` of the low and the high word of each integer.

    Raises:
      InvalidArgumentError: the seed is not two integers.
    """
    if hasattr(seed, "__jax_array__") and not isinstance(seed, jax.Array):
        seed = seed.__jax_array__()
    if not isinstance(seed, jax.Array) and any(
        isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(seed)
    ):
        seed = as_array(seed)
    if is_wide(seed):
        return jnp.reshape(jnp.asarray(seed), (4,))
    numbers = seed if isinstance(seed, jax.Array) else np.asarray(seed)
    if isinstance(numbers, np.ndarray) and numbers.dtype == np.uint64:
        numbers = numbers.astype(np.int64)  # TensorFlow's seeds are int64, and wrap around
    if numbers.dtype.kind != "i" or numbers.shape != (2,):
        raise checks.invalid(
            function,
            "`seed` must be two integers.",
            required="shape (2,), dtype int32 or int64",
            received=f"shape {numbers.shape}, dtype {numbers.dtype.name}",
        )
    return words_of(numbers).reshape(4)
