"""Find operations that gather rows, so that their gradients can be `IndexedSlices`."""

from __future__ import annotations

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import own_equations, sub_jaxprs, uses
from shims._src.recording.indexed_slices import dense, rows_of


def rows_taken(primitive, params) -> bool:
    """Return whether an operation gathers rows of its first operand at the indices in its second."""
    if primitive.name not in ("jit", "pjit") or params.get("name") != "_take":
        return False
    inner = next(iter(sub_jaxprs(params)), None)
    if inner is None:
        return False
    jaxpr, _ = jp.open_jaxpr(inner)
    rows = jaxpr.invars[0]
    gathers = (e for e in uses(jaxpr, rows) if e.primitive.name == "gather" and e.invars[0] is rows)
    first = next(gathers, None)
    return first is not None and _gathers_rows(first)


def _gathers_rows(eqn) -> bool:
    numbers = eqn.params["dimension_numbers"]
    shape = eqn.invars[0].aval.shape
    whole = all(a is b or a == b for a, b in zip(eqn.params["slice_sizes"][1:], shape[1:]))
    return (
        tuple(numbers.start_index_map) == (0,)
        and tuple(numbers.collapsed_slice_dims) == (0,)
        and not numbers.operand_batching_dims
        and whole
    )


def only_rows(closed) -> frozenset[int]:
    """Return the indices of those inputs of a jaxpr that are used only to gather rows of them.

    Args:
      closed: a closed jaxpr.
    """
    jaxpr, _ = jp.open_jaxpr(closed)
    others: set = {v for v in jaxpr.outvars if not isinstance(v, jp.Literal)}
    taken: set = set()
    for eqn in own_equations(jaxpr):
        takes = rows_taken(eqn.primitive, eqn.params)
        for i, atom in enumerate(eqn.invars):
            if not isinstance(atom, jp.Literal):
                (taken if takes and i == 0 else others).add(atom)
    return frozenset(i for i, v in enumerate(jaxpr.invars) if v in taken and v not in others)


def with_rows(operations, sources) -> list:
    """Replace the operations that gather rows of a source, so that its gradient is `IndexedSlices`.

    Args:
      operations: the recorded operations, as from `operations_behind`.
      sources: the keys of the values whose gradients should be `IndexedSlices`.

    Returns:
      The operations, with the row gathers replaced.
    """
    keys, found = set(sources), []
    for operation in operations:
        eqn = getattr(operation.program, "eqn", None)
        if eqn is None or not operation.inputs or jp.key_of(operation.inputs[0]) not in keys:
            found.append(operation)
        elif eqn.primitive.name == "copy":
            keys.update(operation.output_keys)
            found.append(_RowGather(operation, lambda ct: ct))
        elif rows_taken(eqn.primitive, eqn.params):
            found.append(_RowGather(operation, _row_gradient(operation)))
        else:
            found.append(operation)
    return found


def _row_gradient(operation):
    params, indices = operation.inputs[:2]
    return lambda ct: rows_of(dense(ct), indices, params.shape)


class _RowGather:
    """An operation whose first operand has an `IndexedSlices` gradient.

    Args:
      operation: the operation.
      backward: a function from the cotangent of the result to that of the first operand.
    """

    def __init__(self, operation, backward):
        self.inputs, self.outputs = operation.inputs, operation.outputs
        self.links, self.output_keys = operation.links, operation.output_keys
        self._backward = backward

    def pull(self, wanted, given, cotangents):
        """Compute the gradients of the inputs `wanted`; only the first input has a gradient."""
        del given
        (cotangent,) = cotangents
        return [self._backward(cotangent) if i == 0 else None for i in wanted]
