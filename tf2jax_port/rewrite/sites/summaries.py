"""Decide names of `tf.summary`: the writer of `shims`, unlike TensorFlow's, accepts arrays of a compiled function.

A writer that is the default in TensorFlow is not that of `shims`. Therefore either all summaries move, or none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.host_names import OF_SUMMARIES
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.writing.edits import Edit

CODE = "TJ339"
_TOLD = (
    "the function is compiled, and TensorFlow's writer does not accept traced arrays: return the value and write "
    "the summary outside of the function, or use `shims.summary` for the writer and all summaries (`--target shims`)"
)
_WRITING = tuple(
    f"summary.{name}" for name in ("scalar", "histogram", "image", "audio", "text", "write")
)
_COMPILERS = ("shims.function", "shims.dynamic", "jax.jit")
_METHODS_OF_FIT = ("call", "train_step", "test_step")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def moves_summaries(options: Options, references: Iterable[Reference]) -> bool:
    """Return whether the summaries of a file are moved to `shims`: on request, if it has all of them."""
    if options.target != "shims":
        return False
    used = [r for r in references if r.path.startswith("summary.")]
    return all(r.path in OF_SUMMARIES and r.version == 2 and not r.ambiguous for r in used)


def decide_summary(file: File, reference: Reference, symbol: str) -> Decision | None:
    """Return the decision for a summary that moves to `shims` or stands in a compiled function, or `None`."""
    path, node = reference.path, reference.node
    if not path.startswith("summary.") or reference.version != 2:
        return None
    if file.moves_summaries:
        function = f"shims.{path}"
        edit = Edit(*file.source.span(node), (file.spelling.text(function),))
        message = f"`{function}`, which does the same without TensorFlow"
        return Decision(State.SHIM, "TJ407", message, symbol, node, (edit,), plain=True)
    if path not in _WRITING or compiled_functions(file).isdisjoint(file.names.ancestors(node)):
        return None
    return Decision(State.MANUAL, CODE, _TOLD, symbol, node)


def compiled_functions(file: File) -> set[ast.AST]:
    """Return the functions of a file that are compiled, and those that they call by name."""
    functions = [n for n in file.names.parents if isinstance(n, _Definition)]
    named: dict[str, list[_Definition]] = {}
    for function in functions:
        named.setdefault(function.name, []).append(function)
    waiting = [f for f in functions if _is_compiled(file, f)]
    for call in (n for n in file.names.parents if isinstance(n, ast.Call)):
        if _compiles(file, call.func) and call.args:
            waiting += named.get(_name_of(call.args[0]), [])
    found: set[ast.AST] = set()
    while waiting:
        function = waiting.pop()
        if function not in found:
            found.add(function)
            waiting += [f for name in _called(function) for f in named.get(name, [])]
    return found


def _is_compiled(file: File, function: _Definition) -> bool:
    """Return whether a function is decorated to be compiled, or is a method that `fit` compiles."""
    if any(_compiles(file, decorator) for decorator in function.decorator_list):
        return True
    home = file.names.parents[function]
    bases = [_name_of(base) for base in home.bases] if isinstance(home, ast.ClassDef) else []
    return function.name in _METHODS_OF_FIT and any(b.endswith(("Layer", "Model")) for b in bases)


def _compiles(file: File, node: ast.expr) -> bool:
    """Return whether an expression is `tf.function`, `shims.function` or similar, called or not."""
    if isinstance(node, ast.Call):
        return _compiles(file, node.func)
    reference = file.values.by_node.get(node)
    return reference.path == "function" if reference else ast.unparse(node) in _COMPILERS


def _called(function: _Definition) -> Iterator[str]:
    return (_name_of(node.func) for node in ast.walk(function) if isinstance(node, ast.Call))


def _name_of(node: ast.expr) -> str:
    """Return the name of a function or class, `step` for `self.step`, `""` for other expressions."""
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))
