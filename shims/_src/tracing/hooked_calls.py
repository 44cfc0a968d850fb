"""Keep the sizes that a nested program makes computable when JAX differentiates the program.

JAX splits the jaxprs of `jax.jit`, `jax.checkpoint`, `lax.cond` and `lax.scan` as it splits those of statements that
are staged (`size_carriers.py`). This concerns `jax.grad` inside of a dynamic trace: outside of it, JAX differentiates
the lowered program.
"""

from __future__ import annotations

from shims._src.platform import linear_scans
from shims._src.platform.jaxprs import is_jaxpr
from shims._src.sizes import size_carriers

# The names of JAX's primitives that call the jaxprs in their parameters.
_CALLS = ("jit", "pjit", "checkpoint", "remat", "remat2", "cond", "scan", "while")


def install(wrap, *tables) -> None:
    """Install the hooks in JAX's tables of derivative rules.

    Args:
      wrap: a function of a rule and a hook that returns the hooked rule.
      tables: dicts from primitives to rules.
    """
    linear_scans.install()
    for table in tables:
        for primitive in [p for p in table if p.name in _CALLS]:
            table[primitive] = wrap(table[primitive], _with_carriers)


def _with_carriers(state, rule, *operands, **params):
    """Differentiate a call, after carriers of the sizes that its jaxprs make were added to them."""
    return rule(*operands, **{name: _attached(value) for name, value in params.items()})


def _attached(value):
    if isinstance(value, tuple):
        return tuple(map(_attached, value)) if any(map(is_jaxpr, value)) else value
    return size_carriers.attached_in_call(value) if is_jaxpr(value) else value
