"""Map the variables of the original program to the leaves of the port's parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from tf2jax_port.diff.functions.loading import DiffError, find
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.vocabulary.reasons import Reason

# Synonyms in the parameter names of Keras, Sonnet, Flax, Haiku and Equinox.
_SYNONYMS = {
    "w": "kernel",
    "weight": "kernel",
    "weights": "kernel",
    "b": "bias",
    "gamma": "scale",
    "beta": "bias",
    "offset": "bias",
    "moving": "running",
    "variance": "var",
    "embeddings": "embedding",
    "table": "embedding",
}
VARIABLES = "variables"


@dataclass(frozen=True, slots=True)
class Request:
    """The user's specification of variables, parameters and their correspondence.

    Attributes:
      variables: the specification of the object that holds the original's variables.
      parameters: the specification of the port's parameters, a pytree or a function that makes one.
      given: pairs of a variable and its leaf that the user passed, `("dense/kernel", "['w']")`.
    """

    variables: str
    parameters: str
    given: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The correspondence of the original's variables and the port's parameters.

    Attributes:
      names: the names of the variables, in the original's order.
      values: their values.
      leaves: for each variable, the path of its leaf in the parameters.
      order: the names in the order of the leaves.
      structure: the tree structure of the parameters.
    """

    names: tuple[str, ...]
    values: tuple[np.ndarray, ...]
    leaves: tuple[str, ...]
    order: tuple[str, ...]
    structure: Any

    def calls(self, source: Callable[[], Iterable[Any]]) -> Iterator[Any]:
        """Yield each argument tuple with a dict from variable names to values added in front."""
        for call in source():
            yield (dict(zip(self.names, self.values)), *call) if isinstance(call, tuple) else call

    def notes(self) -> list[Reason]:
        """Describe the correspondence of variables and leaves, with one note per variable."""
        pairs = zip(self.names, self.leaves)
        return [Reason("variables", f"{name} is params{leaf}") for name, leaf in pairs]

    def port(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the port as a function whose first argument is a dict from variables to values."""
        from tf2jax_port.diff.lanes.jax_lanes import python_function

        function = python_function(function)

        def with_parameters(variables: Mapping[str, Any], *args: Any) -> Any:
            leaves = [variables[name] for name in self.order]
            return function(self.structure.unflatten(leaves), *args)

        return with_parameters


def original_with_variables(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the original with an additional first parameter for its variables, which is ignored."""

    def with_variables(variables: Any, *args: Any) -> Any:
        return function(*args)

    with_variables.__signature__ = _signature(function)  # type: ignore[attr-defined]
    return with_variables


def state_of(request: Request) -> tuple[State, dict[str, Any]]:
    """Match the variables with the parameters; return the correspondence and the variables.

    Raises:
      DiffError: there are no variables, or they do not match the parameters.
    """
    variables = variables_at(request.variables)
    leaves, structure = _leaves(request.parameters)
    shapes = {name: tuple(variable.shape) for name, variable in variables.items()}
    pairs = match(shapes, leaves, request.given)
    names = {leaf: name for name, leaf in pairs.items()}
    state = State(
        tuple(variables),
        tuple(np.array(variable.numpy()) for variable in variables.values()),
        tuple(pairs.values()),
        tuple(names[leaf] for leaf in leaves),
        structure,
    )
    return state, variables


def _leaves(spec: str) -> tuple[dict[str, tuple[int, ...]], Any]:
    """Load the parameters; return the shapes of their leaves by path, and the tree structure."""
    import jax

    parameters = find(spec)[0]
    parameters = parameters() if inspect.isfunction(parameters) else parameters
    found, structure = jax.tree_util.tree_flatten_with_path(parameters)
    return {jax.tree_util.keystr(path): tuple(np.shape(leaf)) for path, leaf in found}, structure


def variables_at(spec: str) -> dict[str, Any]:
    """Load the original's variables as a dict from names to variables.

    Raises:
      DiffError: there are none.
    """
    variables = variables_of(find(spec)[0])
    if not variables:
        raise DiffError(f"{spec}: the object has no variables.")
    return variables


def variables_of(holder: Any) -> dict[str, Any]:
    """Return the variables of a `tf.Module`, Keras model, module or nested structure, by name."""
    if isinstance(holder, ModuleType):
        found = {n: v for n, v in vars(holder).items() if not n.startswith("_")}
        return {n: v for n, v in found.items() if _is_variable(v)}
    if _is_variable(holder):
        return {"variable": _unwrap_keras(holder)}
    if hasattr(holder, "variables") and all(hasattr(v, "path") for v in holder.variables):
        return {v.path: _unwrap_keras(v) for v in holder.variables}
    if hasattr(holder, "_flatten") and hasattr(holder, "variables"):
        found = holder._flatten(predicate=_is_variable, with_path=True)
        return {"/".join(map(str, path)): variable for path, variable in found}
    leaves = {path.strip("[]'") or "variable": leaf for path, leaf in tree.walk(holder)}
    return {path: _unwrap_keras(leaf) for path, leaf in leaves.items() if _is_variable(leaf)}


def match(
    variables: Mapping[str, tuple[int, ...]],
    leaves: Mapping[str, tuple[int, ...]],
    given: Sequence[tuple[str, str]] = (),
) -> dict[str, str]:
    """Match every variable with a leaf: by shape, then by similar names, then by order.

    Args:
      variables: a dict from names to shapes.
      leaves: a dict from paths to shapes.
      given: pairs that the user passed.

    Raises:
      DiffError: numbers or shapes do not match.
    """
    pairs: dict[str, str] = {}
    for name, leaf in given:
        if name not in variables or leaf not in leaves:
            raise DiffError(
                _mismatch_message("--map names an unknown variable or parameter", variables, leaves)
            )
        if variables[name] != leaves[leaf]:
            raise DiffError(
                _mismatch_message(
                    "--map pairs different shapes", {name: variables[name]}, {leaf: leaves[leaf]}
                )
            )
        pairs[name] = leaf
    taken = set(pairs.values())
    left = [name for name in variables if name not in pairs]
    free = [leaf for leaf in leaves if leaf not in taken]
    if sorted(variables[n] for n in left) != sorted(leaves[p] for p in free):
        raise DiffError(
            _mismatch_message(
                "variables and parameters do not have the same shapes",
                {n: variables[n] for n in left},
                {p: leaves[p] for p in free},
            )
        )
    ranked = sorted(
        (
            (-_similarity(name, leaf), abs(i / len(left) - j / len(free)), i, j)
            for i, name in enumerate(left)
            for j, leaf in enumerate(free)
            if variables[name] == leaves[leaf]
        )
    )
    done: set[int] = set()
    for _, _, i, j in ranked:
        if left[i] not in pairs and j not in done:
            pairs[left[i]] = free[j]
            done.add(j)
    return {name: pairs[name] for name in variables}


def _similarity(name: str, leaf: str) -> float:
    """Score how similar two names are: by common words, the last one twice, and by initials."""
    one, other = _words(name), _words(leaf)
    if not one or not other:
        return 0.0
    shared = set(one) & set(other)
    both = len(shared) / len({*one, *other})
    initials = "".join(word[0] for word in one[:-1])
    hints = [w for w in other[:-1] if w not in shared and w.isalpha()]
    hinted = any(w in initials if len(w) > 1 else _innermost_begins(w, one[:-1]) for w in hints)
    return both + (one[-1] == other[-1]) + 0.2 * hinted


def _innermost_begins(letter: str, words: Sequence[str]) -> bool:
    """Return whether the last purely alphabetic word of a variable's name begins with `letter`.

    words: the words of the name, the outermost first.
    """
    named = [word for word in words if word.isalpha()]
    return bool(named) and named[-1].startswith(letter)


def _words(name: str) -> list[str]:
    found = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name)
    return [_SYNONYMS.get(word.lower(), word.lower()) for word in found]


def _mismatch_message(
    problem: str, variables: Mapping[str, tuple[int, ...]], leaves: Mapping[str, tuple[int, ...]]
) -> str:
    def listed(entries: Mapping[str, tuple[int, ...]]) -> str:
        return ", ".join(f"{name} {list(shape)}" for name, shape in entries.items()) or "none"

    return (
        f"variables: {problem}.\n  Original: {listed(variables)}\n  Port:     {listed(leaves)}\n"
        "  Do:       pass --map NAME=PATH for each such pair; a transposed kernel has a different shape"
    )


def _is_variable(value: Any) -> bool:
    return hasattr(value, "assign") and hasattr(value, "shape") and hasattr(value, "dtype")


def _unwrap_keras(variable: Any) -> Any:
    """Return the TensorFlow variable inside a Keras variable; return other variables unchanged."""
    inner = getattr(variable, "value", None)
    return variable if callable(inner) or not hasattr(inner, "assign") else inner


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    first = inspect.Parameter(VARIABLES, inspect.Parameter.POSITIONAL_ONLY)
    try:
        others = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        others = {}.values()
    kept = [p for p in others if p.name != VARIABLES]
    return inspect.Signature([first, *kept])
