"""Put the parts of a written module together: docstring, imports, loading, helpers, functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tf2jax_port.exporting import layout
from tf2jax_port.exporting.definitions import DEFINITIONS
from tf2jax_port.exporting.inputs import Signature
from tf2jax_port.exporting.module import Module


def assembled(
    module: Module, parts: Sequence[str], title: str, signature: Signature, constants: Sequence[str]
) -> str:
    """Return the source of the module."""
    functions = "\n\n".join(_with_docstring(module, text) for text in parts)
    helpers = "\n\n".join(DEFINITIONS[name].text for name in module.helpers)
    arrays = '\n\nCONSTANTS = load("constants")\n' if module.constants else ""
    state = (
        '\n\ndef load_state():\n    """Return the variables that are not trained, by their scopes."""\n'
        '    return load("state")\n'
        if signature.has_state
        else ""
    )
    text = "\n".join(
        [
            _HEAD.format(title=title) + "".join(f"{line}\n" for line in constants),
            _LOADING + state + arrays + ("\n\n" + helpers if helpers else "") + "\n\n" + functions,
        ]
    )
    return _imports(text)


def _with_docstring(module: Module, text: str) -> str:
    if "_docstring_" not in text:
        return text
    name = re.match(r"def (\w+)", text)
    found = next(f for f in module.functions if name is not None and f.name == name[1])
    shown = [f"`{s}`" for s in dict.fromkeys(found.scopes)]
    scopes = " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
    word = "Scopes" if len(shown) > 1 else "Scope"
    where = ""
    if found.lines:
        lines = [s.line for s in found.lines if s.file == found.lines[0].file]
        where = (
            f" ({found.lines[0].file}:{min(lines)}-{max(lines)})"
            if min(lines) != max(lines)
            else f" ({found.lines[0]})"
        )
    line = f'    """{word} {scopes}{where}."""'
    if len(line) > layout.WIDTH:
        line = f'    """{word} {shown[0]} and {len(shown) - 1} more{where}."""'
    return text.replace("_docstring_", line)


def _imports(text: str) -> str:
    """Add the imports that a module uses."""
    body = text.split("_imports_\n", 1)[1]
    uses = lambda name: re.search(rf"\b{name}\b", body) is not None
    standard = [f"import {n}" for n in ("functools", "pathlib") if uses(n)]
    others = ["import jax"] if uses("jax") else []
    others += ["import jax.numpy as jnp"] if uses("jnp") else []
    others += ["import numpy as np"]
    others += ["import optax"] if uses("optax") else []
    others += ["from jax import lax"] if uses("lax") else []
    if re.search(r"\bshims\.", body):
        others += ["", "import shims"]
    return text.replace("_imports_\n", "\n".join([*standard, "", *others]) + "\n", 1)


_HEAD = '''"""{title}"""

_imports_

ARRAYS = pathlib.Path(__file__).with_suffix(".npz")
'''

_LOADING = '''
def load(kind):
    """Return the arrays of one kind in the file beside this module, in dictionaries by their scopes."""
    found = {}
    with np.load(ARRAYS) as file:
        for name in file.files:
            root, *scopes, last = name.split("/")
            if root == kind:
                place = found
                for scope in scopes:
                    place = place.setdefault(scope, {})
                place[last] = jnp.asarray(file[name])
    return found


def load_params():
    """Return the trained variables as they were at the first step, by their scopes."""
    return load("params")
'''
