"""Symbolic values that have no Python value: how they compare, and the error where one is needed."""

from __future__ import annotations

from shims._src.errors import errors


class Reference:
    """What `Tensor.ref()` gives: equal for one and the same tensor."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor):
        self._tensor = tensor

    def deref(self):
        """The tensor."""
        return self._tensor

    def __eq__(self, other) -> bool:
        return isinstance(other, Reference) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return id(self._tensor)


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked for a value that only a session will know."""


def not_allowed(what: str) -> OperatorNotAllowedInGraphError:
    """The error where Python asks for a value that only a session will know."""
    return OperatorNotAllowedInGraphError(
        errors.message(
            "",
            f"{what} is not allowed: only a session knows its value.",
            do="use `tf.cond`, `tf.while_loop` or `tf.unstack`",
        )
    )
