"""Choose the symbols on the scorecard: the table's, those around operators, the commonest ones."""

from __future__ import annotations

import dataclasses
import functools

from tf2jax_port.rewrite.knowledge import known as knowledge
from tf2jax_port.table import ROWS, Keep, Manual, Row, Shim
from tools.scorecard.census_symbols import SYMBOLS

# Whose place is another library, or the graph of version 1; shown all the same.
OUTSIDE = {
    "keras.": "Keras",
    "slim.": "slim",
    "contrib.": "contrib",
    "v1.": "graphs, sessions and layers of TensorFlow 1",
    "train.": "graphs, sessions and layers of TensorFlow 1",
    "Graph": "graphs, sessions and layers of TensorFlow 1",
    "name_scope": "graphs, sessions and layers of TensorFlow 1",
    "control_dependencies": "graphs, sessions and layers of TensorFlow 1",
    "no_op": "graphs, sessions and layers of TensorFlow 1",
    "group": "graphs, sessions and layers of TensorFlow 1",
}
# Families whose rows stay TensorFlow, on the host: nothing in them computes on arrays. A row that stays
# for another reason is of the surroundings, and red.
ON_THE_HOST = {
    "strings.": "strings",
    "lookup.": "lookup tables",
    "image.": "files of images",
    "sparse.cross": "strings",  # of words that it joins; `sparse.cross_hashed` computes
}
# Results, or meanings, that depend on data: beside the rows that are `fresh`.
DYNAMIC = (
    *("boolean_mask", "where", "unique", "unique_with_counts", "setdiff1d", "v1.setdiff1d"),
    *("sets.difference", "sets.intersection", "sets.size", "sets.union"),
    *("dynamic_partition", "dynamic_stitch", "parallel_stack", "sequence_mask", "range"),
    *("linspace", "fill", "zeros", "ones", "eye", "one_hot", "repeat", "tile", "broadcast_to"),
    *("pad", "slice", "strided_slice", "split", "reshape", "math.top_k", "nn.top_k"),
    *("math.in_top_k", "searchsorted", "gather", "gather_nd", "scatter_nd", "reverse_sequence"),
    *("tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min"),
    *("tensor_scatter_nd_sub", "tensor_scatter_nd_update", "math.bincount", "meshgrid"),
    *("histogram_fixed_width", "histogram_fixed_width_bins", "image.crop_and_resize"),
    *("image.combined_non_max_suppression", "while_loop", "TensorArray", "map_fn", "scan"),
    *("foldl", "foldr", "vectorized_map", "cond", "case", "switch_case", "nn.ctc_loss"),
    *("nn.ctc_greedy_decoder", "nn.ctc_beam_search_decoder", "nn.embedding_lookup"),
    *("edit_distance", "math.confusion_matrix", "RaggedTensor", "sparse.SparseTensor"),
)
_DYNAMIC_PREFIXES = ("ragged.", "sparse.", "sets.", "math.segment_", "math.unsorted_segment_")


@dataclasses.dataclass(frozen=True)
class Symbol:
    """One line of the scorecard.

    Attributes:
      name: TensorFlow's name, without `tf.`.
      rank: its rank among the commonest symbols, 0 for others.
      row: its row in the table, `None` without one.
      family: `dynamic`, `surroundings`, or the name of another library or area.
    """

    name: str
    rank: int
    row: Row | None
    family: str

    @property
    def is_outside(self) -> bool:
        """Whether the symbol belongs to another library."""
        return self.family not in ("dynamic", "surroundings")

    @property
    def is_offered(self) -> bool:
        """Whether there is anything to test."""
        return self.row is not None and not isinstance(self.row.target, (Keep, Manual))


def _is_dynamic(name: str, row: Row | None) -> bool:
    names = row.names if row else (name,)
    return (
        (row is not None and row.fresh)
        or any(n in DYNAMIC for n in names)
        or name.startswith(_DYNAMIC_PREFIXES)
    )


def _family(name: str, row: Row | None) -> str:
    kept = row is not None and row in ROWS and isinstance(row.target, Keep)
    host = _started(name, ON_THE_HOST) if kept else ""
    if _is_dynamic(name, row) and not host:
        return "dynamic"
    if row is not None and row in ROWS:
        return host or "surroundings"
    return _started(name, OUTSIDE) or "surroundings"


def _started(name: str, families: dict[str, str]) -> str:
    """Return the family of a name by its prefix, `""` for none."""
    for start, family in families.items():
        if name == start or (start.endswith(".") and name.startswith(start)):
            return family
    return ""


@functools.cache
def symbols() -> tuple[Symbol, ...]:
    """Return all symbols: the commonest first, then the table's in alphabetical order."""
    known = knowledge.rows()
    ranks: dict[str, int] = {}
    for rank, name in enumerate(SYMBOLS, 1):
        row = known.get(name)
        ranks.setdefault(row.name if row else name, rank)
    operators = {r.name for r in ROWS if r.params is not None}
    around = {r.name for r in known.values() if r.params and isinstance(r.target, Shim)}
    names = [*ranks, *sorted((operators | around) - set(ranks))]
    return tuple(
        Symbol(name, ranks.get(name, 0), known.get(name), _family(name, known.get(name)))
        for name in names
    )
