"""Choose between a computation's forms for CPUs and for accelerators, by where it runs.

Inside a program the choice is made when it is lowered, because a program that is traced in a process with a
GPU may be compiled for a CPU. Outside it depends on where the arrays lie.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import jax_private as jp

# Whether CPUs are taken for accelerators, so that tests need none. To be set before anything is traced.
pretended = False


def chosen(*args, cpu, default):
    """Call `cpu` or `default`, whichever is for the platform on which the result is computed."""
    if pretended:
        return default(*args)
    if jp.ambient_is_eager() and not any(map(jp.is_tracer, jax.tree.leaves(args))):
        return (cpu if on_cpu(*jax.tree.leaves(args)) else default)(*args)
    of_cpu, of_others = jp.varying_alike([lambda xs: cpu(*xs), lambda xs: default(*xs)], args)
    return lax.platform_dependent(args, cpu=of_cpu, default=of_others)


def runs_on_cpu(*args):
    """Return whether the result of a computation on `args` is computed on a CPU.

    It is a Python bool for concrete arrays. In a program it becomes a constant when the program is
    lowered, and XLA removes what `where` does not choose.
    """
    if pretended:
        return False
    if jp.ambient_is_eager() and not any(map(jp.is_tracer, jax.tree.leaves(args))):
        return on_cpu(*jax.tree.leaves(args))
    return runs_on_cpu_p.bind()


def on_cpu(*arrays) -> bool:
    """Return whether concrete arrays lie on a CPU; arrays of NumPy lie on the default device."""
    if pretended:
        return False
    placed = [x for x in arrays if isinstance(x, jax.Array)]
    if not placed:
        return default_is_cpu()
    return all(d.platform == "cpu" for x in placed for d in x.devices())


def default_is_cpu() -> bool:
    """Return whether new arrays are put on a CPU."""
    if pretended:
        return False
    device = jax.config.jax_default_device
    if device is None:
        return jax.default_backend() == "cpu"
    return (device if isinstance(device, str) else device.platform) == "cpu"


def register_forms(primitive, cpu, default) -> None:
    """Let a primitive be lowered as the function `cpu` on CPUs, and as `default` elsewhere."""

    def on_a_cpu(*args, **params):
        return (default if pretended else cpu)(*args, **params)

    for form, platform in ((on_a_cpu, "cpu"), (default, None)):
        jp.mlir.register_lowering(
            primitive, jp.mlir.lower_fun(form, multiple_results=False), platform=platform
        )


runs_on_cpu_p = jp.Primitive("runs_on_cpu")
runs_on_cpu_p.def_impl(lambda: jnp.asarray(default_is_cpu()))
runs_on_cpu_p.def_abstract_eval(lambda: jp.ShapedArray((), np.dtype(bool)))
register_forms(runs_on_cpu_p, cpu=lambda: jnp.bool_(True), default=lambda: jnp.bool_(False))
