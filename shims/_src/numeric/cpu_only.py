"""Mark computations on integers that only CPUs have; elsewhere the program is refused when it is lowered."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import accelerators
from shims._src.platform import jax_private as jp

cpu_only_p = jp.Primitive("cpu_only")


def cpu_only(function: str, x, received: str):
    """Return an array for a computation that accelerators have for floats, but not for integers.

    Args:
      function: the operator that is refused elsewhere.
      x: the array.
      received: the description of `x` for the message.

    Raises:
      UnimplementedError: on an accelerator; for traced arrays when the program is lowered.
    """
    if not jnp.issubdtype(x.dtype, jnp.integer):
        return x
    text = errors.message(
        function,
        "there is no kernel for integers on this device.",
        required="floating-point numbers on an accelerator",
        received=received,
        do="cast to float32, which is exact up to 2 ** 24, or run on CPU: JAX_PLATFORMS=cpu",
    )
    is_cpu = accelerators.runs_on_cpu(x)
    if is_cpu is False:
        raise errors.UnimplementedError(text)
    return x if is_cpu is True else cpu_only_p.bind(x, text=text)


def _identity(x, *, text):
    del text
    return x


def _refuse(x, *, text):
    raise errors.UnimplementedError(text)


def _jvp(primals, tangents, *, text):
    del tangents
    out = cpu_only_p.bind(*primals, text=text)
    return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())


cpu_only_p.def_impl(_identity)
cpu_only_p.def_abstract_eval(_identity)
accelerators.register_forms(cpu_only_p, cpu=_identity, default=_refuse)
jp.ad.primitive_jvps[cpu_only_p] = _jvp
jp.batching.primitive_batchers[cpu_only_p] = lambda args, dims, *, text: (
    cpu_only_p.bind(*args, text=text),
    dims[0],
)
