"""Check the release of JAX."""

from __future__ import annotations

import jax


def check_version(version: str = jax.__version__) -> None:
    """Reject the one JAX release that computes wrong numbers on CPU.

    Raises:
      ImportError: on JAX 0.10.2 (https://github.com/jax-ml/jax/issues/39103) and before 0.9.
    """
    release = tuple(int(p) for p in version.split(".")[:3] if p.isdigit())
    if release == (0, 10, 2):
        raise ImportError(
            "JAX 0.10.2 miscompiles programs on CPU (https://github.com/jax-ml/jax/issues/39103); "
            "shims refuses to compute wrong numbers on it. Install another release, for instance "
            "`pip install 'jax>=0.9,!=0.10.2'`."
        )
    if release < (0, 9):
        raise ImportError(f"shims needs JAX 0.9 or newer, found {version}.")
