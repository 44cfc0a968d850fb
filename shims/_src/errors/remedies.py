"""List replacements to suggest for calls that require a data-dependent size while tracing."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.errors.failing_call import FailingCall

ANY = (
    "copy the array into an array of static size, `jnp.zeros(8).at[jnp.arange(n)].set(y)` with `n = y.shape[0]`, or "
    "keep the size of `x` and fill the other elements with 0: `jnp.where(mask, x, 0)` in place of `x[mask]`"
)
INSIDE_SHARD_MAP = (
    "apply `shims.dynamic` to the function inside of `shard_map`: "
    "`jax.jit(jax.shard_map(shims.dynamic(f), mesh=mesh, ...))`"
)
IF_STATIC = f"if this call works on arrays of static sizes, {ANY}"
WITHOUT_GRADIENT = (
    "JAX has no derivative of this call: if you do not need a gradient through this call, pass "
    "`jax.lax.stop_gradient(y)` in place of `y`"
)
WITHOUT_ROWS = (
    "JAX has no batching rule for this call: compute one row after another with `jax.lax.map(f, x)` in place of "
    "`jax.vmap(f)(x)`"
)
OF_OBJECTS = "write `jnp.asarray(n)` or `jnp.array([n, 2])`: NumPy keeps sizes as Python objects"
DECISION = (
    "write `shims.cond` or `shims.where`, or set `autograph=True`, which converts `if`, `while`, "
    "`and`, `or`, `in`"
)
SEARCH = (
    "write `jnp.any(jnp.asarray(values) == value)` in place of `value in values`; the result is "
    "an array for `shims.cond` or `shims.where`"
)
VALUE = "keep the value as an array; convert it to a Python number or a NumPy array after the call"
NUMBER = (
    "JAX needs a Python number here: pass a number to the function, `f(x, 2)` in place of `f(x, jnp.asarray(2))`, "
    "or write `shims.switch_case` with a branch for each number"
)
KEY = "choose between the values: `jnp.where(n > 1, a, b)` in place of `{True: a, False: b}[n > 1]`"
CHOSEN = (
    "a number that is assigned in an `if` over sizes becomes an array: call the function in each branch, with the "
    "number of this branch"
)
SAME_SIZE = (
    "declare the two sizes equal: `shims.same_size(a, b)` returns `a` with the size of `b` and checks at run time "
    "that the sizes are equal"
)

_BRANCHES = "write `shims.cond` or `shims.switch_case`, whose branches may return different sizes"
MEETING = {
    "cond": _BRANCHES,
    "switch": _BRANCHES,
    "while_loop": "write `shims.while_loop`, and name the sizes that change in `shape_invariants`",
    "fori_loop": "write a `for` statement that `shims.function` converts",
    "scan": "carry a static size and a mask, or write `shims.while_loop`",
}
_TOP_K = "write `shims.math.top_k(y, k)`, which checks `k` at run time"
ITEMS = "use `shims.map_fn` or `jax.vmap`, or a `for` statement that `shims.function` converts"
_REMEDIES = {
    "unstack": "pass the number of slices, which is checked at run time: `shims.unstack(y, num=3)`",
    "top_k": _TOP_K,
    "approx_max_k": _TOP_K,
    "len": "write `y.shape[0]`: Python's `len` can return only numbers",
    "range": "write `jnp.arange(n)`, or a `for` statement that `shims.function` converts",
    "polyfit": "write `jnp.linalg.lstsq(jnp.vander(x, deg + 1), y)[0]`",
    "delete": "select the other elements: `y[~jnp.isin(jnp.arange(y.shape[0]), i)]` (add `y.shape[0]` to negative positions)",
    "any": "write `jnp.any(y > 3)`, which returns an array",
    "all": "write `jnp.all(y > 3)`, which returns an array",
    "list": ITEMS,
    "tuple": ITEMS,
    "enumerate": ITEMS,
    "zip": ITEMS,
}
HOST = ("numpy", "math")  # packages whose functions compute with numbers only


def remedy(call: FailingCall) -> str:
    """Return the suggested replacement for a failed call, `""` if none is known."""
    if call.package in HOST:
        if hasattr(jnp, call.name):
            return f"write `jnp.{call.name}`: `{call.function}` needs numbers, which are known only at run time"
        return ""
    return _REMEDIES.get(call.name, "")
