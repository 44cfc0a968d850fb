"""What the rewriter writes exists: every function of `shims`, every dtype, every signature."""

import builtins
import functools
import importlib
import inspect

import pytest

from tf2jax_port.rewrite.knowledge import constructs
from tf2jax_port.rewrite.knowledge.bind import signature
from tf2jax_port.rewrite.knowledge.known import facade, rows
from tf2jax_port.rewrite.writing.spelling import MODULES
from tf2jax_port.rewrite.writing.template import parse_template
from tf2jax_port.table import CONSTRUCTS, ROWS, Native, keras_ops, numbers, surroundings
from tf2jax_port.table import constructs as rows_of_constructs

FACADES = sorted({name for row in rows().values() if (name := facade(row))})
EXPRESSIONS = sorted({r.target.expression for r in rows().values() if isinstance(r.target, Native)})


def resolved(dotted):
    """The object of a dotted name; submodules are imported on the way."""
    if "()." in dotted:  # a method of what a function gives
        maker, _, method = dotted.partition("().")
        return getattr(resolved(maker)(), method)
    parts = dotted.split(".")
    found = importlib.import_module(parts[0])
    for index, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            importlib.import_module(".".join(parts[:index]))
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", FACADES)
def test_facades_exist(name):
    resolved(name)


def test_aliases_exist_in_the_facade_too():
    missing = []
    for row in ROWS:
        for alias in row.aliases if facade(row) else ():
            try:
                resolved(f"shims.{alias}")
            except (AttributeError, ImportError):
                missing.append(alias)
    assert missing == []


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_read_only_modules_that_are_imported(expression):
    assert parse_template(expression).names <= {*MODULES, *dir(builtins)}


def test_names_of_constructs_are_no_rows():
    in_table = {name for row in ROWS for name in row.names}
    assert [n for row in CONSTRUCTS for n in row.names if n in in_table] == []


@pytest.mark.parametrize(
    "facts",
    [
        keras_ops.OPERATORS,
        numbers.ALWAYS,
        numbers.BY_DEFAULT,
        numbers.DTYPE_POSITIONS,
        numbers.PASSED,
        {*numbers.OF_OTHER_NUMBERS},
    ],
)
def test_facts_of_operators_are_of_rows(facts):
    assert [name for name in facts if name not in rows()] == []


def test_where_numbers_are_found_is_said_of_operators_that_pass_them_on():
    assert {*numbers.FIRST_PASSED, *numbers.ADAPTING} <= {*numbers.PASSED}


CALLED = [
    row.name
    for row in (*rows_of_constructs.ROWS, *surroundings.ROWS)
    if row.params is not None and not row.name.startswith("v1.") and row.name != "name_scope"
]


@pytest.mark.parametrize("name", CALLED)
def test_signatures_of_constructs_are_tensorflows(name):
    import tensorflow as tf

    row = rows()[name]
    named = functools.reduce(getattr, name.split("."), tf)
    theirs = inspect.signature(named.__init__ if inspect.isclass(named) else named).parameters
    theirs = [n for n, p in theirs.items() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    gone = {"self", *(old for old, _ in row.renames)}  # old keywords that TensorFlow still takes
    assert [p.name for p in signature(row.params)] == [p for p in theirs if p not in gone]


@pytest.mark.parametrize("name", [n for n in CALLED if facade(rows()[n])])
def test_shims_take_what_is_passed_on(name):
    row = rows()[name]
    ours = set(inspect.signature(resolved(facade(row))).parameters)
    passed_on = {p.name for p in signature(row.params)} - set(constructs.without_place(row))
    assert passed_on <= ours


@pytest.mark.parametrize("attribute", rows_of_constructs.DTYPE_ATTRIBUTES)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "uint16"])
def test_attributes_of_dtypes(dtype, attribute):
    import jax.numpy as jnp
    import tensorflow as tf

    theirs = getattr(getattr(tf, dtype), attribute)
    ours = eval(constructs.dtype_attribute(f"jnp.{dtype}", attribute), {"jnp": jnp})
    assert ours == theirs


def test_a_dtype_without_limits_has_no_attribute():
    assert constructs.dtype_attribute("jnp.bool_", "max") is None
    assert constructs.dtype_attribute("jnp.float32", "is_floating") is None
    assert constructs.dtype_attribute("None", "max") is None
