"""Mark the results of loops without a bound, which have no reverse-mode derivative.

JAX raises its error in the backward pass, and that error names neither the user's line nor a remedy.
The results therefore pass through an identity primitive after the loop. The backward pass reaches that
primitive before the loop, and the primitive's transpose rule raises an error that names both.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import jax_private as jp

forward_mode_only_p = jp.Primitive("forward_mode_only")


def forward_mode_only(results):
    """Mark the results of a loop; reverse-mode differentiation raises an error with the user's line."""
    line = errors.user_line()

    def marked(x):
        if not isinstance(x, jax.Array) or not jnp.issubdtype(x.dtype, jnp.inexact):
            return x
        return forward_mode_only_p.bind(x, line=line)

    return jax.tree.map(marked, results)


@forward_mode_only_p.def_impl
@forward_mode_only_p.def_abstract_eval
def _identity(x, *, line):
    del line
    return x


def _jvp(primals, tangents, *, line):
    out = forward_mode_only_p.bind(*primals, line=line)
    if type(tangents[0]) is jp.ad.Zero:
        return out, tangents[0]
    return out, forward_mode_only_p.bind(tangents[0], line=line)


def _transpose(ct, x, *, line):
    if type(ct) is jp.ad.Zero:
        return [ct]
    raise errors.UnimplementedError(
        errors.message(
            "while_loop",
            "reverse-mode differentiation needs a bound on the number of iterations, since every "
            "iteration is stored.",
            at=line,
            do=(
                "for a count `n`, write `shims.bounded(n, max=...)` in the condition or the `range`; otherwise pass "
                "`maximum_iterations=` to `shims.while_loop` or `shims.autograph.experimental.set_loop_options`; in "
                "place of `lax.fori_loop(0, n, f, c)` write "
                "`lax.scan(lambda c, i: (f(i, c), None), c, jnp.arange(n))[0]`; or use `shims.GradientTape` in "
                "place of `jax.grad` and `shims.function` in place of `jax.jit`, where the loop needs no bound"
            ),
        )
    )


def _batch(args, dims, *, line):
    return forward_mode_only_p.bind(*args, line=line), dims[0]


jp.mlir.register_lowering(forward_mode_only_p, jp.mlir.lower_fun(_identity, multiple_results=False))
jp.ad.primitive_jvps[forward_mode_only_p] = _jvp
jp.ad.primitive_transposes[forward_mode_only_p] = _transpose
jp.batching.primitive_batchers[forward_mode_only_p] = _batch
