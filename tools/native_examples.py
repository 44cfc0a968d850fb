"""Make the example in the docstring of an operator that is a plain JAX expression.

The operands follow from the dtypes that the operator takes. Results are computed in 64 bits and shown in 32, so that
every processor gives the same text.
"""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np

from tf2jax_port.table import Native, Row

_UNARY = {"bool": "[True, False]", "integer": "[6, 3]"}
_BINARY = {"bool": ("[True, False]", "[True, True]"), "integer": ("[6, 3]", "[3, 3]")}
# Operators that say little of 0.5 and 1.
_OTHER = {
    **dict.fromkeys(("floor", "ceil", "round", "rint", "negative"), "[-1.6, 2.4]"),
    "is_nan": '[1.0, float("nan")]',
    "is_inf": '[1.0, float("inf")]',
    "is_finite": '[1.0, float("inf")]',
    "real": "[1.0 + 2.0j]",
    "conj": "[1.0 + 2.0j]",
}


def example(row: Row) -> list[str]:
    """Return the lines of an example: a call, and what it prints."""
    assert isinstance(row.target, Native)
    texts = _operands(row)
    others = dict(re.findall(r"(\w+)=(True|False)", row.params or ""))
    names = {"jax": jax, "jnp": jnp, **{name: text == "True" for name, text in others.items()}}
    with jax.enable_x64(True):
        for name, text in zip(row.tensors, texts, strict=True):
            names[name] = jnp.asarray(eval(text))
        result = np.asarray(eval(re.sub("[{}]", "", row.target.expression), names))
    narrow = {"f": np.float32, "c": np.complex64}.get(result.dtype.kind, result.dtype)
    return [
        ">>> import shims",
        f">>> print(shims.{row.name}({', '.join(texts)}))",
        *str(result.astype(narrow)).split("\n"),
    ]


def _operands(row: Row) -> tuple[str, ...]:
    kind = row.takes.split(" ")[0] if row.takes else ""
    if len(row.tensors) == 2:
        return _BINARY.get(kind, ("[1.0, 5.0, 7.0]", "5.0"))
    text = _OTHER.get(row.name.rpartition(".")[2]) or _UNARY.get(kind, "[0.5, 1.0]")
    return (text,)
