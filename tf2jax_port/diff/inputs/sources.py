"""Load inputs from a generator, a file, a signature, a Hypothesis strategy, or recorded calls."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tf2jax_port.diff.functions.loading import DiffError, find
from tf2jax_port.diff.inputs.constants import constants_of
from tf2jax_port.diff.inputs.generated import calls, is_signature, parse, spec_of
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import parameter_names
from tf2jax_port.diff.values.attempt import Failure, attempt

FILES = (".safetensors", ".golden")
EXAMPLES = 20

# No name of a file or a module has these characters.
_LOOKS_LIKE_A_SIGNATURE = re.compile(r"[\[\];]")

Calls = Callable[[], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Source:
    """The inputs of a comparison, and the module that defines the types in them.

    Attributes:
      calls: a function that returns the argument tuples.
      module: the specification of the module that defines these types, empty if there is none.
    """

    calls: Calls
    module: str = ""


def source_of(spec: str, old: Callable[..., Any], seed: int, examples: int = EXAMPLES) -> Source:
    """Load the inputs that a specification refers to.

    Args:
      spec: `CASES.py` or `CASES.py:NAME` (a generator function, or a Hypothesis strategy),
        `FILE.npz`, a file of `capture` or of `record`, the word `signature`, or a signature itself:
        `x: float32[n, 3]; keep: bool[n]`.
      old: the original, for its parameters and its signature.
      seed: for generated inputs.
      examples: the number of inputs to generate from a strategy.

    Raises:
      DiffError: there is no such source, or it cannot be read.
    """
    if spec.endswith(".npz"):
        return Source(lambda: from_npz(Path(spec), old))
    if spec.endswith(FILES):
        return Source(lambda: _from_calls(Path(spec)))
    if spec == "signature":
        structure = _signature_of(old)
        return Source(lambda: calls(structure, seed, constants_of(old)))
    if is_signature(spec) or _LOOKS_LIKE_A_SIGNATURE.search(spec):
        parsed = parse(spec)
        return Source(lambda: calls(parsed, seed, constants_of(old)))
    return _from_module(spec, seed, examples)


def _from_module(spec: str, seed: int, examples: int) -> Source:
    found, _ = find(spec, "cases")
    if hasattr(found, "example") and hasattr(found, "flatmap"):
        return Source(lambda: from_strategy(found, examples, seed), spec)
    if not callable(found):
        raise DiffError(
            f"{spec}: this is not a source of inputs.\n"
            "  Required: a function that returns argument tuples, or a Hypothesis strategy\n"
            f"  Received: {type(found).__name__}"
        )
    return Source(found, spec)


def from_strategy(strategy: Any, examples: int, seed: int) -> list[tuple[Any, ...]]:
    """Return reproducible examples of a Hypothesis strategy; each tuple is one call."""
    import hypothesis

    found: list[tuple[Any, ...]] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def draw(value: Any) -> None:
        found.append(value if isinstance(value, tuple) else (value,))

    draw()
    return found[:examples]


def from_npz(path: Path, old: Callable[..., Any]) -> list[tuple[Any, ...]]:
    """Read calls from an `.npz` file.

    The names in the file are parameters: `x` (or `arr_0`) for a single call, `3/x` for call 3, `params/w` for an
    entry of a dict.

    Raises:
      DiffError: the file cannot be read, or a name in it is not a parameter.
    """
    archive = attempt(lambda: dict(np.load(path, allow_pickle=False)))
    if isinstance(archive, Failure):
        raise DiffError(f"{path}: the golden cannot be read.\n  Received: {archive.reason}")
    found: dict[int, dict[str, Any]] = {}
    for key in archive:
        head, _, rest = key.partition("/")
        number, name = (int(head), rest) if head.isdigit() and rest else (0, key)
        *nest, last = name.split("/")
        place = found.setdefault(number, {})
        for step in nest:
            place = place.setdefault(step, {})
        place[last] = archive[key]
    return [_to_positional(path, found[number], old) for number in sorted(found)]


def _to_positional(path: Path, given: dict[str, Any], old: Callable[..., Any]) -> tuple[Any, ...]:
    given = {re.sub(r"^arr_(\d+)$", r"\1", name): value for name, value in given.items()}
    names = _parameters_of(old)
    by_number = {str(i): name for i, name in enumerate(names)}
    given = {by_number.get(name, name): value for name, value in given.items()}
    unknown = [name for name in given if name not in names]
    last = max((names.index(name) for name in given if name in names), default=-1)
    defaults = _defaults_of(old)
    missing = [name for name in names[: last + 1] if name not in given and name not in defaults]
    if unknown or missing:
        wrong = [f"no parameter is called {name}" for name in unknown]
        wrong += [f"there is no array for {name}" for name in missing]
        raise DiffError(
            f"{path}: its names do not fit the function.\n"
            f"  Required: {', '.join(names) or 'no names'}\n  Received: {'; '.join(wrong)}"
        )
    return tuple(given.get(name, defaults.get(name)) for name in names[: last + 1])


def _parameters_of(old: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(old).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds]


def _defaults_of(old: Callable[..., Any]) -> dict[str, Any]:
    try:
        parameters = inspect.signature(old).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def _from_calls(path: Path) -> list[tuple[Any, ...]]:
    from tf2jax_port.diff.golden_file.document import read
    from tf2jax_port.diff.golden_file.golden import unpack_call

    document, store = read(path)
    found = [unpack_call(entry, store) for entry in document["cases"]]
    return [case.fill(case.arrays) for case in found]


def _signature_of(old: Callable[..., Any]) -> Sequence[Any]:
    """Return the input signature of a `tf.function`, with a `Spec` in place of each `TensorSpec`."""
    given = getattr(old, "input_signature", None)
    if not given:
        raise DiffError(
            "--inputs signature: the original has no input signature.\n"
            "  Do:       write one, for instance --inputs 'x: float32[n, 3]; keep: bool[n]'"
        )
    names = parameter_names(old, len(given))
    return [
        tree.rebuild(part, functools.partial(spec_of, name)) for name, part in zip(names, given)
    ]
