"""Write workflow commands, which GitHub shows beside the code of a pull request."""

from __future__ import annotations

from collections.abc import Mapping

from tf2jax_port.formats.release import PACKAGE


def command(level: str, path: str, title: str, text: str, place: Mapping[str, int]) -> str:
    """Return the command that annotates a line of a file.

    Args:
      level: `error` or `warning`.
      path: the file.
      title: what kind of finding it is.
      text: the message.
      place: `line` and `col`; empty for the whole file.
    """
    properties = {"title": f"{PACKAGE} {title}", "file": path, **place}
    said = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {said}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
