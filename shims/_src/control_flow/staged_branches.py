"""Stage the branches of a conditional: combine their outputs and the variables that they assign.

Each branch is traced on its own. A Python value on which all branches agree is kept; an output that is an
array in one branch becomes an array of the same type in all branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.conversion import as_array
from shims._src.control_flow import untaken_branches
from shims._src.control_flow.staging import (
    Block,
    Slot,
    aval_of_leaf,
    cast_leaf,
    common_dtype,
    is_array,
    is_number,
    same_shape,
    scalar_condition,
    show,
    structure,
)
from shims._src.control_flow.undefined import (
    LateName,
    Undefined,
    UndefinedReturnValue,
    Unknown,
    Unreached,
    Unwritten,
)
from shims._src.errors import errors
from shims._src.lowering import collectives
from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.sizes import buffers, trace


def stage_branches(
    selector,
    thunks: Sequence[Callable[[], Sequence]],
    *,
    names: Sequence[str] = ("the result",),
    labels: Sequence[str] = ("main", "else"),
    label: str = "cond",
    raised=None,
) -> tuple:
    """Run the branch that a traced `selector` picks, and return its outputs.

    Args:
      selector: for two branches, a condition that selects the first if true; otherwise an int32
        scalar in range.
      thunks: the branches; each returns as many outputs as there are `names`.
      names: the names of the outputs in messages.
      labels: the names of the branches in messages.
      label: the name of the whole construct in messages.
      raised: the condition, if errors that a branch raises are to be raised for the data that take the branch.

    Returns:
      One value per name. Python values on which all branches agree stay Python values.
    """
    blocks = untaken_branches.trace_branches(thunks, condition=raised)
    return join_blocks(selector, blocks, names=names, labels=labels, label=label)


def join_blocks(
    selector,
    blocks: Sequence[Block],
    *,
    names: Sequence[str],
    labels: Sequence[str] = ("main", "else"),
    label: str = "cond",
) -> tuple:
    """Stage a conditional whose branches have been traced already; otherwise like `stage_branches`."""
    join = _join_or_give_up
    joined = [join(_Subject(label, name), labels, blocks, i) for i, name in enumerate(names)]
    wanted = [leaf for _, leaves in joined for leaf in leaves if isinstance(leaf, _Chosen)]
    written = {id(v): v for block in blocks for v in block.written}
    before = {key: state.read(v) for key, v in written.items()}

    # What devices choose by their own data differs between them. Collectives are taken out of branches later.
    own = () if any(collectives.has_collectives(b.closed) for b in blocks) else selector

    def branch(number: int):
        def run(_):
            arrays, values = blocks[number].run()
            outputs = [leaf.of(number, arrays) for leaf in wanted]
            return jp.varying_as((outputs, [values.get(key, before[key]) for key in written]), own)

        return run

    branches = jp.varying_alike([branch(i) for i in range(len(blocks))], selector)
    if len(branches) == 2:
        outputs, values = lax.cond(scalar_condition(selector, label), *branches, selector)
    else:
        outputs, values = lax.switch(selector, branches, selector)
    for variable, value in zip(written.values(), values, strict=True):
        state.write(variable, value)
    results = iter(outputs)
    return tuple(
        jax.tree.unflatten(
            tree,
            [leaf.after(next(results)) if isinstance(leaf, _Chosen) else leaf for leaf in leaves],
        )
        for tree, leaves in joined
    )


class _Chosen:
    """An output leaf that a conditional selects; all branches return it as an array of the same type."""

    def __init__(self, specs: Sequence, aval: jax.ShapeDtypeStruct):
        self._specs = specs
        self._aval = aval

    @staticmethod
    def after(result):
        """Convert the array returned by the conditional to the final output leaf."""
        return result

    def of(self, number: int, arrays):
        """Return the array that branch `number` must return, given all arrays that the branch computed."""
        spec = self._specs[number]
        if isinstance(spec, Undefined):
            return jnp.zeros(self._aval.shape, self._aval.dtype)
        if isinstance(spec, Unwritten):
            return spec.zeros(self._aval.shape, self._aval.dtype)
        value = arrays[spec.position] if isinstance(spec, Slot) else spec
        return cast_leaf(value, self._aval)


class _Subject(NamedTuple):
    """The output that an error message is about: its name, and the `label` of the conditional."""

    label: str
    name: str

    def __str__(self) -> str:
        return f"`{self.name}`" if self.name.isidentifier() else self.name


def _join_or_give_up(subject: _Subject, labels, blocks: Sequence[Block], i: int):
    """Combine output `i` of all branches; of a variable that may not be read, a failure is raised when it is."""
    try:
        return _join_output(subject, labels, blocks, i)
    except (ValueError, TypeError, errors.UnimplementedError) as error:
        if not isinstance(subject.name, LateName):
            raise
        return jax.tree.structure(0), [Unknown(subject.name, error)]


def _join_output(subject: _Subject, labels, blocks: Sequence[Block], i: int):
    """Combine output `i` of all branches; return its structure, and its leaves after the conditional."""
    trees = [block.trees[i] for block in blocks]
    leaves = [block.leaves[i] for block in blocks]
    defined = [k for k, found in enumerate(leaves) if not _is_undefined(found)]
    if not defined:
        return trees[0], leaves[0]
    for k, found in enumerate(leaves):
        if k in defined:
            continue
        if not isinstance(found[0], UndefinedReturnValue):
            _raise_undefined(found[0].name, labels[k], [labels[d] for d in defined])
        # This value is never read: a flag says that there is no return value yet.
        trees[k] = trees[defined[0]]
        leaves[k] = (found[0],) * len(leaves[defined[0]])
    if any(tree != trees[0] for tree in trees):
        _raise_structure(subject, labels, trees)
    specs = zip(*leaves)
    return trees[0], [_join_leaf(subject, labels, column) for column in specs]


def _is_undefined(leaves) -> bool:
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)


def _join_leaf(subject: _Subject, labels, column: Sequence):
    originals = [spec.identity if isinstance(spec, Slot) else spec for spec in column]
    agreed = _known_leaf([x for x in originals if not isinstance(x, Unreached)])
    if agreed is not None:
        return agreed[0]
    for label, x in zip(labels, originals):
        known = is_array(x) or is_number(x) or jp.is_symbolic(x)
        if not known and not isinstance(x, (Slot, Undefined, Unwritten)):
            _raise_not_an_array(subject, label, x)
    avals = _avals_of(column)
    if any(not same_shape(a.shape, avals[0].shape) for a in avals):
        return _join_shapes(subject, labels, column, avals)
    common = common_dtype(avals)
    if common is None:
        _raise_dtypes(subject, labels, avals)
    dtype, weak = common
    return _Chosen(column, jp.specification(avals[0].shape, dtype, *avals, weak_type=weak))


def _known_leaf(values: Sequence) -> tuple | None:
    """Return `(value,)` if the branches that go on leave an output leaf the same, otherwise `None`."""
    if any(isinstance(x, Slot) for x in values):
        return None
    is_one = all(x is values[0] for x in values) or _are_one_size(values) or _are_equal(values)
    return (values[0],) if is_one else None


def _avals_of(column: Sequence) -> list:
    """Return the shapes and dtypes that an output leaf has in the branches that define the output."""
    slots = [spec.aval for spec in column if isinstance(spec, Slot)]
    return [
        jp.abstract(slots[0], (spec.count, *slots[0].shape[1:]))
        if isinstance(spec, Unwritten)
        else aval_of_leaf(spec)
        for spec in column
        if not isinstance(spec, Undefined)
    ]


def _are_equal(values) -> bool:
    """Return whether values of Python are alike, so one can stand for all.

    An equality that the program defines is not asked: it may compare arrays, or leave out attributes.
    """
    first = values[0]
    if any(type(x) is not type(first) or is_array(x) for x in values):
        return False
    if isinstance(first, (float, complex)):
        return len(set(map(repr, values))) == 1  # -0.0 equals 0.0
    package = type(first).__module__.partition(".")[0]
    return package in _PACKAGES and all(bool(x == first) for x in values)


# The packages whose objects are alike if they are equal.
_PACKAGES = frozenset(
    {"builtins", "numpy", "jax", "jaxlib", "ml_dtypes", "shims", "datetime", "decimal", "fractions"}
)


def _are_one_size(values) -> bool:
    return all(map(jp.is_symbolic, values)) and same_shape(values[:1] * len(values), values)


class _Buffered(_Chosen):
    """An output leaf whose size differs between the branches, which return it in a padded buffer."""

    def __init__(self, specs, aval, axes, capacities):
        super().__init__(specs, aval)
        self._axes, self._capacities = axes, capacities

    def of(self, number: int, arrays):
        spec = self._specs[number]
        if isinstance(spec, Undefined):
            shape = list(self._aval.shape)
            for axis in self._axes:
                shape[axis] = 0
            value = jnp.zeros(shape, self._aval.dtype)
        elif isinstance(spec, Unwritten):
            value = spec.zeros(self._aval.shape, self._aval.dtype)
        else:
            value = as_array(arrays[spec.position] if isinstance(spec, Slot) else spec)
        return buffers.put(value.astype(self._aval.dtype), self._axes, self._capacities)

    @staticmethod
    def after(result):
        return result.value()


def _join_shapes(subject: _Subject, labels, column, avals):
    """Combine an output leaf of different shapes in the branches; its size is data-dependent.

    Raises:
      UnimplementedError: outside of a dynamic trace, or if the ranks differ.
    """
    common = common_dtype(avals)
    if trace.current() is not None and common and len({len(a.shape) for a in avals}) == 1:
        columns = list(zip(*(a.shape for a in avals), strict=True))
        axes = [i for i, c in enumerate(columns) if not same_shape(c[:1] * len(c), c)]
        capacities = [buffers.capacity_for(columns[i], "cond") for i in axes]
        aval = jp.specification(avals[0].shape, common[0], *avals)
        return _Buffered(column, aval, axes, capacities)
    shapes = " and ".join(f"{show(a)} in {label}" for label, a in zip(labels, avals))
    raise errors.UnimplementedError(
        errors.message(
            subject.label,
            f"the shape of {subject} depends on a traced condition.",
            required="equal shapes in all branches",
            received=shapes,
            do="reduce or pad the result inside the branches.",
        )
    )


def _raise_undefined(variable: str, missing: str, defined):
    raise ValueError(
        errors.message(
            "if",
            f"`{variable}` must also be defined in the {missing} branch.",
            required=f"a value of `{variable}` in every branch",
            received=f"a value only in the {', '.join(defined)} branch",
            do=f"assign `{variable}` before the condition, or in both branches.",
        )
    )


def _raise_structure(subject: _Subject, labels, trees):
    received = "; ".join(f"{label}: {structure(tree)}" for label, tree in zip(labels, trees))
    raise TypeError(
        errors.message(
            subject.label,
            f"{subject} must have the same structure in all branches.",
            required="equal structures",
            received=received,
            do="return the same tuples, lists, dictionaries and `None`s from each branch.",
        )
    )


def _raise_not_an_array(subject: _Subject, label: str, value):
    raise TypeError(
        errors.message(
            subject.label,
            f"{subject} depends on a traced condition, but is not an array.",
            required="an array or a number in each branch",
            received=f"{value!r} in the {label} branch",
            do="choose the value with a Python condition, or use a number instead.",
        )
    )


def _raise_dtypes(subject: _Subject, labels, avals):
    received = "; ".join(f"{label}: {np.dtype(a.dtype).name}" for label, a in zip(labels, avals))
    raise TypeError(
        errors.message(
            subject.label,
            f"{subject} must have the same dtype in all branches.",
            required="equal dtypes",
            received=received,
            do="cast the result of one branch: `shims.cast(x, dtype)`.",
        )
    )
