"""Generate small programs that use a size as a number, from lists of sizes, operands and expressions.

Each program is ordinary Python that also runs on concrete arrays, where a size is an `int`; that run is the
reference.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

SIZES = {
    "input": "x.shape[0]",
    "fresh": "y.shape[0]",
    "sum": "x.shape[0] + y.shape[0]",
    "difference": "y.shape[0] - 2",
    "product": "2 * y.shape[0]",
}
# Sizes that are numbers in a trace of known shapes.
STATIC = ("input",)

OPERANDS = {
    "int": "2",
    "zero": "0",
    "negative": "-3",
    "float": "2.5",
    "half": "0.5",
    "bool": "True",
    "complex": "1j",
    "none": "None",
    "text": "'a'",
    "numpy int32": "np.int32(3)",
    "numpy int64": "np.int64(2)",
    "numpy int16": "np.int16(3)",
    "numpy float32": "np.float32(1.5)",
    "numpy bool": "np.bool_(True)",
    "numpy 0-d": "np.array(3)",
    "numpy 1-d": "np.array([1, 2, 3])",
    "numpy floats": "np.array([0.5, 2.0, 3.0], np.float32)",
    "array": "jnp.array([1, 2, 3])",
    "array 0-d": "jnp.array(3)",
    "traced int": "k",
    "traced float": "v[1]",
    "traced bool": "v[0] > 1",
    "traced vector": "v",
    "traced ints": "jnp.arange(3) * k",
    "input size": "x.shape[0]",
    "fresh size": "y.shape[0]",
    "other size": "x[x > 1].shape[0]",
}
_SYMBOLS = (
    *("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^"),
    *("==", "!=", "<", "<=", ">", ">=", "and", "or"),
)
_FUNCTIONS = ("divmod", "min", "max", "pow", "math.gcd", "math.atan2", "jnp.maximum", "np.minimum")
_CHOICES = (
    "({a} if {a} > 1 else {b})",
    "({b} if {a} else {a})",
    "(0 < {a} <= {b})",
    "({a} in ({b}, 5))",
    "jnp.where({a} == {b}, 1.0, 2.0)",
    "jnp.where({a} > {b}, {a}, {b})",
    "jnp.sum({a} != {b})",
)

_ONE_SIZE = {
    "arithmetic": (
        *("+n", "-n", "~n", "abs(n)", "abs(-n)", "round(n)", "round(n, 1)", "round(n / 3)"),
        *("n ** 2", "n ** -1", "n ** 0.5", "2 ** n", "0.5 ** n", "(-2) ** n", "pow(n, 2, 3)"),
        *("n // 2", "n // -2", "-n // 2", "n % -3", "-n % 3", "divmod(n, 2)", "divmod(7, n + 8)"),
        *("(n + 1) / (n + 8)", "n / 2", "7 // (n + 8)", "7 % (n + 8)", "n * n", "n * n // 2"),
        *("sum([n, 1, n])", "sum((n, 0.5))", "min(n, 3)", "max(n, 3)", "min([n, 2])"),
        *("max(n, 2.5)", "min(n, n + 1, 7)", "max((1, n), key=lambda t: -t)", "sorted([n, 3])"),
        *("functools.reduce(operator.mul, [n, 2])", "any([n, 0])", "all([n, 1])"),
        *("n.bit_length()", "n.real", "n.numerator", "jnp.sum(v) / (n or 1)", "(n or 1) + 0.5"),
        *("(n and 3)", "(not n)", "(not not n) * 1.0", "(jnp.sum(y > 1) or 1)", "(n > 1 or n < 1)"),
    ),
    "conversion": (
        *("int(n)", "float(n)", "bool(n)", "complex(n)", "operator.index(n)", "int(n / 2)"),
        *("isinstance(n, int)", "isinstance(n, numbers.Integral)", "isinstance(n, (float, int))"),
        *("isinstance(n, float)", "isinstance(n, numbers.Number)", "isinstance(n, str)"),
        *("type(n) is int", "type(n)(3)", "n is None", "callable(n)"),
        *("jnp.asarray(n)", "jnp.array(n)", "jnp.float32(n)", "jnp.int32(n)", "jnp.bool_(n)"),
        *("jnp.array([n, 2])", "jnp.array([n, 2.5])", "jnp.asarray((n, n))", "jnp.stack([n, 2])"),
        *("jnp.asarray(n, jnp.float32)", "jnp.array([[n, 1], [2, n]])", "jnp.asarray(n > 1)"),
        *("np.asarray(n)", "np.array(n)", "np.float32(n)", "np.int32(n)", "np.array([n, 2])"),
        *("jnp.asarray(np.array([n, 2]))", "np.array([n, 2]) * k", "jnp.asarray(x.shape)"),
        *("len(str(n)) > 0", "len(repr(n)) > 0", "len(f'{n}') > 0", "len(f'{n:>4}') > 3"),
        *("len('%s' % n) > 0", "len('%d' % n) > 0", "len('{}'.format(n)) > 0", "len(f'{n:d}') > 0"),
        *(
            "len(str(n))",
            "len(repr(n))",
            "len(f'{n}')",
            "len(f'{n} of {n:>4}')",
            "len('%s, %d' % (n, n))",
        ),
        *(
            "int(str(n))",
            "str(n) == '3'",
            "{'3': 1, '6': 2}.get(str(n), 3)",
            "len(' '.join([str(n), 'a']))",
        ),
        *("len(str(y.shape))", "len(bin(n))", "len(format(n, '03d'))", "decimal.Decimal(n) > 2"),
    ),
    "modules": (
        *("math.sqrt(abs(n))", "math.log(n + 8)", "math.ceil(n / 2)", "math.floor(n / 2)"),
        *("math.exp(n)", "math.prod(x.shape)", "math.prod((n, 2))", "math.gcd(n, 4)"),
        *("math.isqrt(n * n)", "math.comb(n + 8, 2)", "math.factorial(3)", "math.fabs(n)"),
        *("math.log2(n + 8)", "math.pow(n, 2)", "math.isnan(n)", "math.ceil(n)", "math.trunc(n)"),
        *("math.log1p(n + 4)", "math.hypot(n, 3)", "math.cos(n)", "math.copysign(1.0, n)"),
        *("np.prod(x.shape)", "np.sqrt(n * n)", "np.log(n + 8)", "np.sum([n, 1])", "np.abs(n)"),
        *("np.maximum(n, 2)", "np.mean([n, 2])", "np.cumsum([n, 1])", "np.ceil(n / 2)"),
        *("np.floor(n / 2)", "np.clip(n, 1, 3)", "np.where(n > 1, 1, 2)", "np.isscalar(n)"),
        *("jnp.prod(jnp.array(x.shape))", "jnp.log(n + 8)", "jnp.clip(n, 1, 3)", "jnp.sqrt(n * n)"),
        *(
            "jnp.minimum(n, 2)",
            "jnp.abs(-n)",
            "statistics.mean([n, 2])",
            "statistics.fmean([n, 2])",
        ),
        *("fractions.Fraction(n, 3) > 0", "operator.add(n, 1)", "operator.lt(n, 3)"),
        *("operator.truth(n)", "operator.mul(2, n)", "operator.floordiv(n, 2)"),
    ),
    "arrays": (
        *("jnp.zeros(abs(n)).sum()", "jnp.ones((abs(n), 2)).sum()", "jnp.arange(n)"),
        *("lax.full((abs(n),), 1.0).sum()", "jnp.full(abs(n), 2).sum()", "jnp.eye(abs(n)).sum()"),
        *("jnp.linspace(0.0, 1.0, abs(n) + 2).sum()", "x[:n].sum()", "x[n:].sum()", "x[-n:].sum()"),
        *("x[::2][:n].sum()", "jnp.arange(12)[n]", "jnp.arange(12)[n - 1]", "v * n", "v + n"),
        *("n * v", "v / (n + 8)", "v[n % 3]", "v.at[n % 3].set(9.0)", "jnp.roll(v, n)"),
        *("lax.dynamic_slice(v, (n % 2,), (1,))", "jax.nn.one_hot(n, 8)", "jnp.take(v, n % 3)"),
        *(
            "jnp.pad(v, (0, abs(n))).sum()",
            "jnp.pad(v, [[abs(n), 1]]).sum()",
            "jnp.tile(v, abs(n))",
        ),
        *("jnp.repeat(v, abs(n)).sum()", "jnp.broadcast_to(v, (abs(n), 3)).sum()"),
        *(
            "lax.select(n > 1, v, -v)",
            "lax.clamp(1, n, 3)",
            "jnp.power(n, 2)",
            "jnp.bitwise_and(n, 3)",
        ),
        *(
            "jnp.concatenate([v, jnp.zeros(abs(n))]).sum()",
            "jnp.full((3,), n)",
            "jnp.zeros(3).at[0].add(n)",
            "np.arange(abs(n))",
            "np.zeros(abs(n)).size",
            "np.tri(abs(n)).sum()",
            "y * np.arange(y.shape[0])",
        ),
    ),
    "control": (
        *(
            "lax.cond(n > 1, lambda: 1.0, lambda: 2.0)",
            "lax.cond(n == 3, lambda t: t, lambda t: -t, v)",
        ),
        *(
            "lax.switch(n, [lambda: 1.0, lambda: 2.0, lambda: 3.0])",
            "lax.cond(n, lambda: 1, lambda: 2)",
        ),
        *(
            "lax.fori_loop(0, n, lambda i, c: c + i, 0)",
            "lax.fori_loop(0, 3, lambda i, c: c + n, 0)",
        ),
        *("lax.while_loop(lambda c: c < n, lambda c: c + 1, 0)", "(n > 2) * 2.0", "(n > 2) + 1"),
        *("lax.while_loop(lambda c: n > c, lambda c: c + 2, 0)", "(n == 3) & (n > 1)"),
        *("lax.scan(lambda c, t: (c + n, t), 0, v)[0]", "jnp.where(n > 1, v, 0.0)"),
        *(
            "[1.0, 2.0][n > 1]",
            "{True: 1, False: 2}[n > 1]",
            "[1, 2, 3, 4, 5, 6, 7][n]",
            "v[n > 2]",
        ),
        *("{6: 1, 3: 2}.get(n, 7)", "{n: 5}[n]", "n in {1: 0, 3: 0}", "n in {1, 3}", "n in [1, 3]"),
        *(
            "jnp.where(jnp.array([n > 1, n > 2]), 1, 0)",
            "(n > 1).astype(jnp.float32) if n is None else 1.0",
        ),
        *(
            "len([0] * n)",
            "len(range(n))",
            "sum(range(n))",
            "sum(i for i in range(n))",
            "len('a' * n)",
        ),
        *(
            "[i for i, _ in enumerate(range(n))]",
            "list(range(n))",
            "tuple(zip(range(n), range(2)))",
        ),
        *(
            "len(set([n, 3]))",
            "len(frozenset([n, 3]) | {3})",
            "len(dict.fromkeys([n, 3]))",
            "len(collections.Counter([n, 3, n]))",
            "len({3, 7} - {n})",
            "{k: 1 for k in (n, 3)}.get(3)",
            "hash(n) == hash(3)",
        ),
        *(
            "sum(i * i for i in reversed(range(n)))",
            "list(range(n)[::-1])",
            "len(range(n)[1:])",
            "range(abs(n) + 1)[-1]",
            "2 in range(n)",
            "sorted(range(n), reverse=True)",
            "[1, 2, 3, 4][:n]",
            "len(list(itertools.islice(range(9), abs(n))))",
        ),
        *(
            "(3,) * 2 == (n,) * 2",
            "max(range(n), default=0)",
            "n == n",
            "n != n",
            "n is n",
            "1 < n < 4",
        ),
        *(
            "1 < n < 4 < 9",
            "n == 3 or n == 6",
            "n and k",
            "k and n",
            "k or n",
            "(n > 1) and 5",
            "None or n",
        ),
        *(
            "n if n > 2 else 2.5",
            "n if k > 1 else 7",
            "1 if n else 2",
            "v if n else -v",
            "y if n else y",
        ),
        *("shims.where(n > 1, 1.0, 2.0)", "shims.cond(n > 1, lambda: 1.0, lambda: 2.0)"),
        *(
            "shims.minimum(2, n)",
            "shims.maximum(n, 2)",
            "shims.cast(n / 2, shims.int32)",
            "shims.zeros([n * n])",
        ),
        *(
            "shims.range(n * n)",
            "shims.add(n, 1)",
            "shims.equal(n, 3)",
            "shims.constant(n)",
            "shims.stack([n, 1])",
        ),
        *("shims.fill([2], n)", "shims.one_hot(n, 8)", "shims.less(n, k)", "shims.pow(n, 2)"),
    ),
}

_STATEMENTS = {
    "if": "r = 1.0\nif n > 2:\n    r = 2.0",
    "if equal": "r = 1.0\nif n == 3:\n    r = 2.0\nelif n == 6:\n    r = 3.0",
    "if truth": "r = 1.0\nif n:\n    r = 2.0",
    "if not": "r = 1.0\nif not n:\n    r = 2.0",
    "if and": "r = 1.0\nif n > 1 and k > 1:\n    r = 2.0",
    "if array": "r = 1.0\nif n == k:\n    r = 2.0",
    "while": "r = 0\nwhile r < n:\n    r = r + 2",
    "while size": "r, m = 0, n\nwhile m > 1:\n    m = m - 2\n    r = r + 1",
    "for": "r = 0.0\nfor i in range(n):\n    r = r + i",
    "for two": "r = 0\nfor i in range(1, n, 2):\n    r = r + i",
    "raise": "r = v\nif n > 100:\n    raise ValueError('too many')",
    "assert": "assert n < 100\nr = n",
    "match": "r = 0\nmatch n:\n    case 3:\n        r = 1\n    case int():\n        r = 2",
    "augmented": "r = n\nr += 2\nr *= 3\nr //= 2",
    "index": "r = [10, 20, 30, 40, 50, 60, 70, 80][n]",
    "dictionary": "d = {3: 1.0, 6: 2.0}\nr = d[n] if n in d else 0.0",
    "list": "r = sum([1] * n)",
    "caught refusal": "try:\n    r = jnp.linspace(0.0, 1.0, abs(n)).reshape(2, -1).sum()\nexcept Exception:\n    r = -1.0",
    "caught lookup": "try:\n    r = [1.0, 2.0, 3.0][n]\nexcept IndexError:\n    r = 5.0",
    "caught all": "try:\n    r = sum([k for i in range(n)])\nexcept:\n    r = -1",
    "caught own": "try:\n    r = v / {3: 2.0}[7]\nexcept KeyError:\n    r = v * n",
    "for reversed": "r = 0.0\nfor i in reversed(range(n)):\n    r = r * 0.5 + i",
    "for enumerate": "r = 0.0\nfor i, j in enumerate(range(n)):\n    r = r * 0.5 + i * j",
    "for zip": "r = 0.0\nfor i, j in zip(range(n), range(n)):\n    r = r * 0.5 + i * j",
    "for backwards": "r = 0.0\nfor i in range(n)[::-1]:\n    r = r * 0.5 + i",
    "print": "print(n, f'{n:>3}', end='')\nr = n",
    "recursion": "def half(m):\n    if m <= 1:\n        return 1\n    return half(m // 2) + 1\nr = half(n)",
    "halves": "def tree(z):\n    if z.shape[0] <= 1:\n        return z.sum()\n    h = z.shape[0] // 2\n    return tree(z[:h]) * 2 + tree(z[h:])\nr = tree(y) * n",
    "doubling": "r = 1\nwhile r < n * 1000:\n    r = r * 2",
    "match class": "match n:\n    case 3:\n        r = 1\n    case str():\n        r = 2\n    case int():\n        r = 3\n    case _:\n        r = 4",
    "unpack": "a, b = divmod(n, 2)\nr = a * 10 + b",
}


@dataclasses.dataclass(frozen=True)
class Case:
    """A program: the kind of its size, a group for the page, and the source of its body."""

    size: str
    group: str
    shown: str
    body: str


def _expressions() -> Iterator[tuple[str, str, str]]:
    """Yield `(group, shown, body)` of every program, with `n` for the size."""
    for symbol, (kind, text) in itertools.product(_SYMBOLS, OPERANDS.items()):
        for a, b in (("n", "o"), ("o", "n")):
            yield "binary", f"{a} {symbol} {b}, o: {kind}", f"o = {text}\nr = {a} {symbol} {b}"
    for name, (kind, text) in itertools.product(_FUNCTIONS, OPERANDS.items()):
        for a, b in (("n", "o"), ("o", "n")):
            yield "functions", f"{name}({a}, {b}), o: {kind}", f"o = {text}\nr = {name}({a}, {b})"
    for form, (kind, text) in itertools.product(_CHOICES, OPERANDS.items()):
        for a, b in (("n", "o"), ("o", "n")):
            shown = form.format(a=a, b=b)
            yield "choices", f"{shown}, o: {kind}", f"o = {text}\nr = {shown}"
    for group, expressions in _ONE_SIZE.items():
        for expression in expressions:
            yield group, expression, f"r = {expression}"
    for name, body in _STATEMENTS.items():
        yield "statements", name, body


# What an operator does with another operand depends on the size only in being known or not.
_OF_TWO_OPERANDS = ("binary", "functions", "choices")
_WITH_OPERANDS = ("input", "fresh")


def cases() -> list[Case]:
    """Return every program."""
    return [
        Case(size, group, shown, f"n = {text}\n{body}")
        for size, text in SIZES.items()
        for group, shown, body in _expressions()
        if group not in _OF_TWO_OPERANDS or size in _WITH_OPERANDS
    ]


_HEADER = """
import collections, decimal, fractions, functools, itertools, math, numbers, operator, statistics
import jax, jax.numpy as jnp, numpy as np
from jax import lax
import shims
"""


def source(programs: list[Case]) -> str:
    """Return a module that defines the programs as `program_0`, `program_1`, ..."""
    parts = [_HEADER]
    for number, case in enumerate(programs):
        body = "\n".join(f"    {line}" for line in case.body.split("\n"))
        parts.append(f"def program_{number}(x, k, v):\n    y = x[x > 0]\n{body}\n    return r\n\n")
    return "\n".join(parts)
