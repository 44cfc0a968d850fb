"""Names of devices, as operations keep them; where things run is JAX's affair."""

from __future__ import annotations

import re

_FIELDS = ("job", "replica", "task", "device")
_SHORT = re.compile(r"(cpu|gpu|tpu|CPU|GPU|TPU):(\*|\d+)")


def merged(outer: str, inner) -> str:
    """The name of a device in a block inside of another one.

    Args:
      outer: the name around it.
      inner: a name, of which what is missing is taken from `outer`; `None` lets go of it.

    Raises:
      ValueError: `inner` is no name of a device.
    """
    if inner is None:
        return ""
    parts = {**parsed(outer), **parsed(str(inner))}
    return "".join(f"/{field}:{parts[field]}" for field in _FIELDS if field in parts)


def parsed(name: str) -> dict[str, str]:
    """The parts of a name: `/job:ps/task:0/gpu:1` -> `{"job": "ps", "task": "0", "device": "GPU:1"}`."""
    found = {}
    for part in filter(None, name.split("/")):
        key, _, value = part.partition(":")
        if key == "device" and ":" in value:
            kind, _, index = value.partition(":")
            found["device"] = f"{kind.upper()}:{index}"
        elif _SHORT.fullmatch(part):
            found["device"] = f"{key.upper()}:{value}"
        elif key in _FIELDS and value:
            found[key] = value
        else:
            raise ValueError(f"Unknown attribute: '{key}' in '{name}'")
    return found
