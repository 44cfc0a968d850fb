"""Write the entry of one TensorFlow object."""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Iterator
from typing import Any

from shims._src.arguments.kernels import spoken
from tf2jax_port.rewrite import Finding, State
from tf2jax_port.rewrite.calls.corners import depends_on_arguments
from tf2jax_port.rewrite.knowledge import graph_names, version_1
from tf2jax_port.rewrite.knowledge import known as knowledge
from tf2jax_port.rewrite.names.tf_names import V1_PARAMS
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.pages import STATES
from tf2jax_port.table import Native, Row, Shim, optimizers
from tf2jax_port.table.plain_forms import OF_ARRAYS, OF_NUMBERS
from tools.data_files import ROOT
from tools.operator_pages import rewriting
from tools.operator_pages.docstrings import Docstring, entries, line, parse, sentence
from tools.operator_pages.subjects import TENSORFLOW_PAGE, Subject, spell, subjects
from tools.scorecard.wording import MARKS, as_sentence

_IN_JAX = "What replaces it in plain JAX"
_WITH_FORMS = (*OF_NUMBERS, *OF_ARRAYS)
_WITH_KEYS = Options(random="keys")
_NOTHING = ("", "Nothing.", "nothing")
_WITH_USES = (*optimizers.OPTIMIZERS, *optimizers.SCHEDULES)
_USES = (
    "with `--optimizers optax`, in a graph program and with another `--target`, the outcome differs; see [What the "
    "rewriter writes](../optimizers.md#what-the-rewriter-writes)."
)
_CODE_ONLY = re.compile(r"`[^`]*`")


def entry(subject: Subject, like: list[Subject] | None = None) -> str:
    """Return the Markdown text of an entry; `like` are other objects of which the same is known."""
    told = parse(subject.documentation)
    parts = [f"## {subject.names[0]}", *_names(subject)]
    parts += [f"The same holds for {', '.join(f'`{s.names[0]}`' for s in like)}."] if like else []
    parts += [f"```python\n{text}\n```" for text in _signature(subject)]
    parts += [line(told.text)] if told.text else []
    facts = [*_replacement(subject), *_facts(subject, told)]
    parts += ["\n".join(f"- **{title}:** {text}" for title, text in facts)] if facts else []
    for title in ("Args", "Raises"):
        parts += _listed(title, told.sections.get(title, ""))
    parts += _methods(subject)
    page = TENSORFLOW_PAGE.search(subject.documentation)
    parts += [f"[TensorFlow's page]({page[0]})"] if page else []
    return "\n\n".join(parts) + "\n"


def _names(subject: Subject) -> Iterator[str]:
    """Yield the other names; programs of TensorFlow 1 spell its names without `compat.v1`."""
    old = (n.replace("tf.compat.v1.", "tf.", 1) for n in subject.names if ".v1." in n)
    in_version_1 = [f"`{name}`" for name in old if name not in _names_today()]
    others = [f"`{name}`" for name in subject.names[1:]]
    parts = [f"In TensorFlow 1: {', '.join(in_version_1)}."] if in_version_1 else []
    parts += [f"Also {', '.join(others)}."] if others else []
    if parts:
        yield " ".join(parts)


@functools.cache
def _names_today() -> frozenset[str]:
    """Return the names that TensorFlow 2 has."""
    return frozenset(name for subject in subjects() for name in subject.names)


def _signature(subject: Subject) -> Iterator[str]:
    """Yield the call as TensorFlow spells it."""
    params = _parameters_of(subject)
    if params is None:
        return
    text = f"{subject.names[0]}({params})"
    if len(text) > 72:
        text = f"{subject.names[0]}(\n" + "".join(f"    {p},\n" for p in _split(params)) + ")"
    yield text


def _parameters_of(subject: Subject) -> str | None:
    row = subject.row
    if row is not None and subject.name.startswith("keras.") and isinstance(row.target, Shim):
        return None  # Keras documents them
    params = row.params if row else None
    # A class that does not tell its arguments is made by functions of its own.
    is_made_by_call = not isinstance(subject.value, type) or "\nArgs:" in subject.documentation
    if params is None and subject.documentation and is_made_by_call:
        params = _parameters(subject.value)
    return params


def _split(params: str) -> list[str]:
    """Split a parameter list at its commas outside of brackets."""
    return re.split(r",\s*(?![^(\[{]*[)\]}])", params)


def _parameters(value: Any) -> str | None:
    if isinstance(value, type) and issubclass(value, Exception):
        return None
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    plain = found.replace(return_annotation=inspect.Signature.empty)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in plain.parameters.values()]
    text = str(plain.replace(parameters=bare))[1:-1]
    return None if " at 0x" in text or "<" in text else text


# ---- what the rewriter writes --------------------------------------------------------------------


def _replacement(subject: Subject) -> Iterator[tuple[str, str]]:
    row = subject.row
    found = finding(subject)
    if row is not None and isinstance(row.target, Native) and row.target.fields:
        yield _title(row.target.expression), _expression(subject, row, row.target, found)
    if row is not None:
        yield from _plain_forms(row)
        if (
            subject.has_row_of_table
            and isinstance(row.target, Shim)
            and row.name not in _WITH_FORMS
        ):
            yield _IN_JAX, "the table has no expression."
    if found is not None:
        yield "Rewriter", outcome(found)
        yield from _other_arguments(row, found)
        yield from _as_a_value(subject, found)
        yield from _of_optimizers(subject)
    if _in_graphs(subject):
        yield (
            "Programs of graphs",
            f"`{_in_graphs(subject)}`; see [TensorFlow 1](../tensorflow_1.md).",
        )
    if row is not None:
        note = row.note if found is None or row.note not in found.message else ""
        if note and isinstance(row.target, Native):
            yield "The expression differs", line(sentence(note))
        yield from _keys(subject, found)
        yield from _former(row)


def is_alike(one: Subject, other: Subject) -> bool:
    """Return whether of two objects no more is known than the same advice of the rewriter."""
    found = [finding(subject) for subject in (one, other)]
    told = [(f.code, f.message) for f in found if f is not None and f.state is State.MANUAL]
    is_bare = not (one.documentation or other.documentation or one.aliases or other.aliases)
    return is_bare and len(told) == 2 and told[0] == told[1] and not _parameters_of(other)


def finding(subject: Subject) -> Finding | None:
    """Return what the rewriter does with a call that passes only the necessary arguments, or with the name."""
    name = subject.names[0]
    params = subject.row.params if subject.row is not None else None
    if params is None and subject.row is None:
        params = _parameters_of(subject)
    found = rewriting.of_call(name, params) if params is not None else None
    return found or rewriting.of_name(name)


def _as_a_value(subject: Subject, called: Finding) -> Iterator[tuple[str, str]]:
    """Yield what the rewriter does with a name that is passed on, if only that must be written by hand."""
    found = rewriting.of_name(subject.names[0])
    if found is not None and found.state is State.MANUAL and called.state is not State.MANUAL:
        yield "Rewriter, if the name is passed on as a value", outcome(found)


def _of_optimizers(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield where it is described how the uses of an optimizer or a schedule decide what is written."""
    if subject.name in _WITH_USES or subject.name.removeprefix("v1.") in optimizers.DECAYS:
        yield "Depends on the use", _USES


def _other_arguments(row: Row | None, found: Finding) -> Iterator[tuple[str, str]]:
    """Say when a call has another state than the call of the page, whose arguments are variables."""
    if row is None or not row.note or row.note not in found.message:
        return
    if found.state is not State.REWRITTEN or not depends_on_arguments(row.name):
        return
    yield (
        "Rewriter, with other arguments",
        "if the code lets this difference occur, the call is marked for review ([TJ201](../rules/TJ201.md)); if the "
        "difference is certain ([TJ403](../rules/TJ403.md)), and with `--exact`, the call becomes a call of "
        f"`{knowledge.facade(row)}`.",
    )


def outcome(found: Finding) -> str:
    """Return the sentence that describes a finding, with a link to its diagnostic."""
    what = f"[{found.code}](../rules/{found.code}.md), {STATES[found.state]}."
    message = found.message
    if found.state in (State.MANUAL, State.KEPT) or found.after in ("", found.before):
        return what if _CODE_ONLY.fullmatch(message) else f"{what} {sentence(line(message))}"
    edit = f"`{_one_line(found.before)}` becomes `{_one_line(found.after)}`"
    name = f"`{found.after.partition('(')[0]}`"
    if _CODE_ONLY.fullmatch(message):
        return f"{what} {edit}."
    # A message may begin with the new name.
    rest = message.removeprefix(name) if message.startswith(f"{name}, ") else f"; {message}"
    return f"{what} {sentence(edit + line(rest))}"


def _one_line(code: str) -> str:
    return " ".join(code.split())


def _in_graphs(subject: Subject) -> str:
    """Return the name in `shims.compat.v1` of an object that only TensorFlow 1 has, empty if it has none."""
    name = subject.name.removeprefix("v1.")
    is_old = subject.name.startswith(("v1.", "contrib."))
    return f"shims.compat.v1.{name}" if is_old and graph_names.has_name(name) else ""


def _title(expression: str) -> str:
    return _IN_JAX if re.search(r"\b(?:jnp|jax|lax)\.", expression) else "Replacement"


def _expression(subject: Subject, row: Row, native: Native, found: Finding | None) -> str:
    text = f"`{native.expression.replace('{', '').replace('}', '')}`."
    facade = knowledge.facade(row)
    if facade is None or row.params is None or (found and found.after.startswith(facade)):
        return text
    left = rewriting.parameters_left_to(facade, subject.names[0], row.params)
    given = " or ".join(
        filter(None, (", ".join(f"`{n}`" for n in left[:-1]), *(f"`{n}`" for n in left[-1:])))
    )
    return f"{text} A call with {given} becomes a call of `{facade}`." if left else text


def _plain_forms(row: Row) -> Iterator[tuple[str, str]]:
    if row.name in OF_NUMBERS:
        argument, native = OF_NUMBERS[row.name]
        text = native.expression.replace("{", "").replace("}", "")
        yield _IN_JAX, f"`{text}`, if `{argument}` is a number in the source text."
    if row.name in OF_ARRAYS:
        yield _IN_JAX, f"`{OF_ARRAYS[row.name]}`, if all operands are arrays."


def _keys(subject: Subject, found: Finding | None) -> Iterator[tuple[str, str]]:
    """Yield what the rewriter writes for a draw with `--random keys`, if that is another text."""
    row = subject.row
    if row is None or row.params is None or found is None:
        return
    keyed = rewriting.of_call(subject.names[0], row.params, _WITH_KEYS)
    if keyed is not None and keyed.after and keyed.after != found.after:
        yield "Rewriter with `--random keys`", outcome(keyed)


def _former(row: Row) -> Iterator[tuple[str, str]]:
    """Yield how TensorFlow 1 differs."""
    if V1_PARAMS.get(row.name):
        yield "TensorFlow 1", f"`{spell(f'v1.{row.name}')}({V1_PARAMS[row.name]})`."
    differs = version_1.differs(row.name)
    if differs:
        yield "In TensorFlow 1", line(sentence(differs))


# ---- what the docstring and the tests tell -------------------------------------------------------


def _facts(subject: Subject, told: Docstring) -> Iterator[tuple[str, str]]:
    row = subject.row
    differs = told.sections.get("Differs from TensorFlow")
    if differs is not None:
        yield "Differs from TensorFlow", line(sentence(differs))
    if row is not None and subject.has_row_of_table:
        if row.takes:
            takes = [(", ".join(f"`{n}`" for n in names), spoken(w)) for names, w in row.kernels]
            yield "Dtypes", "; ".join(f"{names}: {words}" for names, words in takes) + "."
        if row.no_gradient:
            yield "No gradient", line(sentence(row.no_gradient))
    if "Under jit" in told.sections:
        text = line(sentence(told.sections["Under jit"]))
        yield "Under `jit`", text.replace("`Padded`", "[`Padded`](../api.md#shimspadded)")
    yield from _cookbook(subject)
    yield from _tests(subject)


def _listed(title: str, section: str) -> Iterator[str]:
    found = [(n, text) for n, text in entries(section) if n != "name"]
    if found:
        shown = {"Args": "Arguments"}.get(title, title)
        rows = [f"- `{name}`: {line(text)}" if name else f"- {line(text)}" for name, text in found]
        yield f"**{shown}**\n\n" + "\n".join(rows)


def _methods(subject: Subject) -> Iterator[str]:
    """Yield the list of the methods that a class has itself, with their first lines and differences."""
    if not isinstance(subject.value, type):
        return
    rows = []
    for name in sorted(_own(subject.value)):
        told = parse(inspect.getdoc(inspect.getattr_static(subject.value, name)) or "")
        differs = told.sections.get("Differs from TensorFlow", "")
        text = f"- `{name}`: {line(told.summary)}"
        if " ".join(differs.split()) not in _NOTHING:
            text += f" Differs from TensorFlow: {line(differs)}"
        rows.append(text)
    if rows:
        yield "**Members**\n\n" + "\n".join(rows)


def _own(value: type) -> set[str]:
    """Return the public documented members that a class does not inherit from a class with an entry."""
    found = set()
    for place in value.__mro__:
        is_described = place is not value and place in _classes()
        if is_described or not place.__module__.startswith("shims"):
            continue
        for name, member in vars(place).items():
            is_member = inspect.isroutine(member) or isinstance(member, property)
            function = getattr(member, "__func__", member)
            if name[0] != "_" and is_member and function.__doc__:
                found.add(name)
    return found


@functools.cache
def _classes() -> frozenset[type]:
    """Return the classes that have an entry."""
    return frozenset(s.value for s in subjects() if isinstance(s.value, type))


# ---- other pages ---------------------------------------------------------------------------------


def _cookbook(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the entries of the cookbook whose TensorFlow code calls the operator."""
    if subject.row is None or subject.row.params is None:
        return
    sections = [title for title, names in _recipes().items() if names & set(subject.names)]
    if sections:
        links = (f"[{title}](../cookbook.md#{_anchor(title)})" for title in sections)
        yield "Cookbook", ", ".join(links) + "."


@functools.cache
def _recipes() -> dict[str, set[str]]:
    """Return the titles of the cookbook's entries, and the names in their code."""
    text = (ROOT / "docs" / "cookbook.md").read_text()
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)[1:]
    return {
        title: set(re.findall(r"\btf(?:\.\w+)+", body))
        for title, body in zip(parts[::2], parts[1::2], strict=True)
    }


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _tests(subject: Subject) -> Iterator[tuple[str, str]]:
    cells = _scorecard().get(subject.row.name if subject.row else subject.name, {})
    shown = {lane: cell for lane, cell in cells.items() if cell["state"] != "absent"}
    if {cell["state"] for cell in shown.values()} <= {"untested", "n/a"}:
        return
    marks = ", ".join(f"{lane} {MARKS[cell['state']]}" for lane, cell in shown.items())
    reasons = dict.fromkeys(
        cell["why"]
        for lane, cell in shown.items()
        if cell["state"] == "differs" and lane != "jit_compile"
    )
    why = " ".join(line(sentence(as_sentence(reason))) for reason in reasons if reason)
    yield "[Tests](../scorecard.md)", f"{marks}.{f' {why}' if why else ''}"


@functools.cache
def _scorecard() -> dict[str, dict[str, dict[str, Any]]]:
    data = json.loads((ROOT / "docs" / "scorecard.json").read_text())
    return {line["name"]: line["cells"] for line in data["symbols"]}
