"""Programs with one call of a row's operator, in every form in which a person may write it."""

import dataclasses

import numpy as np

from tests.table import cases
from tf2jax_port.rewrite.knowledge.bind import signature

FORMS = ("positional", "keywords", "mixed")
BY_KEYWORD = ("raw_ops.",)  # these take no positional arguments
HEAD = "import tensorflow as tf\n\n"
_DTYPES = ("dtype", "out_type", "output_type", "out_idx", "dtype_hint", "index_type", "type_value")


@dataclasses.dataclass(frozen=True)
class Program:
    """The source text of one form of a case's call, and the arrays that it reads by name."""

    form: str
    code: str
    arrays: dict


class Texts:
    """Turns argument values into source text; arrays become names."""

    def __init__(self):
        self.arrays = {}

    def of(self, name, value):
        """The text of one argument."""
        if isinstance(value, np.ndarray):
            self.arrays[f"a{len(self.arrays)}"] = value
            return f"a{len(self.arrays) - 1}"
        if isinstance(value, tuple) and any(isinstance(v, (np.ndarray, list)) for v in value):
            value = list(value)  # several arrays, which TensorFlow takes as a list
        if isinstance(value, list):
            return "[" + ", ".join(self.of(name, v) for v in value) + "]"
        if isinstance(value, tuple):
            return "(" + "".join(f"{self.of(name, v)}, " for v in value) + ")"
        if name in _DTYPES and isinstance(value, str):
            return f"tf.{value}"
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        return repr(value)


def programs(point):
    """The case's call in each form; forms that come out alike are given once."""
    texts = Texts()
    given = {name: texts.of(name, value) for name, value in cases.arguments(point).items()}
    found = {}
    forms = ("keywords",) if point.row.name.startswith(BY_KEYWORD) else FORMS
    for form in forms:
        arguments = _arguments(point.row, given, form)
        if arguments is not None:
            code = f"{HEAD}y = {_spelled(point.row.name)}({arguments})\n"
            found.setdefault(code, Program(form, code, texts.arrays))
    return list(found.values())


def _spelled(name):
    """The operator as a program writes it."""
    return f"tf.compat.{name}" if name.startswith("v1.") else f"tf.{name}"


def _arguments(row, given, form):
    """The text between the parentheses, `None` where the form is not possible."""
    parameters = signature(row.params)
    plain = [p for p in parameters if not (p.keyword_only or p.variadic)]
    names = [p.name for p in plain]
    variadic = next((p.name for p in parameters if p.variadic), "")
    by_keyword = {"positional": [], "keywords": names, "mixed": names[1:]}[form]
    placed = [n for n in names if n in given and n not in by_keyword]
    last = names.index(placed[-1]) if placed else -1
    positional = [given.get(p.name, p.default) for p in plain[: last + 1]]
    if None in positional or (variadic in given and form != "positional"):
        return None
    if variadic in given:
        positional.append(given[variadic].strip("[]()").rstrip(", "))
    rest = [name for name in given if name not in (*names[: last + 1], variadic)]
    return ", ".join([*positional, *(f"{name}={given[name]}" for name in rest)])
