"""Create the errors that the lowering raises, with the user's source line."""

from __future__ import annotations

from typing import Any

from shims._src.errors import errors, remedies
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import own_equations
from shims._src.platform.thread_state import ThreadStack

# The equations that are being lowered, from the outside in; errors tell their lines.
EQUATIONS: ThreadStack[Any] = ThreadStack()


def line_of(eqn) -> str:
    """Return the user's source line of an equation, with its text."""
    # Equations of an inner `jax.jit` know lines of that function only.
    for one in (eqn, *reversed(EQUATIONS.items)):
        line = errors.line_in(jp.scopes_of(one))
        if line:
            return line
        place = jp.user_line_of(one)
        if place is not None:
            return errors.line_of(*place)
    # An operator called outside of a function is traced by itself: the user's line is its call.
    return errors.user_line()


def line_of_result(jaxpr, var) -> str:
    """Return the user's source line that computes a result of a program, `""` if unknown."""
    made = next((eqn for eqn in own_equations(jaxpr) if any(v is var for v in eqn.outvars)), None)
    return "" if made is None else line_of(made)


def _refusal(text: str) -> errors.FreshSizeError:
    """Return an error about a step that cannot be staged for any sizes; it is never taken for the program's own."""
    return errors.as_refusal(errors.FreshSizeError(text))


def reused_size_error(dim) -> errors.FreshSizeError:
    """Return the error for two different sizes with the same dimension variable."""
    return _refusal(
        errors.message(
            "",
            f"the data-dependent size `{dim}` has two numbers here, since the nested program that makes it runs "
            "twice.",
            required=(
                "one number for each size: a nested program is traced once, so both runs share the names of its sizes"
            ),
            at="",
            do="call the function itself, without `jax.jit`, `jax.checkpoint` or `jax.make_jaxpr` around it: each "
            "call is then traced anew, and the whole program is compiled anyway",
        )
    )


def inner_size_error(dim) -> errors.FreshSizeError:
    """Return the error for a size of one iteration, branch or row that is used outside of it.

    Args:
      dim: the size, or an abstract value with that size in its shape.
    """
    dim = next((d for d in getattr(dim, "shape", ()) if jp.is_symbolic(d)), dim)
    return _refusal(
        errors.message(
            "",
            f"the data-dependent size `{dim}` of a loop body, a branch or one row is used outside of the loop body, "
            "the branch or the row.",
            at="",
            do="return the number itself, `shims.size(y)`, from the loop or the branch",
        )
    )


def deferred_error(value, ambiguous) -> errors.FreshSizeError:
    """Return the error for a value that still waits for a size.

    Args:
      value: the deferred value.
      ambiguous: the names that stand for two sizes; other sizes are those of one iteration, branch or row.
    """
    aval = _waited_for(value)
    names = [d for d in getattr(aval, "shape", ()) if ambiguous & jp.variables(d)]
    return reused_size_error(names[0]) if names else inner_size_error(aval)


def _waited_for(value):
    """Return an abstract value with an unknown size because of which a result is deferred, to show it in a message."""
    avals = [v.aval for v in value.eqn.outvars]
    sized = [a for a in avals if any(jp.is_symbolic(d) for d in getattr(a, "shape", ()))]
    others = [v for v in value.values if type(v) is type(value)]
    return _waited_for(others[0]) if others and not sized else (sized or avals)[0]


def ragged_rows_error(dim, at="") -> errors.FreshSizeError:
    """Return the error for a loop or `vmap` that would return rows of different sizes."""
    return _refusal(
        errors.message(
            "",
            f"the data-dependent size `{dim}` differs from row to row, and an array cannot contain such rows.",
            at=at,
            do="reduce or pad each row inside the mapped function",
        )
    )


def unsupported(eqn) -> errors.UnsupportedPrimitiveError:
    """Return the error for a primitive without a masking rule."""
    shapes = ", ".join(str(getattr(a, "aval", a)) for a in eqn.invars)
    return errors.UnsupportedPrimitiveError(
        errors.message(
            "",
            f"`shims` has no rule for the JAX primitive `{eqn.primitive.name}` on arrays of unknown size.",
            received=shapes,
            at=line_of(eqn),
            do=remedies.INSIDE_SHARD_MAP if eqn.primitive.name == "shard_map" else remedies.ANY,
        )
    )
