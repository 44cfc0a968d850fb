"""Make the arguments and objects of a port that a recorded call needs."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.encoding import Node, decode, nodes_in

Leaf = Callable[[Node], Any]


class Builder:
    """Makes values of the port of nodes.

    Args:
      array: gives the NumPy array of a node.
    """

    def __init__(self, array: Callable[[Node], np.ndarray]) -> None:
        self._array = array
        self._made: dict[int, tuple[Node, Any]] = {}  # objects with variables, by node

    def value(self, node: Node, tensor: Leaf) -> Any:
        """Return the value of a node; `tensor` makes its tensors."""

        def leaf(part: Node) -> Any:
            if id(part) in self._made:
                return self._made[id(part)][1]
            if part["kind"] in ("tensor", "numpy"):
                return tensor(part) if part["kind"] == "tensor" else self._array(part)
            if part["kind"] == "object":
                return self._object(part, leaf)
            return _MAKERS[part["kind"]](part, lambda inner: decode(inner, leaf))

        return decode(node, leaf)

    def make_objects(self, nodes: list[Node], tensor: Leaf) -> None:
        """Make variables, and objects that have some or are made of no tensors, once, outside of any trace."""
        for node in nodes:
            for part in reversed(nodes_in(node)):  # an object after its parts
                if "state" in part or part["kind"] == "variable" or _is_plain_object(part):
                    self._made[id(part)] = part, self.value(part, tensor)

    def lacks_variables(self) -> bool:
        """Return whether an object that was made has not all of its variables yet."""
        return any(
            len(variables_of(made)) < len(node.get("state", ()))
            for node, made in self._made.values()
        )

    def is_unbuilt(self) -> bool:
        """Return whether a layer that is made was not built, and its original was: calling it builds it."""
        return any(
            node.get("attributes", {}).get("built") is True
            and getattr(made, "built", True) is False
            for node, made in self._made.values()
        )

    def counts(self) -> tuple[int, int]:
        """Return how many variables all objects have, and how many those of the original have."""
        made = [(made, node["state"]) for node, made in self._made.values() if "state" in node]
        return sum(len(variables_of(m)) for m, _ in made), sum(len(state) for _, state in made)

    def set_states(self) -> None:
        """Give the variables of all objects their recorded values.

        Raises:
          ValueError: an object has other variables than the original.
        """
        for node, made in self._made.values():
            if "state" not in node:
                continue
            wanted = self._shapes(node)
            variables = variables_of(made, wanted)
            found = [tuple(v.shape) for v in variables]
            if found != wanted:
                raise ValueError(
                    f"the variables of {node['name']} have other shapes: {wanted} became {found}"
                )
            for variable, value in zip(variables, node["state"], strict=True):
                variable.assign(self._array(value))

    def state_of(self, node: Node, made: Any) -> list[Any]:
        """Return the values of the variables of an object, in the order in which its original has them."""
        return [value_of(variable) for variable in variables_of(made, self._shapes(node))]

    def variables_of_owner(self, node: Node) -> list[Any]:
        """Return the variables of an object that was made, in the order in which its original has them."""
        return variables_of(self._made[id(node)][1], self._shapes(node))

    def _shapes(self, node: Node) -> list[tuple[int, ...]]:
        return [self._array(variable).shape for variable in node["state"]]

    def every_variable(self) -> list[Any]:
        """Return the variables of all objects, each once, with those that are no weights, such as seeds."""
        found: dict[int, Any] = {}
        for _, made in self._made.values():
            own = [made] if hasattr(made, "assign") else variables_of(made)
            found.update({id(v): v for v in own})
            with contextlib.suppress(Exception):  # it has no more, or has not made them yet
                found.update({id(v): v for v in made.variables if hasattr(v, "assign")})
        return list(found.values())

    @staticmethod
    def _object(node: Node, leaf: Leaf) -> Any:
        args, kwargs, *held = (decode(item, leaf) for item in node["items"])
        if kwargs.get("reduction") == "auto":  # `Reduction.AUTO` of Keras 2
            kwargs["reduction"] = "sum_over_batch_size"
        kwargs.pop("batch_input_shape", None)  # of Keras 2, for the first layer of a model
        made = place(node)(*args, **kwargs)
        for name, value in held[0].items() if held else ():
            with contextlib.suppress(Exception):  # as below
                if _is_empty(getattr(made, name, None)):
                    setattr(made, name, value)
        for name, value in node.get("attributes", {}).items():
            with contextlib.suppress(Exception):  # what an object computes, it does not let set
                if not hasattr(made, name):
                    setattr(made, name, value)
        return made


def variables_of(value: Any, shapes: list[tuple[int, ...]] | None = None) -> list[Any]:
    """Return the variables of an object of a port, in the order in which its original has them.

    Args:
      value: the object.
      shapes: the shapes of the original's variables, if they are known.
    """
    import shims

    with contextlib.suppress(Exception):
        weights = getattr(value, "weights", None)
        if isinstance(weights, list | tuple):
            return _as_in_keras_2(value, list(weights), shapes or [])
    if isinstance(value, shims.Module):
        with contextlib.suppress(Exception):  # it has not made its variables yet
            return list(value.variables)
        return []
    return [v for v in getattr(value, "__dict__", {}).values() if isinstance(v, shims.Variable)]


def _as_in_keras_2(layer: Any, weights: list[Any], shapes: list[tuple[int, ...]]) -> list[Any]:
    """Return the weights of a layer in the order of Keras 2, which has those that are not trained at the end."""
    keras: Any = importlib.import_module("keras")
    last = sorted(weights, key=lambda weight: not weight.trainable)
    fits = [tuple(weight.shape) for weight in last] == shapes
    return last if fits and not isinstance(layer, keras.Model) else weights


def value_of(variable: Any) -> Any:
    """Return the value of a variable of `shims` or of Keras."""
    import shims

    return variable.read_value() if isinstance(variable, shims.Variable) else variable.value


def _is_empty(value: Any) -> bool:
    """Return whether an attribute has no value yet, which earlier calls have given it in the original."""
    return value is None or (isinstance(value, list | dict | np.ndarray) and not len(value))


def _is_plain_object(node: Node) -> bool:
    """Return whether a node is an object whose constructor takes no tensors."""
    if node["kind"] != "object":
        return False
    return all(part["kind"] != "tensor" for item in node["items"][:2] for part in nodes_in(item))


def place(node: Node) -> Any:
    """Return the function or class of the port that a node names."""
    found: Any = importlib.import_module(str(node["module"]))
    for part in str(node["name"]).split("."):
        found = getattr(found, part)
    return found


def bound(call_name: str, module: str, owner: Any) -> Any:
    """Return a method as the class that it was recorded of defines it, also where a subclass overrides it."""
    outer, _, method = call_name.rpartition(".")
    defining = place({"module": module, "name": outer})
    if isinstance(owner, type):
        return getattr(owner, method)
    private = method.startswith("__") and not method.endswith("__")
    name = f"_{outer.rpartition('.')[2].lstrip('_')}{method}" if private else method
    kept = inspect.getattr_static(defining, name)
    return kept.__get__(owner, type(owner))


def dtype(name: str) -> Any:
    """Return the dtype of a port by its name."""
    import jax.numpy as jnp

    import shims

    return shims.string if name == "string" else getattr(jnp, "bool_" if name == "bool" else name)


def _of_tensorflow(node: Node, inner: Callable[[Node], Any]) -> Any:
    """Return the function of `shims` that has the name of one of TensorFlow."""
    import shims

    del inner
    found: Any = shims
    for part in str(node["name"]).split("."):
        found = getattr(found, part)
    return found


def _of_keras(node: Node, inner: Callable[[Node], Any]) -> Any:
    keras: Any = importlib.import_module("keras")
    room, _, name = str(node["name"]).partition(".")
    found = getattr(getattr(keras, room), name)
    if "items" not in node:
        return found
    config = inner(node["items"][0])
    return found.from_config(config) if room == "layers" else found(**config)


def _variable(node: Node, inner: Callable[[Node], Any]) -> Any:
    import shims

    return shims.Variable(
        inner(node["items"][0]), trainable=node["trainable"], name=node.get("name")
    )


def _ragged(node: Node, inner: Callable[[Node], Any]) -> Any:
    import shims

    values, *splits = map(inner, node["items"])
    return shims.RaggedTensor.from_nested_row_splits(values, splits)


def _sparse(node: Node, inner: Callable[[Node], Any]) -> Any:
    import shims

    return shims.SparseTensor(*map(inner, node["items"]))


def _spec(node: Node, inner: Callable[[Node], Any]) -> Any:
    import shims

    return shims.TensorSpec(*map(inner, node["items"]))


_MAKERS: dict[str, Callable[[Node, Callable[[Node], Any]], Any]] = {
    "dtype": lambda node, inner: dtype(node["name"]),
    "place": lambda node, inner: place(node),
    "member": lambda node, inner: place(node)[node["member"]],
    "record": lambda node, inner: place(node)(*map(inner, node["items"])),
    "method": lambda node, inner: getattr(inner(node["items"][0]), node["name"]),
    "tensorflow": _of_tensorflow,
    "keras": _of_keras,
    "variable": _variable,
    "ragged": _ragged,
    "sparse": _sparse,
    "spec": _spec,
}
