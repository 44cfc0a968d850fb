"""Re-export the names of `tf.nest`."""

from shims._src.types.nest import assert_same_structure as assert_same_structure
from shims._src.types.nest import flatten as flatten
from shims._src.types.nest import is_nested as is_nested
from shims._src.types.nest import map_structure as map_structure
from shims._src.types.nest import pack_sequence_as as pack_sequence_as

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]
