"""Programs with one call of a row's operator, in every form that a person may write it."""

import dataclasses
import zlib

import numpy as np

from tf2jax_port.rewrite.bind import signature
from tf2jax_port.table.inputs import Draw, Values

FORMS = ("positional", "keywords", "mixed")
HEAD = "import tensorflow as tf\n\n"


@dataclasses.dataclass(frozen=True)
class Program:
    """The source text, and the arrays that it reads by name."""

    id: str
    code: str
    arrays: dict


def realise(descriptor, seed):
    """The array that a descriptor describes, the same one every time."""
    if isinstance(descriptor, Values):
        return np.array(descriptor.values, descriptor.dtype)
    assert isinstance(descriptor, Draw)
    rng = np.random.default_rng(seed)
    array = rng.uniform(descriptor.low, descriptor.high, descriptor.shape)
    array.reshape(-1)[: len(descriptor.edges)] = descriptor.edges
    if descriptor.dtype == "bool":
        return array > (descriptor.low + descriptor.high) / 2
    return array.astype(descriptor.dtype)


class Texts:
    """Turns argument values into source text; arrays become names."""

    def __init__(self, seed):
        self.arrays = {}
        self.seed = seed

    def of(self, value):
        if isinstance(value, (Draw, Values)):
            name = f"a{len(self.arrays)}"
            self.arrays[name] = realise(value, self.seed + len(self.arrays))
            return name
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.of(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.of, value)) + "]"
        if isinstance(value, tuple):
            return "(" + "".join(f"{self.of(v)}, " for v in value) + ")"
        if isinstance(value, float):
            return (
                f"float({str(value)!r})" if value != value or abs(value) == np.inf else repr(value)
            )
        return repr(value)


def programs(row, case):
    """The case's call in each form; forms that come out alike are given once."""
    texts = Texts(zlib.crc32(f"{row.name}-{case.id}".encode()))
    given = {name: texts.of(value) for name, value in case.arguments}
    found = {}
    for form in FORMS:
        arguments = _arguments(row, given, form)
        if arguments is not None:
            code = f"{HEAD}y = tf.{row.name}({arguments})\n"
            found.setdefault(code, Program(f"{row.name}-{case.id}-{form}", code, texts.arrays))
    return list(found.values())


def _arguments(row, given, form):
    parameters = [p for p in signature(row.params) if not (p.keyword_only or p.variadic)]
    names = [p.name for p in parameters]
    others = [name for name in given if name not in names]
    by_keyword = {"positional": [], "keywords": names, "mixed": names[1:]}[form]
    last = max((names.index(n) for n in given if n in names and n not in by_keyword), default=-1)
    positional = [given.get(p.name, p.default) for p in parameters[: last + 1]]
    if None in positional:
        return None
    rest = [n for n in (*names[last + 1 :], *others) if n in given]
    return ", ".join([*positional, *(f"{n}={given[n]}" for n in rest)])
