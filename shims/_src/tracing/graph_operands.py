"""Tell tensors of a graph of TensorFlow 1, which an operator of TensorFlow 2's name cannot compute with."""

from __future__ import annotations

import jax

from shims._src.errors import errors


class GraphTensor:
    """The base class of the tensors of a graph, which have a value only in a session."""

    __slots__ = ()


def check(function: str, args, kwargs) -> None:
    """Raise an error if an argument is a tensor of a graph.

    Args:
      function: the operator that failed.
      args: its arguments.
      kwargs: those that were given by name.

    Raises:
      UnimplementedError: one is; the error names the module whose operators build graphs.
    """
    found = [x for x in jax.tree.leaves((args, kwargs)) if isinstance(x, GraphTensor)]
    if not found:
        return
    raise errors.UnimplementedError(
        errors.message(
            function,
            "an argument is a tensor of a graph of TensorFlow 1, whose value only a session knows.",
            received=repr(found[0]),
            do="import the operators that build graphs, `import shims.compat.v1 as tf`; they have TensorFlow 2's "
            "names, too",
        )
    ) from None
