"""Turn arguments and results into plain data, and back into the arguments of a port."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import itertools
import pathlib
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.configurations import configuration

Node = dict[str, Any]
MOST_ELEMENTS = 1 << 21
LARGE = "large array"
SYMBOLIC = "symbolic tensor"  # of a graph that is traced
_KERAS = ("activations", "initializers", "regularizers", "constraints", "losses")
# Whose collections are those of Python, for all that a port sees.
_OF_LIBRARIES = ("builtins", "collections", "tensorflow", "keras", "tf_keras", "wrapt", "types")


# Where a node has other nodes: its items; of an object its variables, its attributes, and what its library says of it.
PARTS = ("items", "state", "fields", "about")


class UnfitError(Exception):
    """Raised for a value that cannot be replayed; the message names its kind."""


class Met:
    """The numbered objects and variables of one call; the nodes of the call refer to them by number.

    Args:
      numbers: gives the next number.
    """

    def __init__(self, numbers: itertools.count[int]) -> None:
        self._numbers = numbers
        self.objects: dict[int, tuple[int, Any]] = {}
        self.variables: dict[int, tuple[Node, Any]] = {}

    def number(self, value: Any) -> int:
        """Number an object, and keep it, so that no other object gets its address."""
        number = next(self._numbers)
        self.objects[id(value)] = number, value
        return number

    def variable(self, value: Any, node: Callable[[], Node]) -> Node:
        """Return the node of a variable, made once."""
        if id(value) not in self.variables:
            made = {**node(), "number": next(self._numbers)}
            self.variables[id(value)] = made, value
        return self.variables[id(value)][0]

    def forget(self, count: int) -> None:
        """Forget all objects after the first `count`, because the node that holds them is not used."""
        for key in list(self.objects)[count:]:
            del self.objects[key]


class Encoder:
    """Turns values into plain data.

    Args:
      arrays: the list to which the arrays of the values are appended.
      of_object: makes the node of an object of another class; it raises `UnfitError` if it cannot.
      met: what other encoders of the same call have met.
    """

    def __init__(
        self,
        arrays: list[np.ndarray],
        of_object: Callable[[Any], Node] | None = None,
        met: Met | None = None,
    ) -> None:
        self.arrays = arrays
        self.met = met or Met(itertools.count())
        self.tensors: list[tuple[Node, Any]] = []  # each tensor once, but those of objects
        self._nodes: dict[int, Node] = {}
        self.of_object = of_object

    def encode(self, value: Any) -> Node:
        """Return plain data for a value.

        Raises:
          UnfitError: the value, or a part of it, cannot be replayed.
        """
        if value is None or (
            isinstance(value, bool | int | float | str) and type(value).__module__ == "builtins"
        ):
            return {"kind": "plain", "value": value}
        if isinstance(value, list | tuple | Mapping) and not self._is_own_collection(value):
            return self._of_collection(value)
        if isinstance(value, np.ndarray | np.generic):
            return self.of_array("numpy", np.array(value))
        if isinstance(value, enum.Enum):
            return {"kind": "member", **_place(type(value)), "member": value.name}
        if isinstance(value, complex | slice | range) or value is Ellipsis:
            return self._of_number(value)
        if type(value) in (set, frozenset):
            items = [self.encode(item) for item in sorted(value, key=repr)]
            return {"kind": type(value).__name__, "items": items}
        if type(value) is bytes:
            return {"kind": "bytes", "value": value.decode("latin-1")}
        if isinstance(value, pathlib.Path):
            return {"kind": "path", "value": str(value)}
        return self._of_tensorflow(value)

    def _is_own_collection(self, value: Any) -> bool:
        """Return whether a collection belongs to a class of the program, and has more state than its items."""
        library = type(value).__module__.partition(".")[0] in _OF_LIBRARIES
        return self.of_object is not None and not library and not hasattr(value, "_fields")

    def _of_collection(self, value: Any) -> Node:
        if type(value) is defaultdict:
            parts = [value.default_factory, dict(value)]
            return {"kind": "defaultdict", "items": [self.encode(part) for part in parts]}
        if isinstance(value, Mapping):
            if all(isinstance(key, str) for key in value):
                return {"kind": "dict", "items": {k: self.encode(v) for k, v in value.items()}}
            return {
                "kind": "pairs",
                "items": [self.encode([key, item]) for key, item in value.items()],
            }
        items = [self.encode(item) for item in value]
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"kind": "record", **_place(type(value)), "items": items}
        return {"kind": "list" if isinstance(value, list) else "tuple", "items": items}

    def _of_number(self, value: Any) -> Node:
        if isinstance(value, complex):
            return {"kind": "complex", "items": [self.encode(value.real), self.encode(value.imag)]}
        if value is Ellipsis:
            return {"kind": "ellipsis"}
        parts = [self.encode(part) for part in (value.start, value.stop, value.step)]
        return {"kind": type(value).__name__, "items": parts}

    def _of_tensorflow(self, value: Any) -> Node:
        """Return plain data for a value of TensorFlow, or for an object of the program."""
        tf: Any = sys.modules.get("tensorflow")
        kind = type(value).__name__
        if tf is None:
            return self._of_program(value)
        if isinstance(value, tf.DType):
            return {"kind": "dtype", "name": value.name}
        if isinstance(value, tf.TensorShape):
            if value.rank is None:
                raise UnfitError(kind)
            return {"kind": "tuple", "items": [self.encode(size) for size in value.as_list()]}
        if isinstance(value, tf.compat.v1.Dimension):
            return {"kind": "plain", "value": value.value}
        if isinstance(value, tf.Tensor):
            if not hasattr(value, "numpy"):
                raise UnfitError(SYMBOLIC)
            return self._of_tensor(value)
        if is_variable(value):
            return self.of_variable(value)
        if isinstance(value, tf.RaggedTensor):
            items = [self.encode(value.flat_values), *map(self.encode, value.nested_row_splits)]
            return {"kind": "ragged", "items": items}
        if isinstance(value, tf.SparseTensor):
            # Its shape is static: a number, never traced.
            parts = (value.indices, value.values, value.dense_shape.numpy())
            return {"kind": "sparse", "items": [self.encode(part) for part in parts]}
        if type(value) is tf.TensorSpec:  # programs have specs of their own
            of_spec = (value.shape, value.dtype, value.name)
            return {"kind": "spec", "items": [self.encode(part) for part in of_spec]}
        return self._of_program(value)

    def of_variable(self, value: Any) -> Node:
        """Return the node of a variable of TensorFlow or Keras."""

        def node() -> Node:
            return {
                "kind": "variable",
                "items": [self.of_array("numpy", np.array(value.numpy()))],
                "trainable": bool(value.trainable),
                "name": value.name.partition(":")[0],
                "shape": [int(size) for size in value.shape],
                "weight": bool(getattr(value, WEIGHT, not hasattr(value, "read_value"))),
            }

        return dict(self.met.variable(value, node))

    def _of_tensor(self, value: Any) -> Node:
        """Return the node of a tensor; a tensor that occurs twice keeps one array, because it has one gradient."""
        if id(value) not in self._nodes:
            node = self.of_array("tensor", np.array(value.numpy()))
            self._nodes[id(value)] = node
            self.tensors.append((node, value))  # which keeps its number from being given to another
        return dict(self._nodes[id(value)])

    def _of_program(self, value: Any) -> Node:
        """Return the node of a function, class or object; only arguments can contain these."""
        of_object = self.of_object
        if of_object is None:
            raise UnfitError("function" if inspect.isroutine(value) else type(value).__name__)
        tf: Any = sys.modules.get("tensorflow")
        named = None if tf is None else self._of_public_name(tf, value)
        return named or of_object(value)

    def _of_public_name(self, tf: Any, value: Any) -> Node | None:
        """Return the node of a function or class of TensorFlow or Keras, or of an object with a configuration."""
        # A class of a program that extends one of TensorFlow inherits its names.
        own = getattr(inspect.unwrap(value), "__dict__", {}) if callable(value) else {}
        names = own.get("_tf_api_names", ())
        if names and (inspect.isfunction(value) or inspect.isclass(value)):
            return {"kind": "tensorflow", "name": names[0]}
        if inspect.ismethod(value):
            owner = self.encode(value.__self__)
            return {"kind": "method", "name": value.__name__, "items": [owner]}
        if isinstance(value, functools.partial):
            parts = (value.func, list(value.args), value.keywords)
            return {"kind": "partial", "items": [self.encode(part) for part in parts]}
        if hasattr(value, "python_function") and hasattr(value, "get_concrete_function"):
            method = getattr(value.python_function, "__wrapped__", None)
            if inspect.ismethod(
                method
            ):  # TensorFlow binds a compiled method to a stand-in of its object
                owner = self.encode(getattr(method.__self__, "target", method.__self__))
                return {"kind": "method", "name": method.__name__, "items": [owner]}
            return {"kind": "compiled", "items": [self.encode(value.python_function)]}
        for room in _KERAS:
            module, own = getattr(tf.keras, room), str(getattr(value, "__name__", ""))
            if getattr(module, own, None) is value:
                return {"kind": "keras", "name": f"{room}.{own}"}
            name = type(value).__name__
            if getattr(module, name, None) is type(value):
                config = self.encode(configuration(value))
                return {"kind": "keras", "name": f"{room}.{name}", "items": [config]}
        return None

    def of_array(self, kind: str, array: np.ndarray) -> Node:
        """Store an array, and return its node."""
        if array.dtype.kind not in "biufc" and array.dtype.name != "bfloat16":
            raise UnfitError(f"array of {array.dtype}")
        if array.size > MOST_ELEMENTS:
            raise UnfitError(LARGE)
        name = array.dtype.name
        self.arrays.append(array.astype(np.float32) if name == "bfloat16" else array)
        return {"kind": kind, "array": len(self.arrays) - 1, "dtype": name}


def is_variable(value: Any) -> bool:
    """Return whether a value is a variable of TensorFlow, or of Keras 3."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None:
        return False
    of_keras = getattr(tf.keras, "Variable", tf.Variable)
    return isinstance(value, tf.Variable | of_keras)


def encode(value: Any, arrays: list[np.ndarray]) -> Node:
    """Return plain data for a value without objects; its arrays are appended to `arrays`."""
    return Encoder(arrays).encode(value)


WEIGHT = "_tf2jax_port_weight"  # the mark of variables that `add_weight` has made


def _place(cls: Any) -> Node:
    """Return the module and the name of a class or function, by which a port has it, too."""
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise UnfitError(f"{cls.__qualname__}, which is not an attribute of its module")
    return {"module": cls.__module__, "name": cls.__qualname__}


def place_of(value: Any) -> Node:
    """Return the node of a function or class of the program."""
    return {"kind": "place", **_place(value)}


def decode(node: Node, leaf: Callable[[Node], Any]) -> Any:
    """Return the value of plain data without objects.

    Args:
      node: what `encode` returned.
      leaf: makes the value of a node of a kind other than numbers, text and collections.
    """
    kind = node["kind"]
    if kind == "plain":
        return node["value"]
    if kind == "ellipsis":
        return Ellipsis
    if kind == "dict":
        return {key: decode(item, leaf) for key, item in node["items"].items()}
    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind]([decode(item, leaf) for item in node["items"]])
    return leaf(node)


_COLLECTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "pairs": dict,
    "complex": lambda parts: complex(*parts),
    "slice": lambda parts: slice(*parts),
    "range": lambda parts: range(*parts),
    "set": set,
    "frozenset": frozenset,
    "defaultdict": lambda parts: defaultdict(*parts),
}


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields from which an object of a dataclass or an `attrs` class is made; `None` for other objects."""
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is None:
        return None
    return {a.name.lstrip("_"): getattr(value, a.name) for a in attributes if a.init}


def nodes_in(node: Node, parts: tuple[str, ...] = PARTS) -> list[Node]:
    """Return a node and all nodes below it, in order."""
    inner: list[Node] = []
    for part in parts:
        items = node.get(part, ())
        inner += items.values() if isinstance(items, dict) else items
    return [node, *(found for item in inner for found in nodes_in(item, parts))]


def leaf_nodes(node: Node) -> list[Node]:
    """Return the nodes without parts, in the order in which results are compared."""
    items = node.get("items")
    if "array" in node or items is None:
        return [node]
    inner = [items[key] for key in sorted(items)] if isinstance(items, dict) else items
    return [leaf for item in inner for leaf in leaf_nodes(item)]


def arrays_in(node: Node) -> list[Node]:
    """Return the nodes of all arrays in plain data, in order."""
    return [found for found in nodes_in(node) if "array" in found]
