"""Structures are taken apart and put together as TensorFlow does it."""

import collections
import inspect

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from shims import nest

Point = collections.namedtuple("Point", ["y", "x"])
Other = collections.namedtuple("Other", ["y", "x"])
Twin = collections.namedtuple("Point", ["y", "x"])

STRUCTURES = {
    "element": 5,
    "none": None,
    "text": "abc",
    "list": [1, [2, (3,)], []],
    "tuple": (1, (2, 3)),
    "dict": {"b": 1, "a": [2, {"z": 3, "c": 4}]},
    "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
    "default": collections.defaultdict(list, {"b": 1, "a": 2}),
    "namedtuple": Point(1, [2, Point(3, 4)]),
    "nones": [None, {"a": None}],
    "numbers": {2: "b", 1: "a"},
    "array": [np.arange(3)],
    "set": [{1, 2}],
    "empty": {},
    "view": {"b": 1, "a": 2}.values(),
}
PAIRS = {
    "equal": ([1, (2,)], [3, (4,)]),
    "elements": (1, 2),
    "list-tuple": ([1, 2], (1, 2)),
    "deep-list-tuple": ([[1], 2], [(1,), 2]),
    "lengths": ([1, 2], [1, 2, 3]),
    "nesting": ([1, [2]], [[1], 2]),
    "element-list": (1, [1]),
    "list-element": ([1, 2], 3),
    "keys": ({"a": 1}, {"b": 1}),
    "dicts": ({"a": 1, "b": 2}, collections.OrderedDict(b=2, a=1)),
    "namedtuples": (Point(1, 2), Other(1, 2)),
    "twins": (Point(1, 2), Twin(1, 2)),
    "namedtuple-tuple": (Point(1, 2), (1, 2)),
    "dict-list": ({"a": 1}, [1]),
    "empty": ([], ()),
    "none": (None, 1),
}


def outcome(function, *args, **kwargs):
    """What a call gives, or the class of its error."""
    try:
        result = function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - the class is compared
        return type(error)
    return repr(result)


@pytest.mark.symbols("nest.{name}", lanes=("eager",))
@pytest.mark.parametrize("name", ["flatten", "is_nested"])
@pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)
def test_apart(name, structure):
    assert outcome(getattr(nest, name), structure) == outcome(getattr(tf.nest, name), structure)


@pytest.mark.symbols("nest.pack_sequence_as", lanes=("eager",))
@pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)
@pytest.mark.parametrize("more", [0, 1])
def test_together(structure, more):
    elements = [f"e{i}" for i in range(len(tf.nest.flatten(structure)) + more)]
    wanted = outcome(tf.nest.pack_sequence_as, structure, elements)
    assert outcome(nest.pack_sequence_as, structure, elements) == wanted
    if not more:
        assert isinstance(wanted, str)


def test_together_of_something_else():
    assert outcome(nest.pack_sequence_as, [1], 5) is TypeError
    assert outcome(tf.nest.pack_sequence_as, [1], 5) is TypeError


@pytest.mark.symbols("nest.map_structure", lanes=("eager",))
@pytest.mark.parametrize("structure", STRUCTURES.values(), ids=STRUCTURES)
def test_mapped(structure):
    wanted = outcome(tf.nest.map_structure, lambda x: [x], structure)
    assert outcome(nest.map_structure, lambda x: [x], structure) == wanted


@pytest.mark.parametrize("check_types", [True, False])
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.symbols("nest.{name}", lanes=("eager",))
@pytest.mark.parametrize("name", ["assert_same_structure", "map_structure"])
def test_alike(name, pair, check_types):
    args = pair if name == "assert_same_structure" else (lambda *x: x, *pair)
    wanted = outcome(getattr(tf.nest, name), *args, check_types=check_types)
    assert outcome(getattr(nest, name), *args, check_types=check_types) == wanted


@pytest.mark.parametrize(
    "call",
    [
        lambda n: n.map_structure(3, [1]),
        lambda n: n.map_structure(len),
        lambda n: n.map_structure(len, [1], other=2),
        lambda n: n.flatten({1: 2, "a": 3}),
    ],
)
def test_what_is_refused(call):
    wanted = outcome(call, tf.nest)
    assert isinstance(wanted, type)
    assert outcome(call, nest) is wanted


def test_composites_are_elements_unless_asked_for():
    padded = shims.Padded.pad(np.ones(2, np.float32), 4)
    assert nest.flatten([padded]) == [padded]
    assert len(nest.flatten([padded], expand_composites=True)) == len(jax.tree.leaves(padded))
    doubled = nest.map_structure(lambda x: x * 2, {"a": padded}, expand_composites=True)["a"]
    assert doubled.sizes[0] == 2
    nest.assert_same_structure([padded], [doubled], expand_composites=True)
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        nest.assert_same_structure([padded], [1], expand_composites=True)


def test_arrays_under_a_trace():
    @shims.function
    def f(x):
        return nest.map_structure(lambda a: a + 1, {"a": x, "b": (x, None)}["b"][0])

    assert f(np.float32(1)) == 2


@pytest.mark.parametrize("name", nest.__all__)
def test_signatures(name):
    live, mine = (inspect.signature(getattr(n, name)).parameters for n in (tf.nest, nest))
    assert [(p.name, p.kind, p.default) for p in mine.values()] == [
        (p.name, p.kind, p.default) for p in live.values()
    ]
