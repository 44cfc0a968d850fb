"""The table itself: names, parameters and aliases are TensorFlow's, every row can be tested."""

import ast
import importlib
import inspect
import operator
import re
import types

import pytest
import tensorflow as tf

from tests.meta import tree
from tf2jax_port import table
from tf2jax_port.diff.parity import original_side
from tf2jax_port.table import Native, Row, Shim, UnknownNameError
from tools.generate_facades import NAMESPACES

from . import cases

OPERATORS = [pytest.param(row, id=row.name) for row in cases.operators()]
ALL = [pytest.param(row, id=row.name) for row in table.ROWS]
# They take or give something else than arrays: tests/random and the tests of dtypes are about them.
OF_OBJECTS = (
    *("as_dtype", "random.Generator", "random.create_rng_state", "random.set_seed"),
    *("random.get_global_generator", "random.set_global_generator"),
    *("zeros_initializer", "ones_initializer", "constant_initializer"),
    *("random_uniform_initializer", "random_normal_initializer"),
)
# Where TensorFlow's API has names that the table speaks of.
PLACES = ("", *NAMESPACES)


def parameters(row) -> ast.arguments:
    return ast.parse(f"def f({row.params}): pass").body[0].args


def test_find_takes_names_and_aliases():
    assert table.find("reduce_sum") is table.find("math.reduce_sum")
    assert table.find("math.log1p").name == "math.log1p"


def test_an_unknown_name_raises_with_the_nearest_ones():
    with pytest.raises(UnknownNameError) as raised:
        table.find("reduce_sun")
    assert str(raised.value) == (
        "The table has no row for `reduce_sun`. Nearest: `reduce_sum`, `reduce_min`, `reduce_any`."
    )
    with pytest.raises(UnknownNameError) as raised:
        table.find("qqqqqq")
    assert str(raised.value) == "The table has no row for `qqqqqq`."


def test_two_rows_cannot_have_one_name():
    rows = (Row("a", "x", Native("f({x})"), aliases=("b",)), Row("b", "x", Native("g({x})")))
    with pytest.raises(ValueError, match=r"^Two rows have the name `b`: `a` and `b`\.$"):
        table.by_name(rows)


@pytest.mark.parametrize("row", OPERATORS)
def test_parameters_are_those_of_tensorflow(row):
    live = inspect.signature(original_side.function_of(row))
    ours = parameters(row)
    written = [a.arg for a in ours.args]
    variadic = [a.arg for a in (ours.vararg, ours.kwarg) if a]
    assert written + variadic == list(live.parameters)
    defaults = dict(zip(written[len(written) - len(ours.defaults) :], ours.defaults, strict=True))
    for name, parameter in live.parameters.items():
        if parameter.default is inspect.Parameter.empty:
            assert name not in defaults
        else:
            assert eval(ast.unparse(defaults[name]), {"tf": tf}) == parameter.default, name


@pytest.mark.parametrize("row", ALL)
def test_aliases_are_the_other_names_of_the_object(row):
    thing = original_side.function_of(row)
    if thing is None:
        return
    names = set()
    for namespace in PLACES:
        if namespace.startswith("v1") is not row.name.startswith("v1."):
            continue
        root = tf.compat if namespace.startswith("v1") else tf
        module = operator.attrgetter(namespace)(root) if namespace else root
        for name in dir(module):
            found = getattr(module, name)
            if found is thing and not isinstance(found, types.ModuleType):
                names.add(f"{namespace}.{name}" if namespace else name)
    assert set(row.names) == names


@pytest.mark.parametrize("row", OPERATORS)
def test_cases_have_names_of_their_own_and_known_parameters(row):
    if row.name in OF_OBJECTS:
        return
    if row.tests:
        assert not row.inputs
        assert any((tree.ROOT / row.tests).glob("test_*.py"))
        return
    ids = [case.id for case in row.inputs]
    assert len(ids) >= 3
    assert len(set(ids)) == len(ids)
    ours = parameters(row)
    known = {a.arg for a in (*ours.args, *filter(None, [ours.vararg]))}
    for case in row.inputs:
        names = [name for name, _ in case.arguments]
        assert ours.kwarg or set(names) <= known, case.id


@pytest.mark.parametrize("row", ALL)
def test_own_functions_exist(row):
    if row.own:
        module, _, function = row.own.partition(":")
        assert hasattr(importlib.import_module(f"shims._src.{module}"), function)


@pytest.mark.parametrize("row", OPERATORS)
def test_targets(row):
    if isinstance(row.target, Shim):
        assert row.target.function == f"shims.{row.name}"
        assert row.own
        return
    names = [a.arg for a in parameters(row).args]
    fields = row.target.fields
    assert fields
    assert set(fields) <= set(names)
    assert set(row.target.optional) <= set(fields)
    assert {name for name, _ in row.target.defaults} <= set(fields)
    assert set(row.target.needs) <= set(fields)
    ast.parse(row.target.expression.replace("{", "").replace("}", ""), mode="eval")
    for name in row.target.optional:
        assert re.search(rf"(, |\w=)\{{{name}\}}", row.target.expression), name


@pytest.mark.parametrize("row", OPERATORS)
def test_words_about_differences(row):
    assert row.xla == "same" or row.xla.startswith(("differs: ", "unsupported: "))
    for case in row.inputs:
        assert not case.differs or case.differs.startswith(("value: ", "gradient: "))
        assert not (case.differs and case.raises)
        assert not case.xla or case.xla.startswith(("differs: ", "unsupported: ", "crashes: "))
