"""Define `recompute_grad`, which recomputes a function in the backward pass to save memory."""

from __future__ import annotations

import functools

import jax

from shims._src.arguments.conversion import as_array
from shims._src.gradients.custom_gradient import with_rule
from shims._src.gradients.tape import GradientTape
from shims._src.platform import jax_private as jp
from shims._src.recording import recording
from shims._src.recording.connectivity import is_differentiable


def recompute_grad(f):
    """Recompute the intermediate values of a function for its gradient, instead of storing them.

    Args:
      f: a function of arrays.

    Returns:
      A function with the same arguments and results.

    Raises:
      Only errors that `f` raises.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts as `jax.checkpoint(f)`.

    Example:
      >>> jax.grad(recompute_grad(lambda x: x * x))(3.0).item()
      6.0

    https://www.tensorflow.org/api_docs/python/tf/recompute_grad
    """

    @functools.wraps(f)
    def call(*args, **kwargs):
        if jp.below(jp.current_trace()) is not jp.core.eval_trace:
            return _call_checkpointed(f, args, kwargs)
        return _recomputed(f, args, kwargs)

    return call


def _call_checkpointed(f, args, kwargs):
    leaves, tree = jax.tree.flatten((args, kwargs))
    places = [i for i, x in enumerate(leaves) if isinstance(x, jax.Array)]

    def on_arrays(*arrays):
        full = list(leaves)
        for i, x in zip(places, arrays, strict=True):
            full[i] = x
        given, named = jax.tree.unflatten(tree, full)
        return f(*given, **named)

    return jax.checkpoint(on_arrays)(*[leaves[i] for i in places])


def _recomputed(f, args, kwargs):
    """Call `f` without recording its operations; the backward pass calls it again and records them."""

    def computed(*args):
        with recording.unrecorded():
            result = f(*args, **kwargs)

        def gradient(*cotangents, variables=()):
            leaves, tree = jax.tree.flatten(args)
            sources = [x for x in leaves if isinstance(x, jax.Array)]
            with GradientTape() as tape:
                # Copies, since one argument may have been computed from another one.
                fresh = {id(x): as_array(x) + 0 if is_differentiable(x) else x for x in sources}
                sources = [fresh[id(x)] for x in sources]
                tape.watch([sources, list(variables)])
                again = f(
                    *jax.tree.unflatten(tree, [fresh.get(id(x), x) for x in leaves]), **kwargs
                )
            outputs = jax.tree.leaves(again)
            found = tape.gradient(outputs, [sources, list(variables)], list(cotangents))
            return tuple(found) if variables else found[0]

        return result, gradient

    return with_rule(computed, args, {}, hidden=True)
