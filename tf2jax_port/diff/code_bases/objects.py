"""Remember how the objects of a captured program were made, and the values of their variables."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import sys
import weakref
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases.attributes import described, is_of_library
from tf2jax_port.diff.code_bases.call_file import moved_node
from tf2jax_port.diff.code_bases.closures import ordinal_of
from tf2jax_port.diff.code_bases.encoding import (
    Encoder,
    Met,
    Node,
    UnfitError,
    fields_of,
    is_variable,
    place_of,
)


class Origin(NamedTuple):
    """The arguments of an object's constructor with their arrays, or the reason why they are unknown."""

    owner: Callable[[], Any]
    arguments: Node
    arrays: list[np.ndarray]
    unfit: str = ""


class Seen(NamedTuple):
    """An object in the arguments of a call: its node, its variables before the call, and what made the node."""

    value: Any
    node: Node
    before: set[int]
    encoder: Encoder


class Objects:
    """The objects of the watched packages.

    Args:
      is_watched: whether the calls of a module are recorded.
    """

    def __init__(self, is_watched: Callable[[str], bool]) -> None:
        self._is_watched = is_watched
        self._origins: dict[int, Origin] = {}
        self.numbers = itertools.count()

    def note(self, code: CodeType, frame: FrameType) -> Origin | None:
        """Remember and return the arguments of a constructor that has just begun; `None` for a base class's constructor."""
        owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        maker = next((c for c in type(owner).__mro__ if "__init__" in vars(c)), object)
        if (maker.__module__, f"{maker.__qualname__}.__init__") != (
            frame.f_globals["__name__"],
            code.co_qualname,
        ):
            return None
        arrays: list[np.ndarray] = []
        met = Met(self.numbers)
        encoder = Encoder(arrays, self.encode_in(arrays, met=met), met)
        try:
            packed, unfit = self.pack(code, frame, 1, encoder), ""
        except Exception as error:  # noqa: BLE001, the program must go on whatever its objects do
            packed, unfit = {}, str(error)
        origin = Origin(_reference(owner), packed, arrays, unfit)
        self._origins[id(owner)] = origin
        return origin

    def node_of(self, value: Any, arrays: list[np.ndarray]) -> Node:
        """Return the node of an object in its present state."""
        return self.encode_in(arrays)(value)

    def encode_in(
        self,
        arrays: list[np.ndarray],
        seen: list[Seen] | None = None,
        held: set[int] | None = None,
        met: Met | None = None,
    ) -> Callable[[Any], Node]:
        """Return a function that makes the node of an object, for an `Encoder` of these arrays.

        Args:
          arrays: the arrays.
          seen: where the objects are added.
          held: where the identities of the tensors that objects hold are added.
          met: what the call has met.
        """
        met = met or Met(self.numbers)

        def encode(value: Any) -> Node:
            if inspect.isroutine(value) or inspect.isclass(value):
                return _of_code(value, Encoder(arrays, encode, met))
            if id(value) in met.objects:
                return {"kind": "same", "number": met.objects[id(value)][0]}
            encoder = Encoder(arrays, encode, met)
            node: Node = {**place_of(type(value)), "kind": "object"}
            node["number"] = met.number(value)
            node |= described(value, encoder)
            if node.get("base") != "Module" and is_of_library(type(value)):
                node["fields"] = {}
            else:
                node |= self._made_of(value, encoder)
            if held is not None:
                held.update(id(tensor) for _, tensor in encoder.tensors)
            variables = variables_of(value)
            if variables:
                node["state"] = [encoder.of_variable(v) for v in variables]
            if seen is not None:
                seen.append(Seen(value, node, {id(v) for v in variables}, encoder))
            return node

        return encode

    def _made_of(self, value: Any, encoder: Encoder) -> Node:
        """Return the positional and keyword arguments that made an object, or why they are not known."""
        origin = self._origins.get(id(value))
        if origin is not None and origin.owner() is value:
            if origin.unfit:
                return {"unmade": origin.unfit.removeprefix("object created from ")}
            by = len(encoder.arrays)
            encoder.arrays.extend(origin.arrays)
            return {"items": list(moved_node(origin.arguments, by)["items"])}
        fields = fields_of(value)
        if fields is None and type(value).__init__ is object.__init__:
            fields = {}
        if fields is None:
            return {"unmade": "a constructor whose call was not recorded"}
        try:
            return {"items": [encoder.encode([]), encoder.encode(fields)]}
        except UnfitError as error:
            return {"unmade": str(error)}

    def pack(self, code: CodeType, frame: FrameType, skip: int, encoder: Encoder) -> Node:
        """Return the positional arguments (a list) and the keyword arguments of a call that has just begun."""
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


def _of_code(value: Any, encoder: Encoder) -> Node:
    """Return the node of a function or class: its name, or its position in its file and its closure.

    Raises:
      UnfitError: a port has no such function or class.
    """
    module = str(value.__module__)
    if module.partition(".")[0] in ("tensorflow", "keras", "tf_keras"):
        raise UnfitError(f"{value.__qualname__} of {module}")
    if not inspect.isfunction(value) or "<" not in value.__qualname__:
        return place_of(value)
    ordinal = ordinal_of(value)
    if ordinal is None:
        raise UnfitError(f"local function {value.__qualname__}")
    free = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
    return {
        "kind": "closure",
        "module": module,
        "name": value.__qualname__,
        "ordinal": ordinal,
        "items": [encoder.encode([list(value.__defaults__ or ()), value.__kwdefaults__ or {}])],
        "fields": {name: encoder.encode(cell.cell_contents) for name, cell in free},
    }


def complete(seen: list[Seen]) -> None:
    """Add the variables that a call made to the states of the objects that it took."""
    for value, node, before, encoder in seen:
        variables = variables_of(value)
        if len(variables) > len(before):
            node["fresh"] = not before
            node["state"] = [encoder.of_variable(v) for v in variables]
            new = {id(v) for v in variables} - before
            node["makes"] = [encoder.of_variable(v)["number"] for v in variables if id(v) in new]


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
    return [v for v in getattr(value, "__dict__", {}).values() if is_variable(v)]


def _reference(owner: Any) -> Callable[[], Any]:
    """Return a function that returns an object while it exists. Later, another object may have the same address."""
    try:
        return weakref.ref(owner)
    except TypeError:
        return lambda: owner
