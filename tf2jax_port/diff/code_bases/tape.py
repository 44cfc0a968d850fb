"""Record the gradients of a captured call, on a tape of TensorFlow that is open while the call runs."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tf2jax_port.diff.code_bases.call_file import Call
from tf2jax_port.diff.code_bases.encoding import Encoder, Node, leaf_nodes
from tf2jax_port.diff.code_bases.slopes import cotangent

_LONGEST = 5.0  # seconds after which a tape, which holds all values on its way, is given up


class Source(NamedTuple):
    """A tensor or variable with respect to which a gradient is taken: where the port has it, and its name."""

    kind: str  # `tensor` of the arguments, `state` of the owner, or `variable` of another argument
    number: int  # of its array, among the variables of the owner, or of the variable
    name: str
    value: Any


class Tape:
    """A tape of one call.

    Args:
      sources: the tensors of its arguments.
      variables: the variables that its arguments hold, with their numbers.
    """

    def __init__(self, sources: list[Source], variables: list[tuple[int, Any]]) -> None:
        tf: Any = sys.modules["tensorflow"]
        self._began = time.monotonic()
        self._sources = sources
        self._variables = variables
        self._tape: Any = tf.GradientTape()
        self._tape.__enter__()
        for source in sources:
            self._tape.watch(source.value)

    def drop(self) -> None:
        """Close the tape, without gradients."""
        tape, self._tape = self._tape, None
        if tape is not None:
            with contextlib.suppress(ValueError):  # it is closed already
                tape.__exit__(None, None, None)

    def drop_if_long(self) -> None:
        """Give up a tape of a call that takes long, such as a whole training."""
        if time.monotonic() - self._began > _LONGEST:
            self.drop()

    def gradients(
        self,
        call: Call,
        result: Node,
        targets: list[tuple[Node, Any]],
        state: list[Any],
        encoder: Encoder,
    ) -> dict[str, Any]:
        """Return the gradients that exist, of all float results together; empty if there are none.

        Args:
          call: the call.
          result: the node of its result.
          targets: the tensors in it, with their nodes.
          state: the variables of the owner.
          encoder: keeps the arrays.
        """
        if self._tape is None:
            return {}
        tf: Any = sys.modules["tensorflow"]
        self._tape.__exit__(None, None, None)
        tape, self._tape = self._tape, None
        places = {leaf.get("array"): index for index, leaf in enumerate(leaf_nodes(result))}
        floats = [(places[n["array"]], t) for n, t in targets if is_float(t)]
        own = {id(variable) for variable in state}
        others = [(number, v) for number, v in self._variables if id(v) not in own]
        sources = [
            *self._sources,
            *_of_variables("state", enumerate(state)),
            *_of_variables("variable", others),
        ]
        if not floats or not sources:
            return {}
        found = tape.gradient(
            [tensor for _, tensor in floats],
            [source.value for source in sources],
            [tf.cast(cotangent(index, t.shape), t.dtype) for index, t in floats],
        )
        exist = [
            (source, np.array(tf.convert_to_tensor(each).numpy()))
            for source, each in zip(sources, found, strict=True)
            if each is not None
        ]
        if not exist:
            return {}
        order = {node["array"]: index for index, node in enumerate(call.tensors)}
        nodes = [encoder.of_array("numpy", array) for _, array in exist]
        return {
            "of": [index for index, _ in floats],
            "to": [
                [s.kind, order[s.number] if s.kind == "tensor" else s.number, s.name]
                for s, _ in exist
            ],
            "values": {"kind": "list", "items": nodes},
        }


def begun(
    tensors: list[tuple[Node, Any]],
    held: set[int],
    names: Mapping[str, Any],
    variables: list[tuple[int, Any]],
    *,
    stateful: bool,
) -> Tape | None:
    """Open a tape for a call; `None` if it has no gradients, or none that a port could have by itself.

    Args:
      tensors: the tensors of the arguments, with their nodes.
      held: the identities of tensors that objects hold, too, whose gradients have two parts.
      names: the values of the parameters.
      variables: the variables that the arguments hold, with their numbers.
      stateful: whether the call has an owner.
    """
    tf: Any = sys.modules.get("tensorflow")
    if tf is None or not tf.executing_eagerly():
        return None
    sources = [
        Source("tensor", node["array"], _name_of(tensor, names), tensor)
        for node, tensor in tensors
        if is_float(tensor) and id(tensor) not in held
    ]
    return Tape(sources, variables) if sources or variables or stateful else None


def _name_of(tensor: Any, names: Mapping[str, Any]) -> str:
    """Return the parameter that has a tensor, or a part of it."""
    for name, value in names.items():
        if value is tensor:
            return name
        if isinstance(value, list | tuple | dict):
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            for key, part in parts:
                if part is tensor:
                    return f"{name}[{key!r}]"
    return "an argument"


def _of_variables(kind: str, variables: Iterable[tuple[int, Any]]) -> Iterator[Source]:
    """Yield the float variables that are trained."""
    tf: Any = sys.modules["tensorflow"]
    for number, variable in variables:
        own = variable if isinstance(variable, tf.Variable) else getattr(variable, "value", None)
        if isinstance(own, tf.Variable) and own.trainable and is_float(own):
            name = getattr(variable, "path", own.name).partition(":")[0]
            yield Source(kind, number, name, own)


def is_float(value: Any) -> bool:
    """Return whether a tensor or variable has real numbers with a gradient."""
    return bool(value.dtype.is_floating)
