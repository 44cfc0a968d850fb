"""Complete the configurations of Keras objects, which lack some parameters of their constructors."""

from __future__ import annotations

import inspect
from typing import Any

# They name or place an object, or are in the configuration under another name.
_LEFT_OUT = ("name", "dtype", "seed", "trainable")
_UNKNOWN = object()


def configuration(value: Any, base: Any = None) -> dict[str, Any]:
    """Return the configuration of an object of Keras, with every parameter that determines what it computes.

    Keras leaves some out, such as `delta` of a `Huber` loss; their values are attributes of the object.

    Args:
      value: the object.
      base: the class whose configuration is wanted; by default that of the object.
    """
    given = value.get_config() if base is None else base.get_config(value)
    return _completed(value, given, base or type(value))


def _completed(value: Any, config: dict[str, Any], cls: type) -> dict[str, Any]:
    found = dict(config)
    for key, part in config.items():
        inner = getattr(value, key, None)
        written = isinstance(part, dict) and isinstance(part.get("config"), dict)
        if written and _is_of_keras(inner):
            found[key] = {**part, "config": _completed(inner, part["config"], type(inner))}
    for name, default in _parameters(cls).items():
        if name not in found and name not in _LEFT_OUT:
            given = _attribute(value, name)
            if _is_setting(given) and given is not default and given != default:
                found[name] = given
    return found


def _parameters(cls: type) -> dict[str, Any]:
    """Return the parameters of a constructor with their defaults."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        signature = inspect.signature(cls)
    except ValueError:  # it is written in C
        return {}
    return {p.name: p.default for p in signature.parameters.values() if p.kind in kinds}


def _attribute(value: Any, name: str) -> Any:
    """Return the value that an object has stored for a parameter."""
    kept = getattr(value, "_fn_kwargs", None) or {}
    if name in kept:
        return kept[name]
    return getattr(value, name, getattr(value, f"_{name}", _UNKNOWN))


def _is_setting(value: Any) -> bool:
    """Return whether a constructor takes a value unchanged: a number, a text, or an object of Keras."""
    return isinstance(value, bool | int | float | str) or _is_of_keras(value)


def _is_of_keras(value: Any) -> bool:
    return hasattr(value, "get_config") and not inspect.isclass(value)
