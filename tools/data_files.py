"""Render generated data files: JSON that names its generator, with one entry on a line."""

from __future__ import annotations

import json
import pathlib
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]


def render(generator: str, **sections: Any) -> str:
    """Render a data file.

    Args:
      generator: the name of the generating module.
      sections: strings, and lists and dictionaries with one entry per line.
    """
    parts = [f'"generated_by": "python -m {generator}"']
    parts += [f"{json.dumps(name)}: {_section(value)}" for name, value in sections.items()]
    return "{\n" + ",\n".join(f" {part}" for part in parts) + "\n}\n"


def _section(value: Any) -> str:
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items()]
    elif isinstance(value, list):
        lines = [json.dumps(entry) for entry in value]
    else:
        return json.dumps(value)
    start, end = "{}" if isinstance(value, dict) else "[]"
    return start + "\n  " + ",\n  ".join(lines) + f"\n {end}"
