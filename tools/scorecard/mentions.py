"""Find the symbols that a written test is about, from its source and the programs that it runs."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import types

from tf2jax_port.rewrite.knowledge import known as knowledge

_DEEP = 4
_OURS = "tests."
_HARNESS = "tests.harness."  # what runs and compares programs is not what they are about
# `tf.sparse.to_dense`, `shims.while_loop`, `m.Variable`, `RaggedTensor.from_tensor`.
_NAMES = re.compile(r"\b(?:tf|shims|m|module|Exact)((?:\.[A-Za-z_]\w*)+)")


def names_in(text: str) -> set[str]:
    """Return TensorFlow's names in code: `a.b.c` gives `a`, `a.b` and `a.b.c`."""
    found: set[str] = set()
    for match in _NAMES.finditer(text):
        parts = match[1].strip(".").split(".")
        found.update(".".join(parts[:i]) for i in range(1, len(parts) + 1))
    return found


def marked(item, otherwise: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the lanes by marked name: `symbols("random.{name}", lanes=("eager",))`.

    Braces hold parameters of the test.

    Raises:
      ValueError: the table has no row of that name.
    """
    given = getattr(item, "callspec", None)
    params = given.params if given else {}
    found = {
        name.format(**params): marker.kwargs.get("lanes", otherwise)
        for marker in item.iter_markers("symbols")
        for name in marker.args
    }
    for name in found.keys() - knowledge.rows().keys():
        raise ValueError(f"{item.nodeid}: no row is called `{name}`")
    return found


def text_of(item) -> str:
    """Return the source of a test, of its parameters, and of what both use from the tests."""
    given = getattr(item, "callspec", None)
    values = [item.function, *(given.params.values() if given else ())]
    seen: set[int] = set()
    return "\n".join(text for value in values for text in _sources(value, seen, _DEEP))


def _sources(value, seen: set[int], depth: int):
    if id(value) in seen or depth == 0:
        return
    seen.add(id(value))
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, types.FunctionType):
        module = value.__module__ or ""
        if not module.startswith(_OURS) or module.startswith(_HARNESS):
            return
        yield _source(value)
        for name in value.__code__.co_names:
            yield from _sources(value.__globals__.get(name), seen, depth - 1)
        for cell in value.__closure__ or ():
            yield from _sources(cell.cell_contents, seen, depth - 1)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from _sources(each, seen, depth)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _sources(each, seen, depth)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _sources(getattr(value, field.name), seen, depth)


@functools.cache
def _source(function) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""
