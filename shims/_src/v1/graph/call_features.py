"""What of a call decides the names that TensorFlow gives: `{"axis", "x.ranked"}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, str)


def call_features(arguments: Mapping[str, Any], sizes_of) -> frozenset[str]:
    """What is known of the arguments of a call.

    Args:
      arguments: by parameter; those that have their default are left out.
      sizes_of: the static shape of a tensor or an array, `None` where its rank is unknown;
        `LookupError` for anything else.

    Returns:
      For a parameter `x`: `x`; of an array `x.ranked` (the rank is known and not 0),
      `x.known` (all sizes are known), `x.rank=2`; of a list `x.list` and `x.several`; of anything
      short its value, `x=True`.
    """
    found: set[str] = set()
    for name, value in arguments.items():
        if value is None:
            continue
        found.add(name)
        try:
            sizes = sizes_of(value)
        except LookupError:
            found.update(_of_plain(name, value))
            continue
        if sizes is not None:
            found.add(f"{name}.rank={len(sizes)}")
            if sizes:
                found.add(f"{name}.ranked")
            if None not in sizes:
                found.add(f"{name}.known")
    return frozenset(found)


def without_defaults(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that say something: 0 is not the default 0.0."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in defaults
        or type(value) is not type(defaults[name])
        or not (value is defaults[name] or (isinstance(value, _PLAIN) and value == defaults[name]))
    }


def _of_plain(name: str, value: Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return [f"{name}.list", *([f"{name}.several"] if len(value) > 1 else [])]
    if isinstance(value, (bool, int, str)):
        return [f"{name}={value}"]
    dtype = value if isinstance(value, np.dtype) else getattr(value, "as_numpy_dtype", None)
    return [f"{name}={np.dtype(dtype).name}"] if dtype is not None else []
