"""List the calls that are timed operator by operator, in one text for TensorFlow and `shims`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Call:
    """One operator on inputs of some size.

    Attributes:
      name: the operator.
      run: a function of a module with TensorFlow's names and the inputs.
      inputs: the names of its inputs in `arrays`.
      common: whether it is among the twenty commonest operators with data-dependent sizes.
    """

    name: str
    run: Callable[..., Any]
    inputs: tuple[str, ...]
    common: bool = True


CALLS = (
    Call("shape", lambda t, x: t.shape(x), ("x",)),
    Call("where (1 argument)", lambda t, mask: t.where(mask), ("mask",)),
    Call("where (3 arguments)", lambda t, mask, x, y: t.where(mask, x, y), ("mask", "x", "y")),
    Call("reshape", lambda t, x: t.reshape(x, [-1, 10]), ("x",)),
    Call("concat", lambda t, x, y: t.concat([x, y], 0), ("x", "y")),
    Call("gather", lambda t, x, ids: t.gather(x, ids), ("x", "ids")),
    Call("gather_nd", lambda t, table, pairs: t.gather_nd(table, pairs), ("table", "pairs")),
    Call("range", lambda t, x: t.range(t.shape(x)[0]), ("x",)),
    Call("zeros", lambda t, x: t.zeros(t.shape(x)), ("x",)),
    Call("tile", lambda t, x: t.tile(x, [2]), ("x",)),
    Call("broadcast_to", lambda t, row, x: t.broadcast_to(row, t.shape(x)), ("row", "table")),
    Call("pad", lambda t, table: t.pad(table, [[1, 1], [2, 2]]), ("table",)),
    Call("boolean_mask", lambda t, x, mask: t.boolean_mask(x, mask), ("x", "mask")),
    Call("cumsum", lambda t, x: t.cumsum(x), ("x",)),
    Call("math.top_k", lambda t, x: t.math.top_k(x, 10), ("x",)),
    Call(
        "scatter_nd",
        lambda t, pairs, part, table: t.scatter_nd(pairs, part, t.shape(table)),
        ("pairs", "part", "table"),
    ),
    Call("sequence_mask", lambda t, lengths: t.sequence_mask(lengths), ("lengths",)),
    Call("repeat", lambda t, row, lengths: t.repeat(row, lengths), ("row", "lengths")),
    Call("one_hot", lambda t, lengths: t.one_hot(lengths, 100), ("lengths",)),
    Call("searchsorted", lambda t, ordered, y: t.searchsorted(ordered, y), ("ordered", "y")),
    Call("sort", lambda t, x: t.sort(x), ("x",), False),
    Call("argmax", lambda t, x: t.argmax(x), ("x",), False),
    Call("unique", lambda t, ids: t.unique(ids), ("ids",), False),
    Call("math.bincount", lambda t, ids: t.math.bincount(ids), ("ids",), False),
    Call(
        "math.segment_sum",
        lambda t, x, rising: t.math.segment_sum(x, rising),
        ("x", "rising"),
        False,
    ),
    Call(
        "math.unsorted_segment_sum",
        lambda t, x, ids: t.math.unsorted_segment_sum(x, ids, 100),
        ("x", "ids"),
        False,
    ),
    Call(
        "dynamic_partition",
        lambda t, x, parts: t.dynamic_partition(x, parts, 4),
        ("x", "parts"),
        False,
    ),
    Call(
        "reverse_sequence",
        lambda t, table, lengths: t.reverse_sequence(table, lengths, seq_axis=1),
        ("table", "lengths"),
        False,
    ),
    Call(
        "image.non_max_suppression",
        lambda t, boxes, scores: t.image.non_max_suppression(boxes, scores, 100),
        ("boxes", "scores"),
        False,
    ),
)


def arrays(size: int) -> dict[str, np.ndarray]:
    """Create the inputs, most of them with `size` elements."""
    random = np.random.default_rng(0)
    side = int(size**0.5)
    x = random.normal(size=size).astype(np.float32)
    ids = random.integers(0, 100, size).astype(np.int32)
    corners = random.uniform(size=(size // 10, 4)).astype(np.float32)
    corners[:, 2:] = corners[:, :2] + corners[:, 2:] / 10
    return {
        "x": x,
        "y": x[::-1].copy(),
        "mask": x > 0,
        "ids": ids,
        "rising": np.sort(ids),
        "parts": ids % 4,
        "ordered": np.sort(x),
        "table": x[: side * side].reshape(side, side),
        "row": x[:side].copy(),
        "lengths": random.integers(0, side, side).astype(np.int32) % 100,
        "pairs": random.integers(0, side, (size // 2, 2)).astype(np.int32),
        "part": x[: size // 2].copy(),
        "boxes": corners,
        "scores": x[: size // 10].copy(),
    }
