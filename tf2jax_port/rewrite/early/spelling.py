"""Rewrite the TensorFlow 0.x calls in a file as calls of version 1, before anything else is decided.

Only names and keywords change, so every other byte stays and every line keeps its number. If the arguments do not show
the meaning of a name, the name stays and must be rewritten by hand.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.early.orders import Kind, Order, kind_of, order_of, switches
from tf2jax_port.rewrite.early.places import Places
from tf2jax_port.rewrite.findings.findings import Finding
from tf2jax_port.rewrite.reading.ignoring import Ignored
from tf2jax_port.rewrite.reading.layout import Argument, call_layout
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.quoted import enclosing_string
from tf2jax_port.rewrite.reading.resolve import Reference, find_references, tensorflow_path
from tf2jax_port.rewrite.reading.scopes import Names, Scope, resolve_scopes
from tf2jax_port.rewrite.reading.source import Source, with_data
from tf2jax_port.rewrite.writing.edits import Edit, apply_edits
from tf2jax_port.table.version_0 import IN_BOTH, NAMES, NAMESPACES, REORDERED, Early

CODE = "TJ408"
_ORDER = "the order of the arguments is not certain: pass the arguments with the keywords of TensorFlow 1"
_OTHER = "since TensorFlow 1.0 the name is `tf.{}`, which has different arguments"
_LAST = {name.rpartition(".")[2] for name in (*NAMES, *REORDERED)} | {"seq2seq"}
_LAST_REORDERED = {name.rpartition(".")[2]: name for name in REORDERED}
_LAST_EARLY = _LAST - _LAST_REORDERED.keys()
_HINT = re.compile(rb"\.\s*(?:%s)\b" % "|".join(sorted(_LAST)).encode())
_PRIVATE = re.compile(r"python\.ops\.\w+\.(\w+)")


@dataclasses.dataclass(frozen=True, slots=True)
class Spelled:
    """A file whose calls are TensorFlow 1 calls.

    Attributes:
      old: the original text.
      source: the new text.
      places: the positions of the new text in the old one.
      written: the offsets, in the new text, of the calls that changed.
      undecided: the offsets, in the new text, of names whose arguments do not show what they mean, and
        the reasons.
    """

    old: Source
    source: Source
    places: Places
    written: frozenset[int]
    undecided: dict[int, str]

    def in_old_text(self, finding: Finding) -> Finding:
        """Return a finding about the new text as one about the old text."""
        line = self.source.starts[finding.line - 1]
        text = self.source.data[line : self.source.line_end(finding.line)].decode()
        start = line + len(text[: finding.column - 1].encode())
        end = start + len(finding.before.encode())
        first, last = self.places.back(start), self.places.back(end)
        before = self.old.data[first:last].decode()
        own = self.old.data[self.old.starts[finding.line - 1] : first].decode()
        finding = finding._replace(column=len(own) + 1, before=before)
        if start not in self.written:
            return finding
        new = self.source.data[start:end].decode()
        name = _called(before)
        early = f"the call is written with the name of TensorFlow 0.x, `{name}`"
        if name == _called(new):
            early = "the arguments have the order of TensorFlow 0.x"
        if finding.code == "TJ405":
            return finding._replace(code=CODE, message=early, after=new)
        return finding._replace(message=f"{finding.message}; {early}", after=finding.after or new)


def spell(
    source: Source,
    tree: ast.Module,
    neighbors: Neighbors,
    ignored: Ignored,
    *,
    version_1: bool,
    early: bool,
) -> Spelled | None:
    """Write the TensorFlow 0.x calls as those of version 1; return `None` if there are none.

    Args:
      source: the text.
      tree: its tree.
      neighbors: the other modules of the project.
      ignored: the comments that exclude code from rewriting.
      version_1: whether the file is known to be written for TensorFlow 1.
      early: whether it is known to be written for TensorFlow 0.x.
    """
    if not (early or _may_be_early(source, tree)):
        return None
    names = resolve_scopes(tree)
    sites = _find_sites(names, neighbors, version_1=version_1)
    if early or any(site.says_early for site in sites):
        sites = _find_sites(names, neighbors, version_1=True)
    else:
        sites = [site for site in sites if site.reference.path in IN_BOTH]
    if not sites:
        return None
    edits: list[Edit] = []
    written: list[int] = []
    undecided: dict[int, str] = {}
    for site in sites:
        start = source.span(site.reference.node)[0]
        changes = None if ignored.covers(site.reference.node, CODE) else _write(source, names, site)
        if changes is None:
            undecided[start] = _OTHER.format(site.early.new) if site.order else _ORDER
        elif changes:
            written.append(start)
            edits += changes
    places = Places(edits)
    return Spelled(
        source,
        with_data(source, apply_edits(source.data, edits)),
        places,
        frozenset(map(places.forward, written)),
        {places.forward(start): why for start, why in undecided.items()},
    )


def _called(text: str) -> str:
    """Return the name that a call begins with, or the name itself."""
    return re.split(r"[\s(\\]", text, maxsplit=1)[0]


def _may_be_early(source: Source, tree: ast.Module) -> bool:
    """Return whether a file may have names or orders of TensorFlow 0.x, without resolving any name."""
    if not _HINT.search(source.data):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in _LAST_EARLY:
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = _LAST_REORDERED.get(node.func.attr)
            if name and order_of(name, node, kind_of) == "early":
                return True
    return False


@dataclasses.dataclass(frozen=True, slots=True)
class _Site:
    """A name that TensorFlow 0.x had, or whose arguments had a different order there.

    Attributes:
      reference: the reference.
      early: how to call it from version 1.0 on.
      call: the call of it, if it is called.
      order: the order of the arguments; empty if they do not show it.
      says_early: whether it says that the file is written for TensorFlow 0.x.
    """

    reference: Reference
    early: Early
    call: ast.Call | None
    order: Order
    says_early: bool


def _find_sites(names: Names, neighbors: Neighbors, *, version_1: bool) -> list[_Site]:
    found = find_references(names, neighbors, version_1=version_1)
    return [site for r in found if (site := _site(names, r)) is not None]


def _site(names: Names, reference: Reference) -> _Site | None:
    if reference.ambiguous or not isinstance(reference.node, ast.Attribute):
        return None
    path = _PRIVATE.sub(r"\1", reference.path)
    parent = names.parents[reference.node]
    call = parent if isinstance(parent, ast.Call) and parent.func is reference.node else None
    if path in NAMES:
        return _Site(reference, NAMES[path], call, "early", path not in IN_BOTH)
    for old, new in NAMESPACES:
        if path.startswith(old):
            moved = Early(new + path.removeprefix(old))
            return _Site(reference, moved, call, "early", says_early=True)
    if path not in REORDERED or call is None:
        return None
    if path.startswith("nn.") and reference.version != 1 and call.args:
        order: Order = ""  # TensorFlow 2 takes them by position, too, in a different order
    else:
        order = order_of(path, call, lambda node: _kind_in(reference.scope, node))
    return _Site(reference, REORDERED[path], call, order, order == "early")


def _kind_in(scope: Scope, node: ast.expr) -> Kind:
    """Return what an expression is, by itself or by all assignments to its name."""
    if not isinstance(node, ast.Name):
        return kind_of(node)
    home = scope.lookup(node.id)
    bindings = [] if home is None else home.bindings[node.id]
    kinds = {"" if b.value is None else kind_of(b.value) for b in bindings}
    return kinds.pop() if len(kinds) == 1 else ""


def _write(source: Source, names: Names, site: _Site) -> list[Edit] | None:
    """Return the edits of one name, `None` if the name stays because its meaning is not known."""
    if site.order == "later":
        return []
    name = _rename(source, site)
    if not site.order or name is None or enclosing_string(names, site.reference.node) is not None:
        return None
    if not site.early.params:
        return name
    arguments = None if site.call is None else _write_arguments(source, site.early, site.call)
    return None if arguments is None else name + arguments


def _rename(source: Source, site: _Site) -> list[Edit] | None:
    """Return the edit that writes the new name, `None` if the name cannot be written at this position."""
    reference, new = site.reference, site.early.new
    if reference.path.startswith("python."):
        owner, old = reference.chain[-2:]
        head, old_name = "", reference.path.rpartition(".")[2]
        if "." in new:
            return None
    else:
        owner, old = reference.chain[0], reference.node
        head, old_name = tensorflow_path(reference.dotted[0])[0], reference.path
    if old_name == new:
        return []
    if head and not new.startswith(f"{head}."):
        return None
    start, end = source.span(owner)[1], source.span(old)[1]
    compat = re.match(rb"(?:\.compat\.v1)?", source.data[start:end])
    start += compat.end() if compat else 0
    if source.data[start:end] != f".{old_name.removeprefix(f'{head}.')}".encode():
        return None  # a comment or a line break stands inside the name
    return [Edit(start, end, (f".{new.removeprefix(f'{head}.')}",))]


def _write_arguments(source: Source, early: Early, call: ast.Call) -> list[Edit] | None:
    """Return the edits that give the arguments the keywords of version 1, `None` if it lacks one."""
    arguments = call_layout(source, call).arguments
    if any(isinstance(a.node, ast.Starred) or a.keyword == "**" for a in arguments):
        return None
    edits: list[Edit] = []
    by_position = True
    if early.new == "image.resize_images":
        return _join_size(arguments)
    for index, argument in enumerate(arguments):
        new = _new_name(early, index, argument)
        if not new or (isinstance(argument.node, ast.List | ast.Tuple) and new == "name"):
            return None  # 1.x lacks the parameter, or takes one name where 0.x took several
        if early.new == "reverse" and new == "axis":
            chosen = switches(argument.node)
            if not chosen:
                return None  # which axes it reverses is not known
            axes = [axis for axis, reverses in enumerate(chosen) if reverses]
            edits.append(Edit(*source.span(argument.node), (str(axes),)))
        if argument.keyword is not None:
            by_position = False
            if argument.keyword != new:
                end = argument.start + len(argument.keyword.encode())
                edits.append(Edit(argument.start, end, (new,)))
            continue
        by_position = by_position and early.order[index : index + 1] == (new,)
        if not by_position:
            edits.append(Edit(argument.start, argument.start, (f"{new}=",)))
    return edits


def _join_size(arguments: tuple[Argument, ...]) -> list[Edit] | None:
    """Return the edits that make one argument of a height and a width; they must be given by position."""
    if len(arguments) < 3 or any(a.keyword is not None for a in arguments[:3]):
        return None
    opened, closed = arguments[1].start, arguments[2].end
    return [Edit(opened, opened, ("[",)), Edit(closed, closed, ("]",))]


def _new_name(early: Early, index: int, argument: Argument) -> str:
    """Return the parameter of version 1 for an argument, `""` if there is none."""
    old = argument.keyword
    if old is None:
        return early.renamed[index] if index < len(early.renamed) else ""
    named = dict(zip(early.params, early.renamed, strict=True))
    # A new keyword beside old ones: releases shortly before 1.0 knew both.
    return named.get(old, old if old in early.renamed else "")
