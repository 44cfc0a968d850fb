"""Draw programs of ordinary Python and `jax.numpy` over selections: guards, branches, loops, handlers around steps.

A program is text. Where `shims` traces it, sizes are unknown; where Python runs it over concrete arrays, it
is its own reference. The grammar knows three kinds of names: vectors (`v0`), numbers (`a0`: arrays without
axes) and sizes (`n0`: integers). A step may need some elements; guards before it are as right or as wrong as
users write them, since both runs must agree on errors, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable

VECTORS = (
    "{v}[{v} > {c}]",
    "{v}[{v} < {a}]",
    "{v}[1:]",
    "{v}[:-1]",
    "{v}[::-1]",
    "{v}[:{n}]",
    "{v}[{n}:]",
    "{v}[: {v}.shape[0] // 2]",
    "{v}[::2]",
    "{v} * {c}",
    "{v} + {a}",
    "{v} - {v}.mean()",
    "{v} / {n}",
    "jnp.sort({v})",
    "{v}[jnp.argsort(-{v})]",
    "jnp.cumsum({v})",
    "jnp.diff({v})",
    "jnp.append({v}, {a})",
    "jnp.where({v} > {a}, {v}, {c})",
    "jnp.maximum({v}, {a})",
    "jnp.clip({v}, -1, 2)",
    "jnp.roll({v}, {n})",
    "jnp.pad({v}, (1, 0))",
    "jnp.flip({v})",
    "jnp.abs({v})",
    "jnp.exp(-{v} * {v})",
    "jax.nn.softmax({v})",
    "jax.nn.relu({v})",
    "jnp.ones({n}) * {a}",
    "jnp.arange({n}) * {c}",
    "jnp.linspace(0.0, {a}, {n})",
    "jnp.full({n}, {a})",
    "jnp.zeros_like({v}) + {a}",
    "{v}.at[0].set({a})",
    "{v}.at[-1].add({c})",
    "{v}.at[{v} > {c}].set({c})",
    "jnp.outer({v}, {v}).sum(0)",
    "({v}[:, None] - {w}[None, :]).max(1)",
    "jnp.unique(jnp.round({v}))",
    "{v}[jnp.nonzero({v} > {c})[0]]",
    "jnp.take({v}, jnp.argsort({v}))",
    "jax.vmap(lambda e: e * {a})({v})",
    "jax.lax.map(lambda e: e + {c}, {v})",
    "jax.lax.scan(lambda s, e: (s + e, s * e), {a}, {v})[1]",
    "jnp.stack([{a}, {b}])",
    "jnp.convolve({v}, jnp.ones(2), mode='same')",
    "jnp.interp({v}, jnp.array([-1.0, 1.0]), jnp.array([0.0, 2.0]))",
    "{v}.reshape(-1, 1)[:, 0]",
    "{v}[: {v}.shape[0] // 2 * 2].reshape(-1, 2).sum(1)",
    "jax.ops.segment_sum({v}, jnp.arange({v}.shape[0]) // 2, 3)",
    "jnp.delete({v}, 0)",
    "jax.lax.top_k({v}, 2)[0]",
    "jax.lax.rev({v}, (0,))",
    "jax.lax.dynamic_slice({v}, [0], [2])",
    "jax.lax.cumsum({v})",
    "jnp.array([e * 2 for e in {v}])",
)
NUMBERS = (
    "{v}.sum()",
    "{v}.mean()",
    "{v}.max()",
    "{v}.min()",
    "{v}.prod()",
    "{v}[0]",
    "{v}[-1]",
    "{v}[1]",
    "{v}[{n}]",
    "{v}[{n} - 1]",
    "{v}[jnp.argmax({v})]",
    "{v}[{v}.shape[0] // 2]",
    "jnp.sum({v} * {v})",
    "jnp.var({v})",
    "jnp.std({v})",
    "jnp.median({v})",
    "jnp.linalg.norm({v})",
    "jnp.dot({v}, {v})",
    "jnp.float32({n})",
    "jnp.sum({v}) / {n}",
    "{a} * {n}",
    "{a} + {b}",
    "{a} * {c}",
    "jnp.where({n} > 1, {a}, {b})",
    "jnp.where({v}.sum() > {c}, {a}, {b})",
    "jnp.minimum({a}, {b})",
    "jnp.ptp({v})",
    "jnp.quantile({v}, 0.25)",
    "1.0 * jnp.argmin({v})",
    "1.0 * jnp.count_nonzero({v} > {c})",
    "1.0 * jnp.any({v} > {a})",
    "jax.scipy.special.logsumexp({v})",
    "jnp.max({v}, initial={c})",
    "jnp.mean({v}, where={v} > {c})",
    "jnp.trapezoid({v})",
    "jax.lax.fori_loop(0, {n}, lambda i, s: s + {a}, {b})",
    "jax.lax.fori_loop(0, {v}.shape[0], lambda i, s: s + {v}[i], {a})",
    "jax.lax.scan(lambda s, e: (0.5 * s + e, None), {a}, {v})[0]",
    "jax.lax.cond({q}, lambda: {a}, lambda: {b})",
    "jax.lax.while_loop(lambda s: s < 3.0, lambda s: s + {n} + 1.0, {c})",
    "({a} if {q} else {b})",
    "({v}[0] if {v}.shape[0] else {a})",
    "({v}.max() if len({v}) > 0 else {c})",
    "sum({v})",
    "max({a}, {b})",
    "first({v}, {a})",
    "mean_or({v}, {a})",
)
SIZES = (
    "{v}.shape[0]",
    "len({v})",
    "{v}.size",
    "{n} // 2",
    "{n} + 1",
    "{n} % 3",
    "{n} * 2",
    "min({n}, 2)",
    "max({n}, 1)",
    "abs({n} - 2)",
    "({n} if {q} else 1)",
    "({n} or 2)",
    "({n} and 3)",
    "max({n} - 1, 0)",
    "divmod({n}, 2)[1]",
    "int({n} / 2)",
)
QUESTIONS = (
    "{n} > 1",
    "{n} == 0",
    "{n} >= {m}",
    "{n} % 2 == 0",
    "{n} == 1",
    "{v}.shape[0] > 0",
    "len({v})",
    "not {n}",
    "0 < {n} < 3",
    "{v}.size != 2",
)
QUESTIONS_OF_DATA = (
    "{a} > {c}",
    "{v}.sum() > {a}",
    "jnp.any({v} > {c})",
    "jnp.all({v} < 2.5)",
    "{v}.shape[0] > 0 and {v}[0] > {c}",
    "{v}.shape[0] == 0 or {v}[-1] < {c}",
    "{n} > 1 and {v}[1] > {v}[0]",
    "{n} > 0 and {a} / {n} > {c}",
)
HEAD = """
def first(v, otherwise):
    if v.shape[0] == 0:
        return otherwise
    return v[0]


def mean_or(v, otherwise):
    return v.sum() / v.shape[0] if v.shape[0] else otherwise

"""
LEAST, MOST = 2, 4
DEEPEST = 2


class Drawing:
    """A program while it is drawn: its lines, and the names that can be read at the place reached."""

    def __init__(self, seed: int):
        self.chance = random.Random(seed)
        self.lines: list[str] = []
        self.vectors, self.numbers, self.sizes = ["v0", "v1"], ["a0"], ["n0"]
        self.count = 2
        self.in_loop = False

    def filled(self, templates: tuple[str, ...]) -> str:
        """Return one of the templates with names of the scope in its places."""
        chance = self.chance
        template = chance.choice(templates)
        question = self.question() if "{q}" in template else ""
        return template.format(
            v=chance.choice(self.vectors),
            w=chance.choice(self.vectors),
            a=chance.choice(self.numbers),
            b=chance.choice(self.numbers),
            n=chance.choice(self.sizes),
            m=chance.choice([*self.sizes, "1", "2"]),
            c=chance.choice(["0.5", "1.0", "-1.0", "2.0"]),
            q=question,
        )

    def question(self) -> str:
        """Return a condition, of sizes more often than of data."""
        one = self.filled(QUESTIONS if self.chance.random() < 0.7 else QUESTIONS_OF_DATA)
        if self.chance.random() < 0.2:
            other = self.filled(QUESTIONS)
            return f"({one}) {self.chance.choice(['and', 'or'])} ({other})"
        return one

    def write(self, depth: int, text: str) -> None:
        """Append a line."""
        self.lines.append("    " * (depth + 1) + text)

    def assign(self, depth: int, *, old: bool = False) -> None:
        """Write an assignment; with `old`, to a name that exists already."""
        kind = self.chance.choices(["vectors", "numbers", "sizes"], [5, 5, 3])[0]
        names = getattr(self, kind)
        templates = {"vectors": VECTORS, "numbers": NUMBERS, "sizes": SIZES}[kind]
        value = self.filled(templates)
        if old or self.chance.random() < 0.25:
            name = self.chance.choice(names)
        else:
            name = f"{names[0][0]}{self.count}"
            self.count += 1
        self.write(depth, f"{name} = {value}")
        if name not in names:
            names.append(name)

    def block(self, depth: int, *, old: bool, least: int = 1) -> None:
        """Write statements whose new names are forgotten afterwards."""
        kept = (list(self.vectors), list(self.numbers), list(self.sizes))
        for _ in range(self.chance.randint(least, 2)):
            self.statement(depth, old=old)
        self.vectors, self.numbers, self.sizes = kept

    def statement(self, depth: int, *, old: bool = False) -> None:
        """Write a statement."""
        forms: list[tuple[Callable[..., None], int]] = [(self.assign, 6)]
        if depth < DEEPEST:
            forms += [(self.branch, 2), (self.loop, 1), (self.handler, 1), (self.guard, 1)]
        form = self.chance.choices([f for f, _ in forms], [w for _, w in forms])[0]
        form(depth, old=old) if form == self.assign else form(depth)

    def branch(self, depth: int) -> None:
        """Write an `if` whose branches assign to names that exist."""
        self.write(depth, f"if {self.question()}:")
        self.block(depth + 1, old=True)
        if self.chance.random() < 0.2:
            self.write(depth, f"elif {self.question()}:")
            self.block(depth + 1, old=True)
        if self.chance.random() < 0.6:
            self.write(depth, "else:")
            self.block(depth + 1, old=True)

    def guard(self, depth: int) -> None:
        """Write an early return, an error, an assertion, `break` or `continue`."""
        question = self.question()
        forms = [f"return {self.result()}", f"return {self.result()}", "raise ValueError('no')"]
        if self.in_loop:
            forms += ["break", "continue", "break"]
        if self.chance.random() < 0.1:
            self.write(depth, f"assert {question}")
            return
        self.write(depth, f"if {question}:")
        self.write(depth + 1, self.chance.choice(forms))

    def loop(self, depth: int) -> None:
        """Write a `for` or `while` whose body assigns to names that exist."""
        name = f"i{self.count}"
        self.count += 1
        chance = self.chance
        form = chance.choice(["for size", "for elements", "while", "for few", "enumerate"])
        vector = chance.choice(self.vectors)
        number = chance.choice(self.numbers)
        inside, self.in_loop = self.in_loop, True
        if form == "for size":
            self.write(depth, f"for {name} in range({chance.choice(self.sizes)}):")
            self.write(depth + 1, f"{number} = {number} * 0.5 + {name}")
        elif form == "for elements":
            self.write(depth, f"for {name} in {vector}:")
            self.write(depth + 1, f"{number} = {number} * 0.5 + {name}")
        elif form == "enumerate":
            self.write(depth, f"for {name}, e{name} in enumerate({vector}):")
            self.write(depth + 1, f"{number} = {number} + {name} * e{name}")
        elif form == "while":
            self.write(depth, f"while {vector}.shape[0] > {chance.choice(['0', '1', '2'])}:")
            self.write(depth + 1, f"{number} = {number} + {vector}[0]")
            self.write(depth + 1, f"{vector} = {vector}[1:]")
        else:
            self.write(depth, f"for {name} in range(2):")
        if form == "for few" or (form != "while" and chance.random() < 0.5):
            self.block(depth + 1, old=True)
        self.in_loop = inside

    def handler(self, depth: int) -> None:
        """Write a `try` with a handler."""
        self.write(depth, "try:")
        self.block(depth + 1, old=True)
        error = self.chance.choice(["ValueError", "IndexError", "Exception", "ZeroDivisionError"])
        self.write(depth, f"except {error}:")
        self.block(depth + 1, old=True)

    def result(self) -> str:
        """Return an expression for a number."""
        return self.filled(
            ("{a}", "{v}.sum()", "{a} + {v}.sum() + {n}", "{a} * {n}", "jnp.float32({n})")
        )


def program(seed: int, name: str = "program") -> str:
    """Return the text of a function `name(x, y)` of two vectors that gives a number."""
    drawing = Drawing(seed)
    chance = drawing.chance
    drawing.write(0, chance.choice(["v0 = x[x > 0]", "v0 = x[x > y]", "v0 = x[jnp.abs(x) > 1.5]"]))
    drawing.write(0, chance.choice(["v1 = y[y > 0]", "v1 = x[x < 0]", "v1 = x", "v1 = v0[v0 > 1]"]))
    drawing.write(0, chance.choice(["a0 = x.sum()", "a0 = jnp.float32(0.5)", "a0 = v0.sum()"]))
    drawing.write(0, chance.choice(["n0 = v0.shape[0]", "n0 = v1.shape[0]", "n0 = len(v0)"]))
    for _ in range(chance.randint(LEAST, MOST)):
        drawing.statement(0)
    names = [*drawing.numbers[-2:], f"{drawing.vectors[-1]}.sum()"]
    drawing.write(0, f"return {' + '.join(names)} + {drawing.sizes[-1]}")
    return "\n".join([f"def {name}(x, y):", *drawing.lines, ""])
