"""Define hashable references to tensors, and the error for using a tensor as a Python value."""

from __future__ import annotations

from shims._src.errors import errors


class Reference:
    """The result of `Tensor.ref()`, which compares tensors by identity."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor):
        self._tensor = tensor

    def deref(self):
        """Return the tensor."""
        return self._tensor

    def __eq__(self, other) -> bool:
        return isinstance(other, Reference) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return id(self._tensor)


class OperatorNotAllowedInGraphError(TypeError):
    """The error for Python code that needs the value of a tensor while a graph is built."""


def not_allowed(what: str) -> OperatorNotAllowedInGraphError:
    """Return the error for using a tensor as a Python value while a graph is built.

    what: the use, for the message.
    """
    return OperatorNotAllowedInGraphError(
        errors.message(
            "",
            f"{what} is not allowed, because the value of the tensor is known only in a session.",
            do="use `tf.cond`, `tf.while_loop` or `tf.unstack`",
        )
    )
