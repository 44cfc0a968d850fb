"""Some facts of Python and JAX are read in one module each, and no other module reads them."""

import ast
import pathlib

from tests.meta import tree


def attributes(text):
    """The attributes that a file reads by their name, also with `getattr` and `hasattr`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("getattr", "hasattr")
            and isinstance(node.args[1], ast.Constant)
        ):
            yield node.args[1].value


def keywords(text):
    """The names of keyword arguments in calls."""
    nodes = ast.walk(ast.parse(text))
    return [k.arg for n in nodes if isinstance(n, ast.Call) for k in n.keywords]


def readers(sources, *names):
    """The files that read or pass something of these names."""
    return sorted(
        str(path)
        for path, text in sources.items()
        if set(names) & {*attributes(text), *keywords(text)}
    )


def test_the_equations_of_jaxprs():
    assert readers(tree.package_sources(), "eqns") == ["shims/_src/platform/jaxprs.py"]


def test_the_rules_can_fail():
    for text in ("x.eqns", "hasattr(x, 'eqns')", "x.replace(eqns=[])"):
        assert readers({pathlib.Path("a.py"): text}, "eqns") == ["a.py"]
