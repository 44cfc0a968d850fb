"""The walk over a tree: it visits every node that can bind or use a name."""

import ast
import sys

import pytest

from tests.meta.tree import ROOT
from tf2jax_port.rewrite.reading.scopes import resolve_scopes

# Operators and contexts: no names in them.
UNVISITED = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)
NEWER = "type Rows[T: int, *Ts, **P] = list[T]\ndef f[T](x: T) -> T: ...\nclass A[T]: ...\n"
EVERY_PATTERN = """
match value:
    case [1, None, Point(x=0, y=named), {"k": inner, **rest}, *others] if named:
        pass
    case (int() | float()) as number:
        pass
    case _:
        del value
"""


def missed(code):
    parsed = ast.parse(code)
    names = resolve_scopes(parsed)
    nodes = {n for n in ast.walk(parsed) if not isinstance(n, UNVISITED)}
    return nodes - names.parents.keys() - {parsed}, set(names.parents) - nodes


@pytest.mark.parametrize("folder", ["tf2jax_port/rewrite", "tests/rewrite", "tests/autograph"])
def test_every_node_has_its_parent(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert len(files) > 5
    for file in files:
        assert missed(file.read_text()) == (set(), set()), file


def test_every_pattern_is_visited():
    assert missed(EVERY_PATTERN) == (set(), set())
    names = resolve_scopes(ast.parse(EVERY_PATTERN))
    assert {"named", "inner", "rest", "others", "number"} <= names.module.bindings.keys()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters_are_visited():
    assert missed(NEWER) == (set(), set())


def test_uses_are_every_name_that_is_read():
    code = "a = b.c[d](e, *f, g=h)\nlambda i=j: k\n[x for x in y if z]\n"
    names = resolve_scopes(ast.parse(code))
    assert {name.id for name, _ in names.uses} == {*"bdefhjkxyz"}
