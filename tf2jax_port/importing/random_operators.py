"""Convert random operators to stateless operators, each with a seed derived from the caller's seed."""

from __future__ import annotations

from collections.abc import Callable

from tf2jax_port.importing.graph import Node
from tf2jax_port.importing.rule import dtype_text


def _draw_rule(name: str) -> Callable[[Node, list[str], str], str]:
    """Return a rule that converts a random operator to a call of `tf.random.stateless_<name>`."""

    def spell(node: Node, inputs: list[str], key: str) -> str:
        dtype = dtype_text(node.attribute("dtype") or node.attribute("Tout"))
        bounds = "".join(f", {text}" for text in inputs[1:])
        return f"tf.random.stateless_{name}({inputs[0]}, {key}{bounds}, dtype={dtype})"

    return spell


def _categories(node: Node, inputs: list[str], key: str) -> str:
    dtype = dtype_text(node.attribute("output_dtype", "int64"))
    return f"tf.random.stateless_categorical({inputs[0]}, {inputs[1]}, {key}, dtype={dtype})"


DRAWS: dict[str, Callable[[Node, list[str], str], str]] = {
    "RandomUniform": _draw_rule("uniform"),
    "RandomUniformInt": _draw_rule("uniform"),
    "RandomStandardNormal": _draw_rule("normal"),
    "TruncatedNormal": _draw_rule("truncated_normal"),
    "Multinomial": _categories,
}
