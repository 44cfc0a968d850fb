"""Define the data that the passes share: parsed file, decision and draft."""

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


@dataclasses.dataclass(
    slots=True
)  # not frozen: creating a frozen instance takes five times as long
class Decision:
    """The decision about one TensorFlow reference; treated as immutable.

    Attributes:
      state: the state of the finding.
      code: the diagnostic.
      message: one line that explains the outcome of this reference.
      symbol: TensorFlow's name, with the prefix `tf.`.
      span: the node whose text the report shows before and after.
      edits: the edits to apply.
      plain: with `--target shims`: whether the edits only turn `tf` into `shims`.
      misspelled: start and end of the word for which the message proposes another spelling.
    """

    state: State
    code: str
    message: str
    symbol: str
    span: ast.expr
    edits: tuple[Edit, ...] = ()
    plain: bool = False
    misspelled: tuple[int, int] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class File:
    """One parsed file and the analyses that the passes use."""

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
    moves_pipelines: bool = False  # `tf.data` and strings become those of `shims`
    moves_summaries: bool = False  # `tf.summary` becomes `shims.summary`
    moves_strategies: bool = False  # `tf.distribute` becomes `shims.distribute`
    undecided: dict[int, str] = dataclasses.field(
        default_factory=dict
    )  # offsets of early names, and why
    in_pipelines: frozenset[ast.AST] = frozenset()  # functions that a pipeline of TensorFlow calls

    @property
    def target(self) -> TargetName:
        """The library that operators are rewritten to: `jax` or `shims`."""
        return self.options.target


@dataclasses.dataclass(frozen=True, slots=True)
class MovedImports:
    """Imports from TensorFlow that are replaced by imports from Keras itself.

    Attributes:
      edits: the edits of the import statements.
      kept: the references that need no edit, because their import changes.
      names: the number of names that the statements import.
      module: the file's name for the module `keras`, `""` if no statement imports it.
    """

    edits: tuple[Edit, ...] = ()
    kept: frozenset[Reference] = frozenset()
    names: int = 0
    module: str = ""


Decisions = dict[Reference, Decision]  # in text order


@dataclasses.dataclass(frozen=True, slots=True)
class Draft:
    """The state of a file between two passes: the decisions so far and the replaced Keras imports."""

    file: File
    decisions: Decisions
    moved: MovedImports = MovedImports()

    def with_decisions(self, decisions: Decisions) -> Draft:
        """Return a copy with the given decisions."""
        return dataclasses.replace(self, decisions=decisions)
