"""Write the line of source by which a user calls a function of JAX, and compile it.

A name is looked up when the line runs, as in a user's program: a dynamic trace replaces functions in
the modules of JAX. Messages quote the line and name the function in it.
"""

from __future__ import annotations

import functools
import importlib
import linecache
from collections.abc import Callable
from typing import Any

import jax


@functools.cache
def call_of(name: str, count: int, keywords: tuple[str, ...]) -> Callable[..., Any]:
    """Return `lambda a0, a1, k0: jax.numpy.sort(a0, a1, axis=k0)` as a function with source."""
    importlib.import_module(name.rpartition(".")[0])
    positional = [f"a{i}" for i in range(count)]
    named = [f"{key}=k{i}" for i, key in enumerate(keywords)]
    parameters = ", ".join([*positional, *(f"k{i}" for i in range(len(keywords)))])
    # Messages name a function as users write it.
    written = name.replace("jax.numpy.", "jnp.", 1).replace("jax.lax.", "lax.", 1)
    line = f"    return {written}({', '.join([*positional, *named])})\n"
    source = f"def user({parameters}):\n{line}"
    filename = f"{name}_{count}_{'_'.join(keywords)}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {
        "__name__": "user_program",
        "jax": jax,
        "jnp": jax.numpy,
        "lax": jax.lax,
    }
    exec(compile(source, filename, "exec"), namespace)
    return namespace["user"]
