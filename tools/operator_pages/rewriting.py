"""Ask the rewriter what it writes for a name or a call."""

from __future__ import annotations

import functools
import re

from tf2jax_port.rewrite import Finding, rewrite
from tf2jax_port.rewrite.knowledge.bind import signature
from tf2jax_port.rewrite.options import Options

_DEFAULTS = Options()
_MISSING = re.compile(r"the argument `(\w+)` is not given")
_IMPORT = "import tensorflow as tf\n\n\n"


def call_of(name: str, params: str) -> tuple[str, str]:
    """Return the parameters without a default, and a call of a function that passes them as variables."""
    needed = [p for p in signature(params) if p.default is None and not p.variadic]
    given = [f"{p.name}={p.name}" if p.keyword_only else p.name for p in needed]
    return ", ".join(p.name for p in needed), f"{name}({', '.join(given)})"


@functools.cache
def of_call(name: str, params: str, options: Options = _DEFAULTS) -> Finding | None:
    """Return the finding for a call with variables for the parameters that have no default."""
    parameters, call = call_of(name, params)
    found = _finding(f"def compute({parameters}):\n    return {call}\n", name, options)
    while found is not None and (missing := _MISSING.search(found.message)):
        # TensorFlow 1 gives some necessary parameters a default.
        parameters = f"{parameters}, {missing[1]}"
        call = f"{call[:-1]}, {missing[1]}={missing[1]})"
        again = _finding(f"def compute({parameters}):\n    return {call}\n", name, options)
        if again == found:
            break
        found = again
    return found


def parameters_left_to(function: str, name: str, params: str) -> list[str]:
    """Return the parameters that JAX lacks: a call with one of them becomes a call of a function of `shims`."""
    parameters, call = call_of(name, params)
    found = []
    for parameter in signature(params):
        if parameter.default is None or parameter.variadic or parameter.name == "name":
            continue
        names = f"{parameters}, {parameter.name}".removeprefix(", ")
        text = f"{call[:-1]}, {parameter.name}={parameter.name})".replace("(, ", "(")
        finding = _finding(f"def compute({names}):\n    return {text}\n", name, _DEFAULTS)
        if finding is not None and finding.after.startswith(f"{function}("):
            found.append(parameter.name)
    return found


@functools.cache
def of_name(name: str, options: Options = _DEFAULTS) -> Finding | None:
    """Return the finding for a name that a program passes on."""
    return _finding(f"value = {name}\n", name, options)


def _finding(code: str, name: str, options: Options) -> Finding | None:
    """Return the finding for a name; it may be the finding for an alias, or for a part of the name."""
    outcome = rewrite(f"{_IMPORT}{code}".encode(), options=options)
    found = [finding for finding in outcome.findings if not finding.method]
    own = [finding for finding in found if name.endswith(finding.symbol.removeprefix("tf"))]
    return next(iter(own or found), None)
