"""Build ports as modules from edited program texts, and find the lines of an edit."""

from __future__ import annotations

import difflib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"
NAMES = tuple(sorted(p.name for p in PROGRAMS.iterdir() if (p / "port.py").is_file()))

Edit = tuple[str, str]


def port_text(program: str) -> str:
    """Return the text of the correct port."""
    return (PROGRAMS / program / "port.py").read_text()


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a text; raise if an edit does not match."""
    for old, new in edits:
        if old not in text:
            raise ValueError(f"there is no {old!r}")
        text = text.replace(old, new, 1)
        if "lax.div" in new and "import jax\n" not in text and "from jax import lax" not in text:
            text = text.replace(
                "import jax.numpy as jnp", "import jax.numpy as jnp; from jax import lax", 1
            )
    return text


def edited_lines(before: str, after: str) -> set[int]:
    """Return the lines of a text that differ from another; for a deletion, its neighbors."""
    lines: set[int] = set()
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag == "delete":
            lines |= {start, start + 1}
        elif tag != "equal":
            lines |= set(range(start + 1, end + 1))
    return lines


def module(path: Path, name: str) -> Any:
    """Import a file as its own module."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def original(program: str) -> tuple[Callable[..., Any], Callable[[], Iterable[Sequence[Any]]]]:
    """Return the original of a program, and its inputs."""
    found = module(PROGRAMS / program / "original.py", f"locate_{program}_original")
    return found.run, found.cases


def written(text: str, folder: Path, name: str) -> Callable[..., Any]:
    """Create a port from its text; the file stays, because lines are read from it."""
    path = folder / f"{name}.py"
    path.write_text(text)
    return module(path, f"locate_{name}").run
