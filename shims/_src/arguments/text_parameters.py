"""List the operators that TensorFlow computes on strings, with the parameters that take them.

These only move, select, join or compare elements. An entry names a function and its parameters:
`values*` is a list of tensors, `pylist&` nested lists of any lengths, `dtype=` a dtype.
"""

from __future__ import annotations

import contextlib
import contextvars
import inspect
from collections.abc import Callable, Iterator

import numpy as np

# The dtype of the codes that stand for strings: no operator returns it for anything else.
CODE = np.dtype(np.uint32)

ONE, LIST, NESTED, DTYPE = "", "*", "&", "="

# The dtype of the result is that of the parameter `dtype`, whatever the operand's.
_FREE = frozenset({"zeros_like"})

_ARRAY = {
    "array.casting": """constant(value dtype=) convert_to_tensor(value dtype= dtype_hint=)
        identity(input) stop_gradient(input)""",
    "array.creation": "fill(value) one_hot(on_value off_value dtype=) zeros(dtype=) "
    "zeros_like(input dtype=)",
    "array.cutting": "slice(input_) strided_slice(input_) reverse_sequence(input)",
    "array.gather": "gather(params) gather_nd(params) batch_gather(params)",
    "array.joining": "concat(values*) stack(values*) unstack(value) split(value) reverse(tensor) "
    "roll(input)",
    "array.padding": "pad(tensor constant_values)",
    "array.partition": "dynamic_partition(data) dynamic_stitch(data*)",
    "array.repetition": "tile(input) _repeat_evenly(input) _repeat_each(input)",
    "array.scatter": "scatter_nd(updates) tensor_scatter_nd_update(tensor updates)",
    "array.select": "_choose(x y) boolean_mask(tensor)",
    "array.shape_arithmetic": "shape_n(input*) identity_n(input*)",
    "array.shapes": "reshape(tensor) expand_dims(input) squeeze(input) transpose(a) "
    "broadcast_to(input) shape(input) size(input) rank(input) ensure_shape(x)",
    "array.unique": "unique(x) unique_with_counts(x) setdiff1d(x y)",
    "native.operators": "equal(x y) not_equal(x y) add(x y)",
}
_COMPOSITE = {
    "ragged.constant": "constant(pylist& dtype=)",
    "ragged.coordinates": "_from_sparse(sp)",
    "ragged.dense": "from_tensor(tensor padding)",
    "ragged.gathering": "boolean_mask(data)",
    "ragged.joining": "ragged_stack(values*)",
    "ragged.partitions": "stack_dynamic_partitions(data)",
    "ragged.tensor": " ".join(
        f"RaggedTensor.{name}(self)"
        for name in (
            *("nrows", "row_lengths", "value_rowids", "nested_value_rowids", "bounding_shape"),
            *("merge_dims", "to_sparse", "__getitem__"),
        )
    )
    + " RaggedTensor.to_tensor(self default_value)",
    "sparse.dense": "from_dense(tensor) to_dense(sp_input default_value)",
    "sparse.edit_distance": "edit_distance(hypothesis truth)",
    "sparse.ordering": "reorder(sp_input)",
    "sparse.selection": "slice(sp_input) retain(sp_input) reset_shape(sp_input) "
    "fill_empty_rows(sp_input default_value) expand_dims(sp_input) reshape(sp_input) "
    "transpose(sp_input) concat(sp_inputs*)",
    "sparse.elementwise": "split(sp_input)",
    "sparse.sets": "intersection(a b) union(a b) difference(a b) size(a)",
}


def _entries() -> dict[str, tuple[str, ...]]:
    found = {}
    for module, listed in {**_ARRAY, **_COMPOSITE}.items():
        for entry in listed.replace("\n", " ").split(")"):
            name, _, parameters = entry.strip().partition("(")
            if name:
                found[f"{module}.{name}"] = tuple(parameters.split())
    return found


TAKES = _entries()


_BY_CODES = contextvars.ContextVar("_BY_CODES", default=False)


@contextlib.contextmanager
def computing_by_codes() -> Iterator[None]:
    """Open a block in which integer codes stand for strings, so that operators run on arrays."""
    before = _BY_CODES.set(True)
    try:
        yield
    finally:
        _BY_CODES.reset(before)


def is_code(dtype) -> bool:
    """Return whether arrays of a dtype hold codes in place of strings: uint32, inside of `computing_by_codes`."""
    return _BY_CODES.get() and dtype == CODE


def is_free(function: str) -> bool:
    """Return whether the dtype of an operator's result may differ from its operand's."""
    return function in _FREE


def of(f: Callable) -> tuple[tuple[int, str, str], ...]:
    """Return `(position, name, form)` of each parameter that takes strings in an operator.

    The form is `ONE` tensor, a `LIST` of tensors, `NESTED` Python lists, or a `DTYPE`.
    """
    function = f"{f.__module__.removeprefix('shims._src.')}.{f.__qualname__}"
    listed = TAKES.get(function, ())
    if not listed:
        return ()
    names = [*inspect.signature(f).parameters]
    found = []
    for entry in listed:
        name = entry.strip("*&=")
        form = ONE if entry == name else entry[-1]
        found.append((names.index(name), name, form))
    return tuple(found)
