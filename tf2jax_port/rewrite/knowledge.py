"""What is known of a TensorFlow name: its row, and by which signature a call of it binds."""

from __future__ import annotations

import dataclasses
import functools

from tf2jax_port import table
from tf2jax_port.rewrite import constructs
from tf2jax_port.rewrite.resolve import Reference, canonical, is_module
from tf2jax_port.rewrite.tf_names import V1_PARAMS
from tf2jax_port.table import Native, Row, Shim

# Version 1 and version 2 have two objects of these names, and equal arguments give equal results.
SAME_IN_VERSION_1 = (
    "argmax",
    "argmin",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "boolean_mask",
    "constant",
    "convert_to_tensor",
    "debugging.assert_equal",
    "debugging.assert_greater",
    "debugging.assert_greater_equal",
    "debugging.assert_integer",
    "debugging.assert_less",
    "debugging.assert_less_equal",
    "debugging.assert_near",
    "debugging.assert_negative",
    "debugging.assert_non_negative",
    "debugging.assert_non_positive",
    "debugging.assert_none_equal",
    "debugging.assert_positive",
    "debugging.assert_rank",
    "debugging.assert_rank_at_least",
    "debugging.assert_rank_in",
    "debugging.assert_scalar",
    "debugging.assert_shapes",
    "debugging.assert_type",
    "expand_dims",
    "foldl",
    "foldr",
    "gather",
    "gather_nd",
    "linalg.norm",
    "map_fn",
    "math.argmax",
    "math.argmin",
    "math.count_nonzero",
    "math.log_softmax",
    "math.reduce_all",
    "math.reduce_any",
    "math.reduce_logsumexp",
    "math.reduce_max",
    "math.reduce_mean",
    "math.reduce_min",
    "math.reduce_prod",
    "math.reduce_sum",
    "math.softmax",
    "nn.log_softmax",
    "nn.moments",
    "nn.sigmoid_cross_entropy_with_logits",
    "nn.softmax",
    "nn.sparse_softmax_cross_entropy_with_logits",
    "norm",
    "ones_like",
    "pad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "scan",
    "shape",
    "size",
    "squeeze",
    "transpose",
    "tuple",
    "zeros_like",
    "nn.avg_pool",
    "nn.avg_pool2d",
    "nn.batch_norm_with_global_normalization",
    "nn.conv1d",
    "nn.conv2d",
    "nn.conv2d_transpose",
    "nn.conv3d",
    "nn.conv3d_transpose",
    "nn.convolution",
    "nn.depth_to_space",
    "nn.depthwise_conv2d",
    "nn.max_pool",
    "nn.pool",
    "nn.separable_conv2d",
    "nn.space_to_depth",
    "nn.sufficient_statistics",
    "nn.weighted_moments",
)


# Parameters of version 1 that version 2 only calls otherwise, beside the renames of the rows.
_RENAMED_SINCE_VERSION_1 = {
    "ones_like": (("tensor", "input"),),
    "zeros_like": (("tensor", "input"),),
    "nn.moments": (("keep_dims", "keepdims"),),
    "norm": (("keep_dims", "keepdims"),),
    "linalg.norm": (("keep_dims", "keepdims"),),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """A row, the part of the reference that names it, and how to bind a call of it.

    Attributes:
      row: the row.
      reference: the reference, cut to what the row names; `rest` are the attributes behind it.
      version_1_params: the parameters of version 1 where they are other ones, otherwise empty.
    """

    row: Row
    reference: Reference
    rest: tuple[str, ...]
    version_1_params: str = ""

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        """Old keywords, and the parameters that they mean."""
        path = self.reference.path
        return (*self.row.renames, *_RENAMED_SINCE_VERSION_1.get(path, ()))


@functools.cache
def rows() -> dict[str, Row]:
    """All rows by name; a name that has two rows is refused."""
    return table.by_name((*table.ROWS, *constructs.ROWS))


def look_up(reference: Reference) -> Known | None:
    """The row of the longest part of a reference that has one."""
    for length in range(len(reference.chain), 0, -1):
        part = reference.shortened(length)
        if is_module(part.path):
            return None
        known = _row_of(part)
        if known is not None:
            rest = reference.dotted[-1][len(part.dotted[-1]) :].strip(".")
            return Known(known[0], part, tuple(filter(None, rest.split("."))), known[1])
    return None


def _row_of(reference: Reference) -> tuple[Row, str] | None:
    path = reference.path
    name = canonical(path, reference.version)
    row = rows().get(name)
    if row is not None:
        return row, ""
    if name.startswith("v1.") and path in SAME_IN_VERSION_1 and path in rows():
        return rows()[path], V1_PARAMS[path]
    return None


def has_another_meaning(reference: Reference) -> bool:
    """Whether the table knows the name, but in TensorFlow 1 it means something else."""
    name = canonical(reference.path, reference.version)
    return name.startswith("v1.") and reference.path in rows()


_IN_THE_TABLE = frozenset(row.name for row in table.ROWS)


def facade(row: Row) -> str | None:
    """The name in `shims` with TensorFlow's own signature, `None` where there is none."""
    if isinstance(row.target, Shim):
        return row.target.function
    made = row.name in _IN_THE_TABLE and (isinstance(row.target, Native) or row.own)
    return f"shims.{row.name}" if made and not row.name.startswith("v1.") else None


def has_exact_form(row: Row) -> bool:
    """Whether `shims` has TensorFlow's rule where the row's plain spelling differs in a corner."""
    return bool(row.own) and facade(row) is not None
