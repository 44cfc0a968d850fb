"""Write recipes for TensorFlow 1's operation names: `python -m tools.live_recipes`.

Every operator of the facade is called in TensorFlow graphs with the arguments of its row's cases, in several
forms: tensors of known and unknown shapes, numbers, with a name and without. The file records the resulting
operation names, and the features of the call that determine them.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import itertools
import warnings
from typing import Any

import numpy as np
import tensorflow as tf

from shims._src.v1.graph.call_features import call_features, without_defaults
from shims._src.v1.names import call_translation
from shims._src.v1.names.operators import located, operators
from tf2jax_port.diff.parity.points import arguments, points_of
from tf2jax_port.table import ROWS, Row
from tools.data_files import ROOT, render
from tools.live_calls import CALLS

PATH = "shims/_src/v1/graph/recipes.json"
# What TensorFlow raises where a call is not possible in a form.
_REFUSALS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    tf.errors.OpError,
)
_NAME = "given_name"
_MOST_CASES = 25


class Example:
    """The operation names that one call produced.

    Attributes:
      features: the known features of its arguments.
      own: its own name.
      recipe: the top-level graph names that it took, with `@` before its own; then for each output the part after
        the own name.
      types: the types of the operations that produce the outputs.
    """

    def __init__(self, features: frozenset[str], own: str, tops: tuple, finals: list):
        self.features = features
        self.own = own
        self.recipe = (tops, tuple(suffix for suffix, _ in finals))
        self.types = [type_ for _, type_ in finals]


def generate() -> str:
    """Return the text of the data file.

    An operator's entry has the type, the usual recipe, and other recipes with the features that select them, `!`
    before a feature that must be missing. A recipe lists the names taken on the way, `@` before the own one; `=`;
    then for each output the part after the own name, `.` for nothing, `{Sum}` for the caller's name or `Sum`.
    """
    found = {public: entry(public) for public in publics()}
    return render(
        "tools.live_recipes",
        version=tf.__version__.rpartition(".")[0],
        recipes={public: made for public, made in found.items() if made is not None},
    )


def publics() -> list[str]:
    """Return the TensorFlow 1 names of the operators that need a recipe."""
    return sorted({*(o.name for o in operators().values()), *CALLS})


def entry(public: str) -> list[Any] | None:
    """Return the data file's entry of an operator, `None` where no call of it is possible."""
    rows = _rows()
    spellings = [s for s, o in operators().items() if o.name == public]
    found = [rows[n] for s in spellings for n in (f"v1.{s}", s) if n in rows]
    examples = list(_examples(public, found[0] if found else None))
    return _entry(examples) if examples else None


@functools.cache
def _rows() -> dict[str, Row]:
    return {name: row for row in ROWS for name in row.names}


def _examples(public: str, row) -> Any:
    """Yield calls of an operator with their results."""
    function = tf.compat.v1
    for part in public.split("."):
        function = getattr(function, part)
    signature = inspect.signature(function)
    calls = list(CALLS.get(public, ()))
    operator = operators().get(public)
    if row is not None and operator is not None:
        renamed = _old_names(operator, signature)
        for point in points_of(row.name)[:_MOST_CASES]:
            calls.append({renamed.get(k, k): v for k, v in arguments(point).items()})
    for call, form in itertools.product(calls, ("all", "first", "sizes", "rank")):
        found: list[Example] = []
        with warnings.catch_warnings(), contextlib.suppress(*_REFUSALS):  # not in this form
            warnings.simplefilter("ignore")
            found.append(_example(function, signature, call, form, operator, ""))
            if "name" in signature.parameters:
                own = found[0].own
                found.append(_example(function, signature, call, form, operator, own))
        if found and any(_NAME in suffix for suffix in found[-1].recipe[1]):
            found[0].recipe = found[1].recipe = _with_own_again(found[0], found[1])
        yield from found


def _with_own_again(unnamed: Example, named: Example) -> tuple:
    """Return the recipe of a call that repeats the caller's name, as `{default}`, below itself."""
    tops, suffixes = unnamed.recipe
    pairs = zip(suffixes, named.recipe[1], strict=True)
    return tops, tuple(
        "/".join(
            f"{{{a}}}" if b == _NAME else a
            for a, b in zip(one.split("/"), other.split("/"), strict=True)
        )
        for one, other in pairs
    )


def _old_names(operator, signature) -> dict[str, str]:
    """Map the row's parameter names to version 1's."""
    target = inspect.signature(located(f"shims._src.{operator.place}"))
    if any(p.kind is p.VAR_KEYWORD for p in target.parameters.values()):
        return {}
    renamed = call_translation.Translation(operator, signature, target).renamed
    return {new: old for old, new in renamed.items() if new not in signature.parameters}


def _example(function, signature, call, form: str, operator, own_name: str) -> Example:
    """Call an operator in a new graph; with a name once its default name is known."""
    with tf.Graph().as_default():
        return _in_graph(function, signature, call, form, operator, own_name)


def _in_graph(function, signature, call, form, operator, own_name) -> Example:
    named = bool(own_name)
    given = {k: _made(v, form, i == 0) for i, (k, v) in enumerate(call.items())}
    graph = tf.compat.v1.get_default_graph()
    before = len(graph.get_operations())
    result = _called(function, signature, {**given, **({"name": _NAME} if named else {})})
    made = [op.name for op in graph.get_operations()[before:]]
    outputs = [t for t in tf.nest.flatten(result, expand_composites=True) if tf.is_tensor(t)]
    if not outputs or any(t.op.name not in made for t in outputs):
        raise LookupError("it gives what it was given")
    own = outputs[0].op.name.split("/")[0]
    tops = tuple(dict.fromkeys(name.split("/")[0] for name in made))
    finals = []
    for tensor in outputs:
        top, slash, rest = tensor.op.name.partition("/")
        if top != own:
            raise LookupError("its outputs have several names")
        finals.append((slash + rest, tensor.op.type, tensor.value_index))
    if named and own != _NAME:
        raise LookupError("the name goes elsewhere")
    base = own_name if named else _unnumbered(own, tops)
    taken = tuple(f"@{base}" if t == own else _unnumbered(t, tops) for t in tops)
    features = call_features(_decisive(given, signature, operator), _sizes)
    return Example(features, base, taken, _short(finals))


def _called(function, signature, given: dict[str, Any]) -> Any:
    """Call a function; an argument for `*inputs` is unpacked."""
    several = [p for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL]
    if not several:
        return function(**given)
    names_before = list(signature.parameters)[: list(signature.parameters).index(several[0].name)]
    before = [given.pop(name) for name in names_before if name in given]
    return function(*before, *given.pop(several[0].name), **given)


def _short(finals: list) -> list:
    """Merge the outputs into one entry if one operation produces them all."""
    (suffix, type_, _), *_ = finals
    if all((s, k) == (suffix, i) for i, (s, _, k) in enumerate(finals)):
        return [(suffix, type_)]
    if any(index for _, _, index in finals):
        raise LookupError("its outputs are not in order")
    return [(suffix, type_) for suffix, type_, _ in finals]


def _decisive(given, signature, operator) -> dict[str, Any]:
    """Return the arguments that differ from the defaults, by the parameters of `shims`."""
    renamed = {}
    if operator is not None:
        target = inspect.signature(located(f"shims._src.{operator.place}"))
        if not any(p.kind is p.VAR_KEYWORD for p in target.parameters.values()):
            renamed = call_translation.Translation(operator, signature, target).renamed
    defaults = {name: p.default for name, p in signature.parameters.items()}
    return {renamed.get(k, k): v for k, v in without_defaults(given, defaults).items()}


def _sizes(value):
    if isinstance(value, np.ndarray):
        return value.shape
    if not isinstance(value, tf.Tensor):
        raise LookupError
    return None if value.shape.rank is None else value.shape.as_list()


def _made(value: Any, form: str, is_first: bool) -> Any:
    """Return an argument in a form: arrays become placeholders, or stay."""
    if callable(value):
        return value()
    if isinstance(value, np.ndarray):
        if form == "first" and not is_first:
            return value
        shape = {"sizes": [None] * value.ndim, "rank": None}.get(form, value.shape)
        return tf.compat.v1.placeholder(tf.as_dtype(value.dtype), shape, name="in")
    if isinstance(value, (list, tuple)) and any(isinstance(v, np.ndarray) for v in value):
        return [_made(v, form, is_first) for v in value]
    return value


def _unnumbered(name: str, tops: tuple[str, ...]) -> str:
    """Return `Reshape` for `Reshape_1`, where both exist."""
    head, _, number = name.rpartition("_")
    return head if number.isdigit() and head in tops else name


def _entry(examples: list[Example]) -> list[Any]:
    """Return the commonest recipe, and the others with the features that select them."""
    counts = collections.Counter(e.recipe for e in examples)
    usual = counts.most_common(1)[0][0]
    own = next(e.own for e in examples if e.recipe == usual)
    others = []
    for recipe in counts:
        if recipe != usual:
            rules = _rules(
                [e.features for e in examples if e.recipe == recipe],
                [e.features for e in examples if e.recipe != recipe],
            )
            others += [[_recipe(recipe), list(rule)] for rule in rules]
    return [_type(own, examples), _recipe(usual), others]


def _type(own: str, examples: list[Example]) -> str:
    """Return the commonest type of the outputs, constants excluded; the own name if all are constant."""
    types = collections.Counter(t for e in examples for t in e.types[:1] if t != "Const")
    return types.most_common(1)[0][0] if types else own


def _recipe(recipe) -> str:
    tops, suffixes = recipe
    return f"{' '.join(tops)} = {' '.join(s or '.' for s in suffixes)}"


def _rules(inside: list[frozenset[str]], outside: list[frozenset[str]]) -> list[tuple[str, ...]]:
    """Find conjunctions of at most two features that hold for calls inside, and for none outside.

    The most general ones come first: those that hold for most calls, then those with the fewest conditions.
    """
    every = sorted(frozenset().union(*inside, *outside))
    literals = [*every, *(f"!{f}" for f in every)]
    possible = [
        rule
        for size in (1, 2)
        for rule in itertools.combinations(literals, size)
        if not any(_holds(rule, f) for f in outside)
    ]
    found, left = [], list(inside)
    while left:
        best = max(possible, key=lambda rule: _worth(rule, left), default=None)
        if best is None or not any(_holds(best, f) for f in left):
            break
        found.append(best)
        left = [f for f in left if not _holds(best, f)]
    return found


def _worth(rule: tuple[str, ...], left: list[frozenset[str]]) -> tuple[int, int, int]:
    return sum(_holds(rule, f) for f in left), -sum("=" in f for f in rule), -len(rule)


def _holds(rule: tuple[str, ...], features: frozenset[str]) -> bool:
    return all((f[1:] not in features) if f[0] == "!" else (f in features) for f in rule)


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
