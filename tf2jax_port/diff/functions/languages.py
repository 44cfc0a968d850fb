"""Find out from the imports of a file whether it is written for TensorFlow or for JAX."""

from __future__ import annotations

import re

_TENSORFLOW = re.compile(r"^\s*(import|from)\s+tensorflow\b", re.MULTILINE)
_JAX = re.compile(r"^\s*(import|from)\s+(jax|shims|keras)\b", re.MULTILINE)


def imports_tensorflow(text: str) -> bool:
    """Return whether a file imports TensorFlow."""
    return bool(_TENSORFLOW.search(text))


def imports_jax(text: str) -> bool:
    """Return whether a file imports JAX, `shims` or Keras 3."""
    return bool(_JAX.search(text))
