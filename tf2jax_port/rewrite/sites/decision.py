"""Data that the passes share: the parsed file, what becomes of one reference, and the draft of all."""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.calls.corners import Corners
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options, TargetName
from tf2jax_port.rewrite.reading.ignoring import Ignored
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Names
from tf2jax_port.rewrite.reading.source import Source
from tf2jax_port.rewrite.values.values import Values
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.rewrite.writing.spelling import Spelling


@dataclasses.dataclass(slots=True)  # frozen ones take five times as long to make
class Decision:
    """The end of one reference; nobody changes it.

    Attributes:
      state: where it ended.
      code: the diagnostic.
      message: one line for this place.
      symbol: TensorFlow's name, `tf.` in front.
      span: the node whose text the report shows before and after.
      edits: what to write.
      plain: for `--target shims`: the edits do nothing but turn `tf` into `shims`.
    """

    state: State
    code: str
    message: str
    symbol: str
    span: ast.expr
    edits: tuple[Edit, ...] = ()
    plain: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class File:
    """One parsed file, and what its passes found."""

    source: Source
    names: Names
    references: list[Reference]
    values: Values
    corners: Corners
    spelling: Spelling
    options: Options
    frozen: frozenset[ast.AST]  # nodes of string annotations whose text is not in the file
    ignored: Ignored
    neighbors: Neighbors
    strings_frozen: bool = False
    symbolic: bool = True  # there may be symbolic tensors of Keras
    is_shared: bool = False  # another module imports TensorFlow from here: the import stays

    @property
    def target(self) -> TargetName:
        """JAX itself, or TensorFlow's names from `shims`."""
        return self.options.target


@dataclasses.dataclass(frozen=True, slots=True)
class MovedImports:
    """Imports of TensorFlow that come from Keras itself now.

    Attributes:
      edits: of the import statements.
      kept: the references that need no change, because their import changes.
      names: how many names the statements bring.
      module: the name of the file for `keras` itself, `""` where no statement brings one.
    """

    edits: tuple[Edit, ...] = ()
    kept: frozenset[Reference] = frozenset()
    names: int = 0
    module: str = ""


Decisions = dict[Reference, Decision]  # in text order


@dataclasses.dataclass(frozen=True, slots=True)
class Draft:
    """A file between two passes: the decisions until then, and the imports that move."""

    file: File
    decisions: Decisions
    moved: MovedImports = MovedImports()

    def with_decisions(self, decisions: Decisions) -> Draft:
        """Replace the decisions."""
        return dataclasses.replace(self, decisions=decisions)
