"""Rewrite source text: run all steps of the rewriter in order.

source -> resolve names -> bind arguments -> plan edits -> apply once -> fix imports -> source, findings
"""

from __future__ import annotations

import ast
import bisect
import dataclasses
import re

from tf2jax_port.messages.spot import Spot
from tf2jax_port.rewrite.calls.corners import Corners
from tf2jax_port.rewrite.doctests import rewrite_doctests
from tf2jax_port.rewrite.early import spelling
from tf2jax_port.rewrite.findings.findings import Finding, GraphFit, Outcome, State
from tf2jax_port.rewrite.imports import companions, graph_program
from tf2jax_port.rewrite.imports.changes import (
    Brought,
    ImportChange,
    ImportNeeds,
    change_imports,
    tensorflow_imports,
)
from tf2jax_port.rewrite.imports.facade import Swap, swap_import
from tf2jax_port.rewrite.imports.graph_program import GraphProgram
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.passes import run_passes
from tf2jax_port.rewrite.reading.ignoring import Ignored, find_ignored
from tf2jax_port.rewrite.reading.neighbors import ALONE, Neighbors
from tf2jax_port.rewrite.reading.quoted import add_annotations
from tf2jax_port.rewrite.reading.resolve import (
    Reference,
    find_references,
    is_tensorflow,
    may_be_module,
)
from tf2jax_port.rewrite.reading.scopes import Names, resolve_scopes
from tf2jax_port.rewrite.reading.source import Source, UnreadableError, decode, parse, with_data
from tf2jax_port.rewrite.sites.choosing import choose, has_marker
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File
from tf2jax_port.rewrite.sites.host import moves_pipelines
from tf2jax_port.rewrite.sites.kept import tell_kept
from tf2jax_port.rewrite.sites.keras_symbols import may_hold_symbols
from tf2jax_port.rewrite.sites.methods import find_idioms
from tf2jax_port.rewrite.sites.pipelines import pipeline_functions
from tf2jax_port.rewrite.sites.references import EARLY, READ_AS_VERSION_1
from tf2jax_port.rewrite.sites.strategies import moves_strategies
from tf2jax_port.rewrite.sites.summaries import moves_summaries
from tf2jax_port.rewrite.values.values import Values
from tf2jax_port.rewrite.writing import markers
from tf2jax_port.rewrite.writing.edits import Edit, EditedText, OverlapError, apply_edits
from tf2jax_port.rewrite.writing.spelling import choose_spelling

DEFAULTS = Options()
_REDIRECTION = re.compile(rb"\b(?:global|nonlocal)[ \t\f\\]")


def rewrite(
    raw: bytes,
    options: Options = DEFAULTS,
    *,
    is_package: bool = False,
    verify: bool = True,
    neighbors: Neighbors = ALONE,
) -> Outcome:
    """Rewrite the bytes of one Python file.

    Args:
      raw: the bytes of the file.
      options: the options of the run.
      is_package: whether the file is an `__init__.py`, whose imports other files may use.
      verify: whether to parse the result as a check; not needed if only findings are counted.
      neighbors: the other modules of its project.

    Returns:
      The new bytes and one finding for each TensorFlow reference.

    Raises:
      UnreadableError: the bytes are not the text of a Python program.
      LedgerError: findings and references do not match; a bug of the rewriter.
    """
    named = b"tensorflow" in raw or companions.may_import(raw)
    if not (named or markers.has_markers(raw) or neighbors.concern(raw)):
        return Outcome(raw, (), 0)
    source = decode(raw)
    tree = parse(source)
    marked = markers.marker_lines(source, tree) if markers.has_markers(source.data) else []
    version_1 = markers.any_says(source, marked, READ_AS_VERSION_1)
    early = markers.any_says(source, marked, EARLY)
    if marked:
        source = with_data(source, markers.without_lines(source, marked))
        tree = parse(source)
    moved = graph_program.read_as_tensorflow(source, tree)
    ignored = find_ignored(source)
    spelled = None
    if options.selects(spelling.CODE):
        spelled = spelling.spell(source, tree, neighbors, ignored, version_1=version_1, early=early)
    if spelled is not None:
        source, version_1 = spelled.source, True
        tree = parse(source)
        moved = graph_program.read_as_tensorflow(source, tree)
    run = _Run(
        source,
        tree,
        options,
        is_package,
        tuple(marked),
        version_1,
        ignored,
        verify,
        neighbors,
        moved,
        spelled,
    )
    outcome = _run_with_retry(run)
    if ignored.whole_file:
        return dataclasses.replace(outcome, data=raw)
    if options.doctests and b">>>" in raw:
        plain = dataclasses.replace(options, doctests=False)
        return rewrite_doctests(outcome, raw, options, lambda program: rewrite(program, plain))
    return outcome


def _run_with_retry(run: _Run) -> Outcome:
    """Rewrite a file; if the edits cannot be applied, try again without edits inside strings."""
    try:
        return run.outcome(strings_frozen=False)
    except RecursionError as error:
        raise UnreadableError("TJ903", "expressions are nested too deeply") from error
    except (OverlapError, UnreadableError):
        return _run_without_strings(run)


def _run_without_strings(run: _Run) -> Outcome:
    """Rewrite a file without edits inside strings, where Python may report wrong positions."""
    try:
        return run.outcome(strings_frozen=True)
    except (OverlapError, UnreadableError) as error:
        raise UnreadableError("TJ905", f"the planned edits cannot be made: {error}") from error


@dataclasses.dataclass(frozen=True, slots=True)
class _Run:
    """The inputs for rewriting one file.

    `source` no longer has the `# TJ...` comments that earlier runs inserted; `marked` holds their
    line numbers. `moved` are the imports of `shims.compat.v1`, which an earlier run has written. `spelled` says where
    `source` has TensorFlow 1 calls in place of those of TensorFlow 0.x.
    """

    source: Source
    tree: ast.Module
    options: Options
    is_package: bool
    marked: tuple[int, ...]
    version_1: bool
    ignored: Ignored
    verify: bool
    neighbors: Neighbors
    moved: frozenset[ast.AST] = frozenset()
    spelled: spelling.Spelled | None = None

    def outcome(self, *, strings_frozen: bool) -> Outcome:
        """Run all passes and apply the edits; with `strings_frozen`, edit nothing inside strings."""
        redirects = _REDIRECTION.search(self.source.data) is not None
        names = resolve_scopes(self.tree, redirects=redirects)
        frozen = add_annotations(self.source, names)
        found = find_references(names, self.neighbors, version_1=self.version_1)
        stars = [s for s in names.stars if is_tensorflow(s.module or "") and not s.level]
        brought = tensorflow_imports(names, self.neighbors)
        beside = companions.find_companions(
            self.source, names, self.neighbors, self.options, self.ignored
        )
        if not (found or stars or brought or beside):
            return Outcome(self.source.encode(self.source.data), (), 0)
        aliases = [r for r in found if is_alias(names, r) and not self.ignored.covers(r.node, "TJ")]
        sites = [r for r in found if r not in aliases] if aliases else found
        shared = self._is_shared(brought)
        file = self._file(names, sites, frozenset(frozen), strings_frozen, shared)
        fit = graph_program.graph_fit(found)
        graph = self._graph_program(file, fit, brought)
        if graph is not None:
            return self._outcome_of_graph(file, fit, graph, len(brought), beside)
        if self.options.target == "graph":
            eager = dataclasses.replace(self.options, target="shims")
            return dataclasses.replace(self, options=eager).outcome(strings_frozen=strings_frozen)
        draft = run_passes(file)
        file, decisions = draft.file, draft.decisions
        idioms = [choose(found, self.options, self.ignored) for found in find_idioms(file)]
        swaps = self.options.target == "shims" and not (aliases or self.ignored.lines)
        swap = swap_import(file, decisions) if swaps and not file.is_shared else None
        edits = [edit for decision in idioms for edit in decision.edits]
        edits += [edit for companion in beside for edit in companion.edits]
        if swap is not None:
            edits += swap.names
        else:
            edits += [edit for decision in decisions.values() for edit in decision.edits]
        change = self._plan_imports(draft, aliases, brought, edits, swap)
        edits += change.edits
        if not self.ignored.whole_file:
            plain = apply_edits(self.source.data, edits)
            decisions = tell_kept(draft, found, plain, version_1=self.version_1)
        ended = [*decisions.values(), *idioms]
        findings = [*self._findings(file, ended, edits), *map(self._star_finding, stars)]
        findings += [companion.finding(self.source) for companion in beside]
        data = self._apply(edits, findings)
        counted = len(sites) + len(idioms) + len(stars) + len(beside)
        findings = self._in_original_text(findings)
        return Outcome(data, tuple(findings), counted, len(brought), change.dropped, fit)

    def _file(
        self,
        names: Names,
        sites: list[Reference],
        frozen: frozenset[ast.AST],
        strings_frozen: bool,
        is_shared: bool,
    ) -> File:
        """Return the file with the analyses that the passes use."""
        values = Values(names, sites)
        file = File(
            self.source,
            names,
            sites,
            values,
            Corners(self.source.data, values, self.neighbors),
            choose_spelling(names),
            self.options,
            frozen,
            self.ignored,
            self.neighbors,
            strings_frozen,
            may_hold_symbols(self.source.data, names, sites),
            is_shared,
            moves_pipelines(self.options, sites),
            moves_summaries(self.options, sites),
            moves_strategies(self.options, sites, names),
            {} if self.spelled is None else self.spelled.undecided,
        )
        if file.moves_pipelines:
            return file
        return dataclasses.replace(file, in_pipelines=pipeline_functions(names, self.neighbors))

    def _graph_program(
        self, file: File, fit: GraphFit, brought: list[Brought]
    ) -> GraphProgram | None:
        """Return the plan to run a file on `shims.compat.v1`, `None` if not wanted or impossible."""
        if self.moved:
            return graph_program.resumed(file, self.moved)
        if self.options.target == "jax" or not self.options.selects(graph_program.CODE):
            return None
        why = self._why_not_graph(file)
        if self.options.target == "shims":
            fits = fit.kind == "needed" and not (why or file.is_shared or file.names.stars)
            return self._as_graph(file, brought, partly=False) if fits else None
        if fit.kind == "no":
            return None
        if why:
            return graph_program.as_left(file, why) if fit.kind == "needed" else None
        return self._as_graph(file, brought, partly=True)

    def _as_graph(self, file: File, brought: list[Brought], *, partly: bool) -> GraphProgram | None:
        return graph_program.as_graph_program(
            file, brought, keep_all=self.is_package, partly=partly
        )

    def _why_not_graph(self, file: File) -> str:
        """Return why only a part of a file would run on `shims.compat.v1`, `""` if all of it can."""
        if any(is_tensorflow(star.module or "") for star in file.names.stars):
            return "the file builds a graph, and a star import hides which names it uses"
        if self.ignored.lines:
            return (
                "the file builds a graph, and a comment excludes part of the file from the rewrite"
            )
        if self.marked or b"import shims" in self.source.data:
            return (
                "the file builds a graph, and an earlier run has already rewritten part of the file"
            )
        return ""

    def _outcome_of_graph(
        self,
        file: File,
        fit: GraphFit,
        graph: GraphProgram,
        brought: int,
        beside: list[companions.Companion],
    ) -> Outcome:
        """Return the outcome of a TensorFlow 1 program in which only the imports change."""
        findings = self._findings(file, list(graph.decisions), list(graph.edits))
        findings += [each.finding(self.source) for each in companions.for_graph(beside)]
        data = self._apply(list(graph.edits), findings)
        findings = self._in_original_text(findings)
        return Outcome(data, tuple(findings), len(findings), brought, graph.swapped, fit)

    def _is_shared(self, brought: list[Brought]) -> bool:
        """Return whether another module imports TensorFlow from this file, so the import must stay."""
        return any(self.neighbors.takes(a.asname or a.name.partition(".")[0]) for _, a in brought)

    def _plan_imports(
        self,
        draft: Draft,
        aliases: list[Reference],
        brought: list[Brought],
        edits: list[Edit],
        swap: Swap | None,
    ) -> ImportChange:
        """Plan the edits of the import statements."""
        moved = draft.moved
        changed = {r: bool(d.edits) and r not in moved.kept for r, d in draft.decisions.items()}
        needs = ImportNeeds(
            gone=[] if swap else [r for r in changed if changed[r]],
            left=[r for r in changed if not changed[r]],
            aliases=aliases,
            brought=brought,
            new=draft.file.spelling.missing(edits),
            keep_all=self.is_package,
            first_use=min((edit.start for edit in edits), default=0),
        )
        change = change_imports(draft.file, needs)
        if swap is None:
            return ImportChange((*moved.edits, *change.edits), change.dropped + moved.names)
        return ImportChange((*swap.imports, *change.edits), swap.swapped)

    def _findings(self, file: File, decisions: list[Decision], edits: list[Edit]) -> list[Finding]:
        edited = EditedText(self.source.data, edits)
        return [self._finding(file, decision, edited) for decision in decisions]

    def _finding(self, file: File, decision: Decision, edited: EditedText) -> Finding:
        start, end = self.source.span(decision.span)
        before = self.source.data[start:end].decode()
        after = edited.render_node(start, end).decode() if decision.edits else ""
        marker = 0
        if has_marker(decision):
            marker = markers.marker_line(self.source, file.names, decision.span)
        line = decision.span.lineno
        column = len(self.source.data[self.source.starts[line - 1] : start].decode()) + 1
        return Finding(
            line,
            column,
            decision.symbol,
            decision.state,
            decision.code,
            decision.message,
            before,
            after,
            decision.symbol[:3] != "tf.",
            marker,
            misspelling=self._misspelling(decision.misspelled),
        )

    def _misspelling(self, place: tuple[int, int] | None) -> Spot | None:
        """Return the line of a misspelled word, and the word's place in it."""
        if place is None:
            return None
        start, end = place
        line = bisect.bisect_right(self.source.starts, start)
        first, last = self.source.starts[line - 1], self.source.line_end(line)
        data = self.source.data
        column = len(data[first:start].decode()) + 1
        length = len(data[start : min(end, last)].decode())
        return Spot(data[first:last].decode(), column, length)

    def _star_finding(self, star: ast.ImportFrom) -> Finding:
        """Return the finding for `from tensorflow import *`."""
        code, state = "TJ310", State.MANUAL
        message = "the code does not show which other names this statement imports"
        if self.ignored.covers(star, code):
            code, state, message = "TJ502", State.KEPT, f"a comment excludes {code} here"
        elif not self.options.selects(code):
            code, state, message = "TJ503", State.KEPT, f"{code} is not selected"
        else:
            message += self.ignored.mistakes(star)
        return Finding(
            star.lineno,
            star.col_offset + 1,
            f"tf.{'.'.join((star.module or '').split('.')[1:])}*",
            state,
            code,
            message,
            ast.unparse(star),
            marker=star.lineno if state is State.MANUAL else 0,
        )

    def _apply(self, edits: list[Edit], findings: list[Finding]) -> bytes:
        """Apply the edits, and insert the marker comments `# TJ...` of findings."""
        wanted: dict[int, list[str]] = {}
        for finding in findings:
            if finding.marker:
                text = f"{finding.code}: {finding.symbol}: {finding.message}"
                wanted.setdefault(finding.marker, []).append(text)
        data = apply_edits(
            self.source.data,
            [*filter(_inserts_lines, edits), *markers.insertions(self.source, wanted)]
            + [edit for edit in edits if not _inserts_lines(edit)],
        )
        if self.verify and data != self.source.data:
            parse(with_data(self.source, data))
        return self.source.encode(data)

    def _in_original_text(self, findings: list[Finding]) -> list[Finding]:
        """Return the findings with positions and texts of the original file, in its order."""
        if self.spelled is not None:
            findings = [self.spelled.in_old_text(finding) for finding in findings]
        if self.marked:
            findings = [f._replace(line=self._original_line(f.line)) for f in findings]
        return sorted(findings, key=lambda f: (f.line, f.column))

    def _original_line(self, line: int) -> int:
        """Convert a line number to the original file, which still has its old markers."""
        for marked in self.marked:
            line += marked <= line
        return line


def _inserts_lines(edit: Edit) -> bool:
    """Return whether an edit inserts whole lines, which must precede a marker for the next line."""
    last = edit.pieces[-1] if edit.start == edit.end and edit.pieces else ""
    return isinstance(last, str) and last.endswith(("\n", "\r"))


def is_alias(names: Names, reference: Reference) -> bool:
    """Return whether a reference assigns a TensorFlow module to a name: `layers = tf.keras.layers`."""
    parent = names.parents[reference.node]
    return (
        may_be_module(reference.path)
        and not reference.ambiguous
        and isinstance(parent, ast.Assign)
        and parent.value is reference.node
        and len(parent.targets) == 1
        and isinstance(parent.targets[0], ast.Name)
    )
