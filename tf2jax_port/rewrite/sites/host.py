"""Decide references that compute nothing: files, flags, settings, pipelines, unknown names."""

from __future__ import annotations

import ast
import difflib
import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.former_layers import layer_advice
from tf2jax_port.rewrite.findings.outside import find_family
from tf2jax_port.rewrite.knowledge.host_names import (
    ALWAYS,
    NUMPY,
    OF_PIPELINES,
    OLD_FILES,
    TEXTS,
)
from tf2jax_port.rewrite.knowledge.keras_rows import why_unknown
from tf2jax_port.rewrite.knowledge.known import facade, has_another_meaning, look_up, rows
from tf2jax_port.rewrite.names.public_names import is_public, public_names
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.resolve import Reference, canonical, is_module
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.table import Keep
from tf2jax_port.table.version_0 import NAMES

_PIPELINE_CODES = ("TJ521", "TJ522")
_FLAGS = frozenset(
    (
        *("DEFINE_alias", "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_enum_class"),
        *("DEFINE_flag", "DEFINE_float", "DEFINE_integer", "DEFINE_list", "DEFINE_multi_enum"),
        *("DEFINE_multi_float", "DEFINE_multi_integer", "DEFINE_multi_string", "DEFINE_string"),
        *("DEFINE_spaceseplist", "FLAGS", "FlagValues", "mark_flag_as_required"),
        *("mark_flags_as_required", "register_validator", "validator", "DEFINE", "Flag"),
    )
)
_VERSION = re.compile(r"V\d+$")
_OLD_KEYWORDS = ("flag_name", "default_value", "docstring")


def moves_pipelines(options: Options, references: Iterable[Reference]) -> bool:
    """Return whether the pipelines and strings of a file are moved to `shims`.

    This is on request, and only if `shims` has every such name that the file uses.
    """
    if options.data != "shims" and options.target != "shims":
        return False
    return all(_movable(r) for r in references if _is_of_pipeline(r))


def decide_host(file: File, reference: Reference, symbol: str) -> Decision | None:
    """Return the decision for a name of files, settings, flags or pipelines that moves, or `None`."""
    function = _moved_to(file, reference)
    if function is not None:
        edit = Edit(*file.source.span(reference.node), (file.spelling.text(function),))
        message = f"`{function}`, which does the same without TensorFlow"
        plain = function == f"shims.{reference.path}" and reference.version == 2
        span = reference.node
        return Decision(State.SHIM, "TJ407", message, symbol, span, (edit,), plain)
    named = reference.path.startswith(("app.", "flags."))
    return _as_absl(file, reference, symbol) if named else None


class Unknown(NamedTuple):
    """The outcome for a name without a table row; `near` is a similar name that the message proposes."""

    state: State
    code: str
    message: str
    near: str = ""


def explain_unknown(reference: Reference) -> Unknown:
    """Return the outcome for a name without a table row."""
    path = reference.path
    if is_module(path):
        return Unknown(State.MANUAL, "TJ304", "a module of TensorFlow is passed on as a value")
    why = why_unknown(path)
    if why:
        return Unknown(State.MANUAL, "TJ340", why)
    if has_another_meaning(reference):
        message = "the name has different meanings in TensorFlow 1 and TensorFlow 2"
        return Unknown(State.MANUAL, "TJ306", message)
    family = find_family(path)
    if family:
        state = State.KEPT if family.stays else State.MANUAL
        return Unknown(state, family.code, layer_advice(path) or family.message)
    if path in NAMES:
        message = f"TensorFlow 1 has renamed this function: `tf.{NAMES[path].new}`"
        return Unknown(State.MANUAL, "TJ301", message)
    if not is_public(path):
        near = _nearest(path)
        hint = f": did you mean `tf.{near}`?" if near else ""
        return Unknown(State.MANUAL, "TJ301", f"TensorFlow has no such name{hint}", near)
    public = _public_form(path)
    hint = f"; the public operator `tf.{public}` has one" if public else ""
    return Unknown(State.MANUAL, "TJ301", f"the rewriter has no replacement yet{hint}")


def _public_form(path: str) -> str:
    """Return the public operator that a name of `tf.raw_ops` belongs to, empty if none has its name."""
    module, _, name = path.rpartition(".")
    if module != "raw_ops":
        return ""
    letters = _VERSION.sub("", name).lower()
    found = (row for row in rows() if letters in (_letters(row), _letters(row.rpartition(".")[2])))
    return min(
        (row for row in found if not row.startswith(("raw_ops.", "v1."))), key=len, default=""
    )


def _letters(name: str) -> str:
    return name.replace(".", "").replace("_", "")


@functools.cache
def _nearest(path: str) -> str:
    """Return the most similar public name, empty if there is none."""
    names = [*rows(), *public_names()]
    found = difflib.get_close_matches(path, names, n=1, cutoff=0.8)
    return found[0] if found else ""


def _is_of_pipeline(reference: Reference) -> bool:
    """Return whether a name makes or reads values of a pipeline, or strings."""
    path = reference.path
    family = find_family(path)
    known = path in OF_PIPELINES or path.startswith(("strings.", "lookup."))
    return known or (family is not None and family.code in _PIPELINE_CODES)


def _movable(reference: Reference) -> bool:
    return _pipeline_name(reference) is not None


def _pipeline_name(reference: Reference) -> str | None:
    """Return the function of `shims` for a name of pipelines or strings, `None` if there is none."""
    if reference.ambiguous:
        return None
    if canonical(reference.path, reference.version) in OF_PIPELINES:
        return f"shims.{reference.path}"
    known = look_up(reference)
    if known is None or known.version_1_params or not isinstance(known.row.target, Keep):
        return None
    return facade(known.row) if not known.rest else None


def _moved_to(file: File, reference: Reference) -> str | None:
    """Return the name in `shims` that replaces a name of files, settings or pipelines, if any."""
    path = canonical(reference.path, reference.version)
    if path in ALWAYS or path.startswith(NUMPY) or _is_of_text(path):
        return f"shims.{path}"
    if reference.path in OLD_FILES:
        called = file.names.parents[reference.node]
        keywords = isinstance(called, ast.Call) and called.keywords
        return None if keywords else f"shims.{OLD_FILES[reference.path]}"
    return _pipeline_name(reference) if file.moves_pipelines else None


def _is_of_text(path: str) -> bool:
    """Return whether a name is a text, or a method of one."""
    return any(f"{path}.".startswith(f"{text}.") for text in TEXTS)


def _as_absl(file: File, reference: Reference, symbol: str) -> Decision | None:
    """Return the decision for a name of `tf.flags` or `tf.app` that absl has, if any."""
    path = reference.path.removeprefix("app.")
    module, _, name = path.partition(".")
    node = reference.node
    parent = file.names.parents[node]
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    if reference.path == "app.run" and call is not None:
        return _as_app(file, call, symbol)
    if module == "flags" and name.partition(".")[0] in _FLAGS:
        if call is not None and any(k.arg in _OLD_KEYWORDS for k in call.keywords):
            return None
        state = State.REVIEW if name.startswith("FLAGS") else State.REWRITTEN
        return _renamed(file, node, f"flags.{name}", symbol, state)
    return None


def _as_app(file: File, call: ast.Call, symbol: str) -> Decision | None:
    """Return the decision for a call of `tf.app.run`, whose function is `main` if none is given."""
    if call.args or call.keywords:
        return _renamed(file, call.func, "app.run", symbol, State.REVIEW)
    if "main" not in file.names.module.bindings:
        return None
    return _renamed(file, call, "app.run(main)", symbol, State.REVIEW)


def _renamed(file: File, node: ast.expr, text: str, symbol: str, state: State) -> Decision:
    written = file.spelling.text(text)
    edit = Edit(*file.source.span(node), (written,))
    if state is State.REWRITTEN:
        message = f"`{written}` of absl, which TensorFlow uses"
        return Decision(state, "TJ115", message, symbol, node, (edit,))
    message = "absl parses the command line in `app.run` and rejects undefined flags: read flags in `main`"
    return Decision(state, "TJ209", message, symbol, node, (edit,))
