"""Compute features of a call, such as `"x.ranked"`, that determine its operation names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, str)


def call_features(arguments: Mapping[str, Any], sizes_of) -> frozenset[str]:
    """Compute the features of a call's arguments, strings that select the operation names.

    Args:
      arguments: a dict from parameter names to arguments, without those that equal their default.
      sizes_of: a function that returns the static shape of a tensor or an array, `None` if its rank
        is unknown; it raises `LookupError` for any other value.

    Returns:
      The set of features. Each parameter `x` gives `x`, and in addition:
      an array `x.rank=2`, `x.ranked` if the rank is known and not 0, and `x.known` if all sizes are
      known;
      a list `x.list`, and `x.several` if it has more than one element;
      a bool, an integer or a string its value, as in `x=True`;
      a dtype its name.
    """
    found: set[str] = set()
    for name, value in arguments.items():
        if value is None:
            continue
        found.add(name)
        try:
            sizes = sizes_of(value)
        except LookupError:
            found.update(_features_of_plain_value(name, value))
            continue
        if sizes is not None:
            found.add(f"{name}.rank={len(sizes)}")
            if sizes:
                found.add(f"{name}.ranked")
            if None not in sizes:
                found.add(f"{name}.known")
    return frozenset(found)


def without_defaults(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the arguments that equal their defaults in type and value (0 is not 0.0)."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in defaults
        or type(value) is not type(defaults[name])
        or not (value is defaults[name] or (isinstance(value, _PLAIN) and value == defaults[name]))
    }


def _features_of_plain_value(name: str, value: Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return [f"{name}.list", *([f"{name}.several"] if len(value) > 1 else [])]
    if isinstance(value, (bool, int, str)):
        return [f"{name}={value}"]
    dtype = value if isinstance(value, np.dtype) else getattr(value, "as_numpy_dtype", None)
    return [f"{name}={np.dtype(dtype).name}"] if dtype is not None else []
