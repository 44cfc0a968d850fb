"""Imports read from the text: nothing that Python's own parser finds is missing."""

import ast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tf2jax_port.files.import_text import imports_in

PIECES = (
    "import a\n",
    "import a.b as c, d\n",
    "from e import f\n",
    "from . import g as h\n",
    "from ..i.j import (\n    k,  # import nothing\n    l as m,\n)\n",
    "from n import o; import p\n",
    "from q \\\n  import r\n",
    "import \\\n  s\n",
    "if t: import u\n",
    "import v  # from w import x\n",
    "y = 'import z'\n",
    "important = fromage = 1\n",
    "from aa import *\n",
    "def bb():\n    import cc\n    from dd import ee, ff\n",
)


def found(text):
    return {(each.path, each.name, each.bound) for each in imports_in(text.encode())}


def expected(text):
    """What the tree of a program imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, "", alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            path = "." * node.level + (node.module or "")
            for alias in node.names:
                yield path, alias.name, alias.asname or alias.name


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
@example("".join(PIECES))
@example("".join(PIECES).rstrip("\n"))
def test_no_import_is_missing(text):
    assert set(expected(text)) <= found(text)


@pytest.mark.parametrize("text", ["important = 1\n", "fromage = 1\n", "self.import_(a)\n", ""])
def test_other_words_are_no_imports(text):
    assert found(text) == set()
