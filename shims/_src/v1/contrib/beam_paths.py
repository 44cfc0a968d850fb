"""Follow the beams of a search backward: `contrib.seq2seq.gather_tree`."""

from __future__ import annotations

import shims
from shims._src.types.dtypes import int32
from shims._src.v1.control_flow.assertions import Assert
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.nodes import Tensor


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """Return the classes of each beam, followed from its last step to its first.

    Args:
      step_ids: int32 `[time, batch, beams]`, the class that each step appended to a beam.
      parent_ids: int32 `[time, batch, beams]`, the beam that each step extended.
      max_sequence_lengths: `[batch]`, the number of steps of each example.
      end_token: the class after which a beam ends; it fills the remaining steps.
      name: the name of the operation.

    Returns:
      int32 `[time, batch, beams]`.

    Raises:
      InvalidArgumentError: a parent is not a beam, when the session runs.

    Differs from TensorFlow:
      All parents must be valid beams, even those that no final beam uses.
    """
    given = [convert_to_tensor(x, int32) for x in (step_ids, parent_ids, max_sequence_lengths)]
    holds = operation_of(_are_beams, (given[1],), {}, public="reduce_all")
    with get_default_graph().control_dependencies([Assert(holds, ["Saw invalid parent id"])]):
        end = convert_to_tensor(end_token, int32)
        return operation_of(
            _followed,
            (*given, end),
            {},
            public="gather",
            name=name or "GatherTree",
            type_="GatherTree",
        )


def _are_beams(parents):
    return shims.reduce_all((parents >= 0) & (parents < shims.shape(parents)[2]))


def _followed(ids, parents, lengths, end):
    # Both arrays are as long, but a trace does not know it of two lists: parents are read by step.
    times = _times(ids)

    def back(carry, given):
        current, _ = carry
        step, time = given
        is_used = time[:, :1] < lengths[:, None]
        parent = shims.gather(parents, time[0, 0])
        found = shims.where(is_used, shims.gather(step, current, batch_dims=1), end)
        before = shims.where(is_used, shims.gather(parent, current, batch_dims=1), current)
        return before, found

    first = _own_beams(ids[0])
    found = shims.scan(back, (ids, times), (first, first), reverse=True)[1]
    ended = shims.cumsum(shims.cast(shims.equal(found, end), int32), 0, exclusive=True) > 0
    return shims.where(ended, end, found)


def _times(x):
    """Return the number of the step of each element of an array whose first axis is time."""
    return shims.cumsum(shims.ones_like(x, dtype=int32), 0, exclusive=True)


def _own_beams(parents):
    return shims.cumsum(shims.ones_like(parents), -1, exclusive=True)


def sort_by_beam(history: Tensor, parent_ids: Tensor, lengths: Tensor, is_split: bool) -> Tensor:
    """Return what each step kept per beam, in the order of the final beams.

    Args:
      history: `[time, batch, beams, ...]` if `is_split` is set, `[time, batch * beams, ...]` if not.
      parent_ids: `[time, batch, beams]`, the beam that each step extended.
      lengths: `[batch, beams]`, the lengths of the beams.
      is_split: see `history`.
    """
    longest = operation_of(_longest, (lengths,), {}, public="reduce_max")
    beams = operation_of(_own_beams, (parent_ids,), {}, public="tile")
    end = operation_of(_no_beam, (parent_ids,), {}, public="add")
    order = gather_tree(beams, parent_ids, longest, end)
    found = operation_of(_sorted, (history, order, beams, lengths, is_split), {}, public="reshape")
    found.set_shape(history.shape)
    return found


def _longest(lengths):
    return shims.cast(shims.reduce_max(lengths, 1), int32)


def _no_beam(parents):
    return shims.shape(parents)[2] + 1


def _sorted(history, order, beams, lengths, is_split: bool):
    times = _times(order)
    order = shims.where(times < shims.cast(lengths, int32), order, beams)
    examples = shims.cumsum(shims.ones_like(order), 1, exclusive=True)
    sizes, of_history = shims.shape(order), shims.shape(history)
    rest = [of_history[i] for i in range(3 if is_split else 2, history.ndim)]
    places = (times * sizes[1] + examples) * sizes[2] + order
    found = shims.gather(shims.reshape(history, [-1, *rest]), places)
    return found if is_split else shims.reshape(found, [sizes[0], sizes[1] * sizes[2], *rest])
