"""Change the text of programs at random, and count what the rewriter makes of them.

A program that Python cannot parse stays as it is, with an error that names a line. One that Python can parse is
rewritten to one that Python can parse, and its second rewriting changes nothing.
"""

from __future__ import annotations

import ast
import collections
import random
import re
import warnings

from tests.meta import tree
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.reading.source import UnreadableError

REFUSED, REWRITTEN, UNCHANGED = "does not parse, and refused", "rewritten", "left as it is"
_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")
_PIECES = (
    *(
        b"(",
        b")",
        b"[",
        b"]",
        b":",
        b",",
        b".",
        b"=",
        b"*",
        b"\\\n",
        b"\n",
        b"\t",
        b"#",
        b'"',
        b"'''",
    ),
    *(
        b"tf.",
        b"tf",
        b"x",
        b"0",
        b"None",
        b"lambda",
        b"await ",
        b"del ",
        b"@",
        b"f'{",
        b"\x00",
        b"\xff",
    ),
)


def corpus() -> list[bytes]:
    """Return the programs of the examples that use TensorFlow."""
    files = sorted((tree.ROOT / "examples").rglob("*.py"))
    return [data for file in files if b"import tensorflow" in (data := file.read_bytes())]


def mutant(program: bytes, other: bytes, rng: random.Random) -> bytes:
    """Return a program in which a few tokens are removed, repeated, exchanged or replaced."""
    tokens, others = _TOKEN.findall(program), _TOKEN.findall(other)
    words = [i for i, token in enumerate(tokens) if token[:1].isalpha()]
    for _ in range(rng.randint(1, 3)):
        way = rng.randrange(8)
        # Exchanged names mostly leave a program that Python can parse.
        at, beside = rng.choices(words if way < 5 else range(len(tokens)), k=2)
        if way < 3:
            tokens[at], tokens[beside] = tokens[beside], tokens[at]
        elif way < 5:
            tokens[at] = rng.choice([token for token in others if token[:1].isalpha()])
        elif way == 5:
            tokens[at] = rng.choice(_PIECES)
        elif way == 6:
            tokens[at] += tokens[beside]
        else:
            start = rng.randrange(len(others))
            tokens[at] = b"".join(others[start : start + rng.randint(0, 12)])
    return b"".join(tokens)


def outcome(program: bytes) -> str:
    """Return what became of one program.

    Raises:
      AssertionError: the result does not parse, or is rewritten to another one.
    """
    parses = _parses(program)
    try:
        done = rewrite(program)
    except UnreadableError:
        assert not parses, "Python can read it"
        return REFUSED
    if done.data == program:
        return UNCHANGED
    assert parses, "Python cannot read it"
    assert _parses(done.data), "the result does not parse"
    assert rewrite(done.data).data == done.data, "a second rewriting changes it"
    return REWRITTEN


def _parses(program: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def counts(count: int, seed: int = 0) -> collections.Counter[str]:
    """Rewrite mutants of the corpus in turn, and count outcomes."""
    rng, programs = random.Random(seed), corpus()
    found = collections.Counter[str]()
    for number in range(count):
        program = mutant(programs[number % len(programs)], rng.choice(programs), rng)
        try:
            found[outcome(program)] += 1
        except Exception as error:
            error.add_note(program.decode(errors="backslashreplace"))
            raise
    return found
