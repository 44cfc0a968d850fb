"""TensorFlow's names of operations."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from shims._src.platform.data_files import read_data


@dataclasses.dataclass(frozen=True, slots=True)
class Named:
    """How the operations of a call are called.

    Attributes:
      names: the unique name of the one that has all outputs; or of one operation per output.
      type: TensorFlow's operator.
    """

    names: tuple[str, ...]
    type: str


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """The names that a call takes.

    Attributes:
      tops: names in the present scope, in the order in which they are taken.
      place: which of them is the own one, that the caller may choose.
      suffixes: what follows the own name: one for all outputs, or one per output; `{Sum}` stands
        for the caller's name, or for `Sum`.
    """

    tops: tuple[str, ...]
    place: int
    suffixes: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the list of recipes.

    Attributes:
      type: TensorFlow's operator.
      usual: the recipe of most calls.
      others: recipes with the features that decide for them; `!x` is the lack of one.
    """

    type: str
    usual: Recipe
    others: tuple[tuple[Recipe, tuple[str, ...]], ...]

    def of(self, features: Callable[[], frozenset[str]]) -> Recipe:
        """The recipe of a call; its features are asked for where something depends on them."""
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
    """Take the names of a call in a graph.

    Args:
      graph: the graph.
      public: the TensorFlow 1 name of the operator.
      name: the caller's name; one that ends in `/` is taken as it stands.
      features: what is known of the arguments, see `call_features`.
      outputs: how many tensors the call gives.
    """
    entry = _entries().get(public)
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
    return Named(tuple(full + _filled(suffix, name) for suffix in suffixes), type_)


def _filled(suffix: str, name: str | None) -> str:
    """A suffix in which `{Sum}` stands for the caller's name, or for `Sum` where there is none."""
    head, brace, rest = suffix.partition("{")
    if not brace:
        return suffix
    default, _, tail = rest.partition("}")
    return f"{head}{name or default}{tail}"


@functools.cache
def _entries() -> dict[str, Entry]:
    return {
        public: Entry(
            type_, _recipe(usual), tuple((_recipe(other), tuple(rule)) for other, rule in others)
        )
        for public, (type_, usual, others) in read_data(__package__, "recipes")["recipes"].items()
    }


def _recipe(text: str) -> Recipe:
    """Parse `SparseSoftmax @Sum = /Reshape .`: names, `@` before the own one, and the suffixes."""
    tops, _, suffixes = text.partition("=")
    names = tops.split()
    place = next(i for i, name in enumerate(names) if name.startswith("@"))
    return Recipe(
        tuple(name.removeprefix("@") for name in names),
        place,
        tuple("" if s == "." else s for s in suffixes.split()),
    )
