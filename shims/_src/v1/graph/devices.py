"""Parse and merge device names; operations record them, but JAX decides the placement."""

from __future__ import annotations

import re

_FIELDS = ("job", "replica", "task", "device")
_SHORT = re.compile(r"(cpu|gpu|tpu|CPU|GPU|TPU):(\*|\d+)")


def merged(outer: str, inner) -> str:
    """Merge a device name with that of the enclosing block.

    Args:
      outer: the device name of the enclosing block.
      inner: a device name, whose missing parts are taken from `outer`; `None` clears the device.

    Raises:
      ValueError: `inner` is not a device name.
    """
    if inner is None:
        return ""
    parts = {**parsed(outer), **parsed(str(inner))}
    return "".join(f"/{field}:{parts[field]}" for field in _FIELDS if field in parts)


def parsed(name: str) -> dict[str, str]:
    """Parse a device name into its parts.

    `/job:ps/task:0/gpu:1` becomes `{"job": "ps", "task": "0", "device": "GPU:1"}`.
    """
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
