"""Remember how the objects of a captured program were made, and the values of their variables."""

from __future__ import annotations

import contextlib
import inspect
import sys
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases.call_file import moved_node
from tf2jax_port.diff.code_bases.encoding import (
    LARGE,
    Encoder,
    Node,
    UnfitError,
    fields_of,
    nodes_in,
    place_of,
)


class Origin(NamedTuple):
    """The arguments of an object's constructor with their arrays, or the reason why they are unknown."""

    owner: Callable[[], Any]
    arguments: Node
    arrays: list[np.ndarray]
    unfit: str = ""


class Seen(NamedTuple):
    """An object in the arguments of a call: its node, and the values of its variables before the call."""

    value: Any
    node: Node
    before: dict[int, Node]


class Objects:
    """The objects of the watched packages.

    Args:
      is_watched: whether the calls of a module are recorded.
    """

    def __init__(self, is_watched: Callable[[str], bool]) -> None:
        self._is_watched = is_watched
        self._origins: dict[int, Origin] = {}

    def note(self, code: CodeType, frame: FrameType) -> None:
        """Remember the arguments of a constructor that has just begun, if it is the first of its object."""
        owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        maker = next((c for c in type(owner).__mro__ if "__init__" in vars(c)), object)
        if (maker.__module__, f"{maker.__qualname__}.__init__") != (
            frame.f_globals["__name__"],
            code.co_qualname,
        ):
            return
        arrays: list[np.ndarray] = []
        try:
            packed, unfit = self.pack(code, frame, 1, Encoder(arrays, self.encode_in(arrays))), ""
        except Exception as error:  # noqa: BLE001, the program must go on whatever its objects do
            packed, unfit = {}, str(error)
        self._origins[id(owner)] = Origin(_reference(owner), packed, arrays, unfit)

    def encode_in(
        self,
        arrays: list[np.ndarray],
        seen: list[Seen] | None = None,
        held: set[int] | None = None,
    ) -> Callable[[Any], Node]:
        """Return a function that makes the node of an object, for an `Encoder` of these arrays.

        Args:
          arrays: the arrays.
          seen: where the objects are added.
          held: where the identities of the tensors are added that objects hold.
        """

        def encode(value: Any) -> Node:
            if inspect.isfunction(value) or inspect.isclass(value):
                if self._is_watched(value.__module__):
                    return place_of(value)
                raise UnfitError("function or class of another package")
            encoder = Encoder(arrays, encode)
            node = {
                **place_of(type(value)),
                "kind": "object",
                "items": [*self._made_of(value, encoder), *_held_by(value, encoder, held)],
                "attributes": _plain_attributes(value),
            }
            variables = variables_of(value)
            before = {id(v): encoder.of_array("numpy", np.array(v.numpy())) for v in variables}
            if variables:
                node["state"] = list(before.values())
            if seen is not None:
                seen.append(Seen(value, node, before))
            return node

        return encode

    def _made_of(self, value: Any, encoder: Encoder) -> list[Node]:
        """Return the positional and keyword arguments that make an equal object."""
        if not self._is_watched(type(value).__module__):
            raise UnfitError(f"object of another package: {type(value).__name__}")
        origin = self._origins.get(id(value))
        if origin is not None and origin.owner() is value:
            if origin.unfit:
                inner = origin.unfit.removeprefix("object made of ")
                raise UnfitError(f"object made of {inner}")
            by = len(encoder.arrays)
            encoder.arrays.extend(origin.arrays)
            return list(moved_node(origin.arguments, by)["items"])
        fields = fields_of(value)
        if fields is None and type(value).__init__ is object.__init__:
            fields = {}
        if fields is None:
            raise UnfitError("object of unknown origin")
        return [encoder.encode([]), encoder.encode(fields)]

    def pack(self, code: CodeType, frame: FrameType, skip: int, encoder: Encoder) -> Node:
        """Return the arguments of a call that has just begun: a list of the positional ones and those by name."""
        names, values = code.co_varnames, frame.f_locals
        rest = code.co_argcount + code.co_kwonlyargcount
        # Keras wants the arguments of constructors and layers by name, all but the inputs.
        by_name = {"__init__": skip, "call": skip + 1}.get(code.co_name, code.co_argcount)
        first = code.co_argcount if code.co_flags & inspect.CO_VARARGS else by_name
        first = max(first, code.co_posonlyargcount)
        args = [values[name] for name in names[skip:first]]
        kwargs = {name: values[name] for name in names[first:rest]}
        if code.co_flags & inspect.CO_VARARGS:
            args += values[names[rest]]
            rest += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            kwargs.update(values[names[rest]])
        return {"kind": "list", "items": [encoder.encode(args), encoder.encode(kwargs)]}


def _plain_attributes(value: Any) -> dict[str, Any]:
    """Return the attributes that are numbers, text or `None`, some of which earlier calls have set."""
    found = getattr(value, "__dict__", {})
    return {
        key: item
        for key, item in found.items()
        if isinstance(item, bool | int | float | str | None)
    }


def _held_by(value: Any, encoder: Encoder, known: set[int] | None) -> list[Node]:
    """Return the node of the attributes with tensors, dtypes or lists of them, which earlier calls may have set."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None:
        return []
    # Layers have dtypes of their own, which Keras 3 may lack: what needs them must fail.
    kinds = (tf.Tensor,) if hasattr(value, "add_weight") else (tf.Tensor, tf.DType)
    held: dict[str, Node] = {}
    for key, item in getattr(value, "__dict__", {}).items():
        filled = type(item) in (list, dict, np.ndarray) and len(item)
        if isinstance(item, kinds) or filled:
            inner = Encoder(encoder.arrays)
            try:
                node = inner.encode(item)
            except UnfitError as error:
                if str(error) == LARGE:  # without which the object computes something else
                    raise
                continue  # objects and variables have origins of their own
            if known is not None:
                known.update(id(tensor) for _, tensor in inner.tensors)
            if all(part["kind"] != "variable" for part in nodes_in(node)):
                held[key] = node
    return [{"kind": "dict", "items": held}] if held else []


def complete(seen: list[Seen], arrays: list[np.ndarray]) -> None:
    """Add the variables that a call made to the states of the objects that it took."""
    encoder = Encoder(arrays)
    for value, node, before in seen:
        variables = variables_of(value)
        if len(variables) > len(before):
            node["fresh"] = not before
            node["state"] = [
                before.get(id(v)) or encoder.of_array("numpy", np.array(v.numpy()))
                for v in variables
            ]


def variables_of(value: Any) -> list[Any]:
    """Return the variables of an object of TensorFlow, in the order in which its port has them."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None or inspect.isroutine(value):
        return []
    # Objects that have not made their variables yet refuse to list them in many ways.
    with contextlib.suppress(Exception):
        weights = getattr(value, "weights", None)
        if isinstance(weights, list | tuple):
            return list(weights)
    if isinstance(value, tf.Module):
        with contextlib.suppress(Exception):
            return list(value.variables)
        return []
    return [v for v in getattr(value, "__dict__", {}).values() if isinstance(v, tf.Variable)]


def _reference(owner: Any) -> Callable[[], Any]:
    """Return a function that gives an object while it lives, so that another one at its place is not taken for it."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return lambda: owner
