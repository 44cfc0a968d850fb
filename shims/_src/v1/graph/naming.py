"""Derive TensorFlow's names for the operations of an operator call."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from shims._src.platform.data_files import read_data


@dataclasses.dataclass(frozen=True, slots=True)
class Named:
    """The names and the type of the operations that a call creates.

    Attributes:
      names: one unique name if a single operation has all outputs; otherwise one name per output.
      type: TensorFlow's type of the operation.
    """

    names: tuple[str, ...]
    type: str


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """A rule that derives the operation names of a call.

    Attributes:
      tops: the names that TensorFlow reserves in the current scope, in order.
      place: the index in `tops` of the main name, which the caller's `name` replaces.
      suffixes: the suffixes of the main name: one for all outputs, or one per output; `{Sum}`
        stands for the caller's name, or for `Sum` if there is none.
    """

    tops: tuple[str, ...]
    place: int
    suffixes: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """The naming rules of one operator.

    Attributes:
      type: TensorFlow's type of the operation.
      usual: the default recipe.
      others: pairs of another recipe and the features that select it; `!x` requires that `x` is absent.
    """

    type: str
    usual: Recipe
    others: tuple[tuple[Recipe, tuple[str, ...]], ...]

    def of(self, features: Callable[[], frozenset[str]]) -> Recipe:
        """Select the recipe of a call.

        features: a function that returns the features of the call; used only if the recipe depends on
          them.
        """
        if self.others:
            found = features()
            for recipe, rule in self.others:
                if all((f[1:] not in found) if f[0] == "!" else (f in found) for f in rule):
                    return recipe
        return self.usual


def named(
    graph,
    public: str,
    name: str | None,
    features: Callable[[], frozenset[str]],
    outputs: int,
) -> Named:
    """Choose the names of a call's operations, and mark them as used in the graph.

    Args:
      graph: the graph.
      public: the TensorFlow 1 name of the operator.
      name: the caller's name; one that ends in `/` is an absolute name.
      features: a function that returns the features of the arguments; see `call_features`.
      outputs: the number of tensors that the call returns.
    """
    entry = _read_entries().get(public)
    default = public.rpartition(".")[2]
    type_ = entry.type if entry else default
    if name and name.endswith("/"):
        return Named((name[:-1],), type_)
    if entry is None:
        return Named((graph.unique_name(name or default),), type_)
    recipe = entry.of(features)
    tops = list(recipe.tops)
    if name:
        tops[recipe.place] = name
    full = [graph.unique_name(top) for top in tops][recipe.place]
    suffixes = recipe.suffixes if len(recipe.suffixes) == outputs else recipe.suffixes[:1]
    return Named(tuple(full + _fill_in_name(suffix, name) for suffix in suffixes), type_)


def _fill_in_name(suffix: str, name: str | None) -> str:
    """Replace `{Sum}` in an operation name's suffix by the caller's name, or by `Sum` without one."""
    head, brace, rest = suffix.partition("{")
    if not brace:
        return suffix
    default, _, tail = rest.partition("}")
    return f"{head}{name or default}{tail}"


@functools.cache
def _read_entries() -> dict[str, Entry]:
    return {
        public: Entry(
            type_,
            _parse_recipe(usual),
            tuple((_parse_recipe(other), tuple(rule)) for other, rule in others),
        )
        for public, (type_, usual, others) in read_data(__package__, "recipes")["recipes"].items()
    }


def _parse_recipe(text: str) -> Recipe:
    """Parse the text of a recipe, such as `SparseSoftmax @Sum = /Reshape .`.

    The names stand before `=`, with `@` before the main name. The suffixes follow; `.` is an empty
    suffix.
    """
    tops, _, suffixes = text.partition("=")
    names = tops.split()
    place = next(i for i, name in enumerate(names) if name.startswith("@"))
    return Recipe(
        tuple(name.removeprefix("@") for name in names),
        place,
        tuple("" if s == "." else s for s in suffixes.split()),
    )
