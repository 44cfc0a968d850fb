"""Define rules that convert a graph operator to a Python expression that calls `shims`."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tf2jax_port.importing.graph import Node
from tf2jax_port.importing.schema import DTYPES


class UnsupportedError(Exception):
    """Raised for a node that cannot be converted; the message gives the reason."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule that converts one graph operator to a Python expression.

    `spell` is a function that makes the expression from the node and the expressions of its inputs.
    `outputs` is empty if the operator has one output, the value of the expression; otherwise the
    value is a tuple or list, and `outputs` names its elements: `("*",)` for a list of any length.
    """

    spell: Callable[[Node, list[str]], str]
    outputs: tuple[str, ...] = ()


def python_text(value: Any) -> str:
    """Format an attribute or a constant as Python source."""
    if isinstance(value, list):
        return f"[{', '.join(python_text(item) for item in value)}]"
    if isinstance(value, float):
        short = str(np.float32(value))  # it was a float32 in the file
        return short if np.isfinite(value) else f'float("{short}")'
    return repr(value)


def dtype_text(name: str) -> str:
    """Return the Python source of a dtype: `tf.float32` for `float32`."""
    return f"tf.{name}"


def template(text: str, *outputs: str, **options: tuple[str, Any]) -> Rule:
    """Make a rule from the text of a call without its closing parenthesis: `tf.matmul({0}, {1}`.

    Args:
      text: the call: `{0}` is the first input, `{all}` all inputs, `{name}` an attribute.
      outputs: see `Rule`.
      options: for each optional keyword of the call, the operator's attribute and the default value, for which
        the keyword is omitted.
    """

    def spell(node: Node, inputs: list[str]) -> str:
        try:
            call = _FORMATTER.vformat(text, inputs, _Attributes(node, inputs))
        except IndexError:
            raise UnsupportedError(
                f"there is no rule for this operator with {len(inputs)} inputs"
            ) from None
        for keyword, (attribute, default) in options.items():
            value = node.attribute(attribute, default)
            if value != default:
                call += f", {keyword}={attribute_text(value)}"
        return call + ")"

    return Rule(spell, outputs)


_FORMATTER = string.Formatter()


class _Attributes(Mapping[str, str]):
    """A mapping from attribute names to Python source, for `template`; `all` gives all inputs."""

    def __init__(self, node: Node, inputs: list[str]):
        self.node, self.inputs = node, inputs

    def __getitem__(self, name: str) -> str:
        if name == "all":
            return ", ".join(self.inputs)
        if name not in self.node.attributes:
            raise UnsupportedError(f"the operator has no attribute `{name}`")
        return attribute_text(self.node.attribute(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.node.attributes)

    def __len__(self) -> int:
        return len(self.node.attributes)


def attribute_text(value: Any) -> str:
    """Format an attribute as Python source: `tf.float32` for a dtype, else a literal."""
    if isinstance(value, str) and value in DTYPES.values():
        return dtype_text(value)
    return python_text(value)
