"""Infer the types of loop-carried values, by tracing the body until these types are stable."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import as_array, strong
from shims._src.control_flow.staging import (
    Block,
    Slot,
    aval_of,
    aval_of_leaf,
    cast_leaf,
    common_dtype,
    is_array,
    is_number,
    same_shape,
    scalar_condition,
    show,
    show_value,
    structure,
    trace_block,
)
from shims._src.control_flow.undefined import (
    LateName,
    Undefined,
    UndefinedReturnValue,
    Unknown,
    Unwritten,
)
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.sizes import size_carriers


@dataclasses.dataclass(eq=False)
class Leaf:
    """One pytree leaf of a loop's state.

    Attributes:
      value: its value before the first iteration.
      aval: its shape and dtype if the loop carries the leaf; `None` for a Python value that no iteration
        changes.
      is_input: whether the leaf is an argument of the traced body.
    """

    value: Any
    aval: Any
    is_input: bool = True


class LoopState:
    """A loop body, traced for a state whose types the body preserves.

    Args:
      body: a function `(values, item) -> (values, emitted)` on a sequence of Python values.
      values: the state before the first iteration; arrays, numbers, `Undefined`, nested.
      names: the names of the values in messages.
      item: shapes and dtypes of the per-iteration inputs, nested.
      label: the name of the loop in messages.

    Attributes:
      block: the traced body.
      emitted: shapes and dtypes of the per-iteration outputs, nested.
    """

    def __init__(self, body: Callable, values: Sequence, names: Sequence[str], item=(), label=""):
        self._body = body
        self._names = names
        self.label = label
        self._item_leaves, self._item_tree = jax.tree.flatten(item)
        flat = [jax.tree.flatten(value) for value in values]
        self._trees = [tree for _, tree in flat]
        self._leaves = [[self._initial_leaf(leaf) for leaf in leaves] for leaves, _ in flat]
        self._variables: tuple = ()
        # The values after an iteration, which say over which mesh axes of `shard_map` they vary.
        self._written: dict[int, Any] = {}
        self._deciding: tuple = ()
        self._unknown: dict[int, Unknown] = {}
        self.block = self._trace()
        # Each round widens the type of a Python number or finds a variable, so the loop terminates.
        while not self._settle():
            self.block = self._trace()

    @staticmethod
    def _initial_leaf(leaf) -> Leaf:
        if jp.is_symbolic(leaf):
            leaf = as_array(leaf)
        if is_array(leaf):
            return Leaf(leaf, aval_of(jnp.asarray(leaf)))
        return Leaf(leaf, aval_of_leaf(leaf) if is_number(leaf) else None)

    def _carried(self) -> list[Leaf]:
        return [leaf for leaves in self._leaves for leaf in leaves if leaf.aval is not None]

    def _values_of(self, arrays) -> list:
        """Rebuild the values of the state from the arrays that the loop carries."""
        arrays = iter(arrays)
        return [
            jax.tree.unflatten(
                tree,
                [leaf.value if leaf.aval is None else next(arrays) for leaf in leaves],
            )
            for tree, leaves in zip(self._trees, self._leaves)
        ]

    def _trace(self) -> Block:
        inputs = self._carried()
        for leaf in inputs:
            leaf.is_input = True
        count = len(inputs)

        def run(*arrays):
            item = jax.tree.unflatten(self._item_tree, arrays[count:])
            values, emitted = self._body(self._values_of(arrays[:count]), item)
            return [*values, emitted]

        avals = [leaf.aval for leaf in inputs] + self._item_leaves
        avals += map(aval_of, self._initial_variables())
        return trace_block(run, avals, self._variables)

    def _initial_variables(self) -> list:
        """Return the values of the variables that the body assigns, before the first iteration."""
        return [jp.varying_as(state.read(v), self._written.get(id(v))) for v in self._variables]

    def _settle(self) -> bool:
        """Update the types of the state from the traced body; return whether these were stable already."""
        settled = True
        for i, name in enumerate(self._names):
            tree, leaves = self.block.trees[i], self.block.leaves[i]
            if len(self._leaves[i]) == 1 and isinstance(self._leaves[i][0].value, Undefined):
                self._define(i, tree, leaves)
                continue
            try:
                settled &= self._settle_value(name, i, tree, leaves)
            except (TypeError, errors.GrowingStateError) as error:
                if not isinstance(name, LateName):
                    raise
                # It has no value that the body can read, and none after the loop.
                self._unknown[i] = Unknown(name, error)
                self._trees[i] = jax.tree.structure(0)
                self._leaves[i] = [Leaf(self._unknown[i], None)]
                settled = False
        new = tuple(v for v in self.block.written if all(v is not w for w in self._variables))
        self._variables += new
        settled &= self._settle_variables()
        self.emitted = jax.tree.unflatten(
            self.block.trees[-1], [self._emitted(leaf) for leaf in self.block.leaves[-1]]
        )
        return settled and not new

    def _settle_variables(self) -> bool:
        """Note over which mesh axes the assigned variables vary; return whether that was known already."""
        results = self.block.closed.out_avals
        settled = True
        for v, x in zip(reversed(self.block.written), reversed(results), strict=False):
            known = self._written.get(id(v), x)
            new = jp.specification(x.shape, x.dtype, x, known, *self._deciding)
            settled &= jp.varying_axes(new) == jp.varying_axes(known)
            self._written[id(v)] = new
        return settled

    def _settle_value(self, name: str, i: int, tree, leaves) -> bool:
        if tree != self._trees[i]:
            self._raise_structure(name, self._trees[i], tree)
        settled = [self._settle_leaf(name, *pair) for pair in zip(self._leaves[i], leaves)]
        return all(settled)

    def _define(self, i: int, tree, leaves) -> None:
        """Give a variable without a value before the loop the type of the value that the body assigns."""
        if len(leaves) == 1 and isinstance(leaves[0], Undefined):
            return
        before = self._leaves[i][0].value
        self._trees[i] = tree
        self._leaves[i] = []
        for leaf in leaves:
            if not isinstance(leaf, Slot) and not is_number(leaf):
                self._leaves[i].append(Leaf(leaf, None))
                continue
            aval = aval_of_leaf(leaf)
            nothing = _missing_value(aval, is_return=isinstance(before, UndefinedReturnValue))
            nothing = jp.varying_as(nothing, aval)
            self._leaves[i].append(Leaf(nothing, aval_of(nothing), is_input=False))

    def _settle_leaf(self, name: str, before: Leaf, after) -> bool:
        if isinstance(before.value, Unwritten) and isinstance(after, Slot):
            before.value = before.value.zeros(after.aval.shape, after.aval.dtype)
            before.aval = aval_of(before.value)
            return False
        if before.aval is None:
            value = after.identity if isinstance(after, Slot) else after
            if value is before.value or (not is_array(value) and value == before.value):
                return True
            self._raise_not_carried(name, before.value, value)
        if not isinstance(after, Slot) and not is_number(after):
            self._raise_not_carried(name, before.value, after)
        found = aval_of_leaf(after)
        if not same_shape(before.aval.shape, found.shape):
            raise growing_state(self.label, name, before.aval, found)
        common = common_dtype((before.aval, found))
        if common is None or (not before.aval.weak_type and common[0] != before.aval.dtype):
            self._raise_dtype(name, before.aval, found)
        dtype, weak = common
        new = jp.specification(
            found.shape, dtype, before.aval, found, *self._deciding, weak_type=weak
        )
        is_known = dtype == before.aval.dtype and weak == before.aval.weak_type
        if is_known and jp.varying_axes(new) == jp.varying_axes(before.aval):
            return True
        before.aval = new
        return False

    def _emitted(self, leaf):
        if isinstance(leaf, Slot):
            like = leaf.aval
            return jp.specification(
                like.shape, like.dtype, like, *self._deciding, weak_type=like.weak_type
            )
        if not is_number(leaf):
            raise TypeError(
                errors.message(
                    self.label,
                    "each iteration must return arrays.",
                    required="arrays or numbers",
                    received=show_value(leaf),
                    do="leave this value out, or encode it as a number.",
                )
            )
        like = aval_of_leaf(leaf)
        return jp.specification((), like.dtype, *self._deciding, weak_type=like.weak_type)

    # ---- running ---------------------------------------------------------------------------------

    def initial(self) -> list:
        """Return the arrays that the loop carries, before the first iteration."""
        values = [cast_leaf(leaf.value, leaf.aval) for leaf in self._carried()]
        return values + self._initial_variables()

    def known(self) -> list:
        """Return what the loop carries before the first iteration; known numbers stay Python numbers."""
        return [leaf.value for leaf in self._carried()] + list(
            self.initial()[len(self._carried()) :]
        )

    def known_of(self, values) -> list:
        """Return the leaves of another state in the order of the carry.

        The leaves of a value whose structure differs are `None`.
        """
        count = len(self._variables)
        if values is None:
            return [None] * (len(self._carried()) + count)
        flat = []
        for value, tree, leaves in zip(values, self._trees, self._leaves):
            other: Any
            found, other = jax.tree.flatten(value)
            found = found if other == tree else [None] * len(leaves)
            flat += [x for x, leaf in zip(found, leaves) if leaf.aval is not None]
        return flat + [None] * count

    def step(self, carry: Sequence, item=()):
        """Run one iteration on the carried arrays, and return `(carry, emitted)`."""
        leaves = self._carried()
        count = len(leaves)
        inputs = [x for x, leaf in zip(carry, leaves) if leaf.is_input]
        arrays, written = self.block.run(*inputs, *jax.tree.leaves(item), *carry[count:])

        def pick(leaf, aval):
            return cast_leaf(arrays[leaf.position] if isinstance(leaf, Slot) else leaf, aval)

        after = [
            pick(new, old.aval)
            for olds, news in zip(self._leaves, self.block.leaves)
            for old, new in zip(olds, news)
            if old.aval is not None
        ]
        after += [
            jp.varying_as(written.get(id(v), x), x) for v, x in zip(self._variables, carry[count:])
        ]
        avals, tree = jax.tree.flatten(self.emitted)
        emitted = [pick(leaf, aval) for leaf, aval in zip(self.block.leaves[-1], avals)]
        return after, jax.tree.unflatten(tree, emitted)

    def step_jaxpr(self):
        """Return the body as a closed jaxpr that maps the carry and an item to the next carry."""
        avals = [aval_of(x) for x in self.initial()]

        def run(carry, item):
            return self.step(carry, jax.tree.unflatten(self._item_tree, item))[0]

        # What the body needs, such as some elements for `argmax`, is not needed if no iteration runs.
        with size_carriers.inner_program():
            return jax.make_jaxpr(run)(avals, self._item_leaves)

    def condition(self, test: Callable):
        """Trace a condition on the state to a closed jaxpr that maps the carry to a bool scalar."""

        def run(*arrays):
            return [scalar_condition(as_array(test(self._values_of(arrays))), self.label)]

        avals = [aval_of(x) for x in self.initial()]
        block = trace_block(run, avals, self._variables)
        if self._is_wider(block.closed.out_avals):
            self.vary_as(block.closed.out_avals)
            return self.condition(test)
        if block.written:
            raise errors.UnimplementedError(
                errors.message(
                    self.label,
                    "the condition assigns a variable.",
                    received=", ".join(v.name for v in block.written),
                    do="assign the variable in the body.",
                )
            )
        return block.closed

    def _is_wider(self, like) -> bool:
        """Return whether a value varies over a mesh axis over which something that the loop carries does not."""
        if not jp.has_manual_axes():
            return False
        axes = frozenset().union(*map(jp.varying_axes, jax.tree.leaves(like)))
        return any(axes - jp.varying_axes(x) for x in self.initial())

    def vary_as(self, like) -> None:
        """Let all that the loop carries vary over the mesh axes of what its number of iterations depends on."""
        if not self._is_wider(like):
            return
        self._deciding += tuple(jax.tree.leaves(like))
        while not self._settle():
            self.block = self._trace()

    def finish(self, carry: Sequence) -> list:
        """Return the values of the state after the loop, and store the variables that the body assigned."""
        leaves = self._carried()
        for variable, value in zip(self._variables, carry[len(leaves) :], strict=True):
            state.write(variable, value)
        arrays = iter(carry)
        values = [
            jax.tree.unflatten(
                tree, [x.value if x.aval is None else strong(next(arrays)) for x in found]
            )
            for tree, found in zip(self._trees, self._leaves)
        ]
        return [self._unknown.get(i, value) for i, value in enumerate(values)]

    # ---- errors ----------------------------------------------------------------------------------

    def _raise_structure(self, name: str, before, after):
        raise TypeError(
            errors.message(
                self.label,
                f"{_quoted(name)} must keep its structure from one iteration to the next.",
                required=structure(before),
                received=f"{structure(after)} after one iteration",
                do=f"before the loop, give {_quoted(name)} the structure that it has after an iteration.",
            )
        )

    def _raise_not_carried(self, name: str, before, after):
        shown = after.aval if isinstance(after, Slot) else after
        raise TypeError(
            errors.message(
                self.label,
                f"{_quoted(name)} changes in a loop that depends on traced data, but is not an array.",
                required="an array or a number, before the loop and after each iteration",
                received=f"{show_value(before)} before the loop, {show_value(shown)} after one "
                "iteration",
                do="use a number or an array instead.",
            )
        )

    def _raise_dtype(self, name: str, before, after):
        raise TypeError(
            errors.message(
                self.label,
                f"{_quoted(name)} must keep its dtype from one iteration to the next.",
                required=np.dtype(before.dtype).name,
                received=f"{np.dtype(after.dtype).name} after one iteration",
                do=f"cast the new value: `shims.cast({name}, shims.{np.dtype(before.dtype).name})`.",
            )
        )


def _missing_value(aval, *, is_return: bool):
    """Return the value that a variable defined only in the loop body has if the body never runs.

    It is NaN for inexact dtypes, otherwise 0. For a return value it is 0, which is never read,
    since a flag says that nothing was returned.
    """
    is_float = jnp.issubdtype(aval.dtype, jnp.inexact) and not is_return
    return jnp.full(aval.shape, jnp.nan if is_float else 0, aval.dtype)


def _quoted(name: str) -> str:
    """Return a name as code, and a description such as `the accumulator` unchanged."""
    return name if " " in name else f"`{name}`"


def growing_state(label: str, name: str, before, after) -> errors.GrowingStateError:
    """Return the error for a loop value that changes its shape and cannot be put into a buffer."""
    error = errors.GrowingStateError(
        errors.message(
            label,
            f"{_quoted(name)} changes its shape from one iteration to the next.",
            required=f"{show(before)}, as before the loop",
            received=f"{show(after)} after one iteration",
            do="write into an array of fixed size, or collect the values with `map_fn` or `scan`.",
        )
    )
    error.name, error.before, error.after = name, before, after
    return error
