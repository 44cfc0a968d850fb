"""Create the arguments and objects of a port that a recorded call needs."""

from __future__ import annotations

import contextlib
import functools
import importlib
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.closures import function_at
from tf2jax_port.diff.code_bases.encoding import Node, UnfitError, decode, nodes_in
from tf2jax_port.diff.code_bases.port_objects import place, value_of, variables_of
from tf2jax_port.diff.code_bases.restoring import Restored, keras_variable

Leaf = Callable[[Node], Any]


class Builder:
    """Makes values of the port from nodes.

    Args:
      array: gives the NumPy array of a node.
      nodes: the nodes of the values.
      restores: whether objects are restored from what the original's objects held, and not made by
        their constructors.
    """

    def __init__(
        self, array: Callable[[Node], np.ndarray], nodes: list[Node], *, restores: bool = False
    ) -> None:
        self._array = array
        self._nodes = nodes
        self._made: dict[int, tuple[Node, Any]] = {}  # objects with variables, by node
        self._definitions = {
            part["number"]: part
            for node in nodes
            for part in nodes_in(node)
            if part["kind"] == "object" and "number" in part
        }
        self._outside: set[int] | None = None  # the objects that are made outside of any trace
        self.restored = Restored(self._assign, self._definitions) if restores else None

    def value(self, node: Node, tensor: Leaf) -> Any:
        """Return the value of a node; `tensor` makes its tensors."""

        def leaf(part: Node) -> Any:
            if id(part) in self._made:
                return self._made[id(part)][1]
            if part["kind"] in ("tensor", "numpy"):
                return tensor(part) if part["kind"] == "tensor" else self._array(part)
            if part["kind"] == "object":
                return self._object(part, leaf)
            if part["kind"] == "same":
                return self._same(part, leaf)
            if part["kind"] == "variable" and self.restored:
                return self.restored.variable(part, lambda: self._variable(part))
            return _MAKERS[part["kind"]](part, lambda inner: decode(inner, leaf))

        return decode(node, leaf)

    def make_objects(self, tensor: Leaf) -> None:
        """Make variables, and objects that have variables or are made without tensors, once, outside of any trace."""
        for node in self._nodes:
            if self.restored:
                for part in _restorable(node):
                    if part["kind"] == "variable" or (
                        part["kind"] == "object" and _is_outside(part)
                    ):
                        self._made[id(part)] = part, self.value(part, tensor)
                continue
            for part in reversed(nodes_in(node, ("items",))):  # an object after its parts
                if "state" in part or part["kind"] == "variable" or _is_plain_object(part):
                    self._made[id(part)] = part, self.value(part, tensor)
        if self.restored:
            self._outside = set(self.restored.objects)

    def begin(self) -> None:
        """Forget the objects that were restored inside of an earlier trace."""
        if self.restored and self._outside is not None:
            for number in {*self.restored.objects} - self._outside:
                del self.restored.objects[number]

    def lacks_variables(self) -> bool:
        """Return whether an object that was made lacks some of its variables."""
        return any(
            len(variables_of(made)) < len(node.get("state", ()))
            for node, made in self._made.values()
        )

    def is_unbuilt(self) -> bool:
        """Return whether a layer is not built yet although its original was built; a call builds it."""
        return any(
            node.get("built") is True and getattr(made, "built", True) is False
            for node, made in self._made.values()
        )

    def variable(self, number: int) -> Any:
        """Return the variable `number`; `None` if it was not made."""
        if self.restored:
            return self.restored.variables.get(number)
        return next((m for n, m in self._made.values() if n.get("number") == number), None)

    def owner(self, node: Node) -> Any:
        """Return the object of a node, which was made."""
        return self._made[id(node)][1]

    def counts(self) -> tuple[int, int]:
        """Return how many variables all objects have, and how many the original's objects have."""
        made = [(made, node["state"]) for node, made in self._made.values() if "state" in node]
        return sum(len(variables_of(m)) for m, _ in made), sum(len(state) for _, state in made)

    def set_states(self) -> None:
        """Give the variables of all objects their recorded values.

        Raises:
          ValueError: the variables of an object differ from the original's.
        """
        if self.restored:
            return
        for node, made in self._made.values():
            if "state" not in node:
                continue
            wanted = self._shapes(node)
            variables = variables_of(made, wanted)
            found = [tuple(v.shape) for v in variables]
            if found != wanted:
                raise ValueError(
                    f"the variables of {node['name']} have the shapes {found}, in the original {wanted}"
                )
            for variable, value in zip(variables, node["state"], strict=True):
                variable.assign(self._array(_array_node(value)))

    def _assign(self, variable: Any, node: Node) -> None:
        variable.assign(self._array(_array_node(node)))

    def _variable(self, node: Node) -> Any:
        """Return a variable of `shims`, or of Keras if a layer has made it."""
        if node["weight"]:
            made = keras_variable(node)
            self._assign(made, node)
            return made
        return _variable(node, lambda part: self._array(part))

    def _same(self, node: Node, leaf: Leaf) -> Any:
        if self.restored:
            return self.restored.same(node, lambda part: decode(part, leaf))
        definition = self._definitions.get(node["number"])
        if definition is None:
            raise UnfitError("an object whose definition was not recorded")
        return leaf(definition)

    def state_of(self, node: Node, made: Any) -> list[Any]:
        """Return the values of the variables of an object, in the order in which its original has them."""
        if self.restored:
            known = self.restored.variables
            if all(part["number"] in known for part in node["state"]):
                return [value_of(known[part["number"]]) for part in node["state"]]
        return [value_of(variable) for variable in variables_of(made, self._shapes(node))]

    def variables_of_owner(self, node: Node) -> list[Any]:
        """Return the variables of an object that was made, in the order in which its original has them."""
        if self.restored:
            return [self.restored.variables[part["number"]] for part in node["state"]]
        return variables_of(self._made[id(node)][1], self._shapes(node))

    def _shapes(self, node: Node) -> list[tuple[int, ...]]:
        return [self._array(_array_node(variable)).shape for variable in node["state"]]

    def every_variable(self) -> list[Any]:
        """Return the variables of all objects, each once, including variables that are not weights, such as seeds."""
        found: dict[int, Any] = {}
        for _, made in self._made.values():
            own = [made] if hasattr(made, "assign") else variables_of(made)
            found.update({id(v): v for v in own})
            with contextlib.suppress(Exception):  # it has no more, or has not made them yet
                found.update({id(v): v for v in made.variables if hasattr(v, "assign")})
        if self.restored:
            found.update({id(v): v for v in self.restored.variables.values()})
        return list(found.values())

    def _object(self, node: Node, leaf: Leaf) -> Any:
        if self.restored:
            return self.restored.object(node, lambda part: decode(part, leaf))
        if "base" in node and "items" not in node and "unmade" not in node:  # of Keras itself
            return Restored(self._assign, {}).object(node, lambda part: decode(part, leaf))
        if "items" not in node:
            raise UnfitError(f"object created from {node['unmade']}")
        args, kwargs = (decode(item, leaf) for item in node["items"])
        if kwargs.get("reduction") == "auto":  # `Reduction.AUTO` of Keras 2
            kwargs["reduction"] = "sum_over_batch_size"
        kwargs.pop("batch_input_shape", None)  # of Keras 2, for the first layer of a model
        made = place(node)(*args, **kwargs)
        for name, part in node.get("fields", {}).items():
            with contextlib.suppress(Exception):  # what an object computes, it does not let set
                if part["kind"] in ("closure", "object", "same", "variable"):
                    continue
                if part["kind"] == "plain":
                    if not hasattr(made, name):
                        setattr(made, name, part["value"])
                elif not _holds_variables(part) and _is_empty(getattr(made, name, None)):
                    setattr(made, name, decode(part, leaf))
        return made


def _holds_variables(node: Node) -> bool:
    return any(part["kind"] in ("variable", "object", "same") for part in nodes_in(node))


def _array_node(node: Node) -> Node:
    """Return the node of the array of a variable."""
    found: Node = node["items"][0] if "items" in node else node
    return found


def _restorable(node: Node) -> list[Node]:
    """Return a node and the restored nodes below it, without arguments of constructors."""
    parts = ("fields", "about") if node["kind"] == "object" else ("items", "fields", "about")
    inner: list[Node] = []
    for part in parts:
        items = node.get(part, ())
        inner += items.values() if isinstance(items, dict) else items
    return [node, *(found for item in inner for found in _restorable(item))]


def _is_outside(node: Node) -> bool:
    """Return whether an object is restored outside of any trace: it has variables, or no tensors."""
    kinds = {part["kind"] for part in _restorable(node)}
    return "state" in node or "variable" in kinds or "tensor" not in kinds or "base" in node


def _is_empty(value: Any) -> bool:
    """Return whether an attribute is still unset, although earlier calls of the original set it."""
    return value is None or (isinstance(value, list | dict | np.ndarray) and not len(value))


def _is_plain_object(node: Node) -> bool:
    """Return whether a node is an object whose constructor takes no tensors."""
    if node["kind"] != "object":
        return False
    made_of = node.get("items", ())
    return all(part["kind"] != "tensor" for item in made_of for part in nodes_in(item))


def dtype(name: str) -> Any:
    """Return the dtype of a port by its name."""
    import jax.numpy as jnp

    import shims

    return shims.string if name == "string" else getattr(jnp, "bool_" if name == "bool" else name)


def _of_tensorflow(node: Node, inner: Callable[[Node], Any]) -> Any:
    """Return the function of `shims` with the same name as a function of TensorFlow."""
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


def _closure(node: Node, inner: Callable[[Node], Any]) -> Any:
    free = {name: inner(part) for name, part in node["fields"].items()}
    try:
        return function_at(
            node["module"], node["name"], node["ordinal"], inner(node["items"][0]), free
        )
    except (LookupError, OSError, SyntaxError) as error:
        raise UnfitError(str(error)) from error


def _partial(node: Node, inner: Callable[[Node], Any]) -> Any:
    function, args, kwargs = map(inner, node["items"])
    return functools.partial(function, *args, **kwargs)


def _compiled(node: Node, inner: Callable[[Node], Any]) -> Any:
    import shims

    function = inner(node["items"][0])
    return function if hasattr(function, "get_concrete_function") else shims.function(function)


_MAKERS: dict[str, Callable[[Node, Callable[[Node], Any]], Any]] = {
    "dtype": lambda node, inner: dtype(node["name"]),
    "place": lambda node, inner: place(node),
    "member": lambda node, inner: place(node)[node["member"]],
    "record": lambda node, inner: place(node)(*map(inner, node["items"])),
    "method": lambda node, inner: getattr(inner(node["items"][0]), node["name"]),
    "tensorflow": _of_tensorflow,
    "closure": _closure,
    "partial": _partial,
    "compiled": _compiled,
    "bytes": lambda node, inner: str(node["value"]).encode("latin-1"),
    "path": lambda node, inner: pathlib.Path(node["value"]),
    "keras": _of_keras,
    "variable": _variable,
    "ragged": _ragged,
    "sparse": _sparse,
    "spec": _spec,
}
