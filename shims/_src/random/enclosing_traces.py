"""Handle random numbers that are drawn while an enclosing JAX program is traced.

A program that `shims.function` traces draws new numbers whenever it runs, since the position in the
stream is a variable. A program that `jax.jit` traces keeps the numbers that were drawn during the trace.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Iterator

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames
from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.variables.keras_state import inside_keras_scope


def is_frozen() -> bool:
    """Return whether random numbers drawn now become constants of a program that may run again."""
    scope = state.current_scope()
    outermost = None if scope is None else scope.outermost
    if outermost is not None and outermost.reaches_variables:
        return False
    here = jp.current_trace() if outermost is None else outermost.home
    # The program of a loop or a branch, and that of an eager `shims.dynamic`, are traced for every run.
    has_program = outermost is not None and outermost.opens_program
    own = has_program + (trace.current() is not None)
    return jp.programs_around(here) > own


def in_keras_step() -> bool:
    """Return whether Keras is calling its layers as pure functions of their state, as `fit` does."""
    return inside_keras_scope()


def in_build() -> bool:
    """Return whether the `build` of a layer of Keras draws now: TensorFlow draws eagerly there."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_name
        if frame.f_globals.get("__name__") == _LAYER and name in ("build_wrapper", "__call__"):
            return name == "build_wrapper"
        frame = frame.f_back
    return False


def built_by_training():
    """Return the first of the variables that Keras is making for a model which `fit` has to build.

    If the model has a `build` of its own, as `Sequential` has, TensorFlow makes them in the graph of the
    training step, where operators are numbered. Returns `None` where it makes variables eagerly.
    """
    kept = sys.modules.get("keras.src.backend.common.global_state")
    waiting = kept and kept.get_global_attribute("uninitialized_variables")
    frame: types.FrameType | None = sys._getframe(1) if waiting else None
    while frame is not None:
        if frame.f_globals.get("__name__") == "keras.src.backend.jax.trainer":
            model = frame.f_locals.get("self")
            return None if getattr(model.build, "_is_default", False) else waiting[0]
        frame = frame.f_back
    return None


_LAYER = "keras.src.layers.layer"
_INSTEAD = (
    "use `shims.function` in place of `jax.jit`, or use an operator of `shims.random.stateless_*` with a seed that "
    "is an argument of the program"
)


def check_state_is_kept(operator: str) -> None:
    """Raise an error if an enclosing JAX program cannot keep the state of a generator."""
    if is_frozen():
        raise errors.FailedPreconditionError(
            errors.message(
                operator,
                "an enclosing JAX program (`jax.jit`, `lax.scan`, a Keras step, ...) cannot keep the "
                "generator's state, so every run would get the same numbers.",
                do=f"{_INSTEAD}; in a Keras layer use `shims.random.uniform` and similar operators",
            )
        )


def warn(operator: str) -> None:
    """Warn, at the user's line, that an operator's random numbers are constants of a JAX program."""
    text = errors.message(
        operator,
        "an enclosing JAX program (`jax.jit`, `lax.scan`, ...) keeps the random numbers that are drawn "
        "while it is traced: every run and every iteration gets the same numbers.",
        at=errors.user_line(),
        do=_INSTEAD,
    )
    user_frames.warn_at_user_line(text, errors.FrozenRandomWarning)


def warn_of_graph(operator: str) -> None:
    """Warn, at the user's line, that an operator's random numbers are constants of a TensorFlow 1 graph."""
    user_frames.warn_at_user_line(
        errors.message(
            operator,
            "random numbers are drawn once, while a TensorFlow 1 graph is built, so every run of a session gets the "
            "same numbers.",
            at=errors.user_line(),
            do="use the operator of the same name in `shims.compat.v1`, which draws new numbers in every run; if "
            "the numbers should be constants, draw them before the graph is opened",
        ),
        errors.FrozenRandomWarning,
    )


@contextlib.contextmanager
def outside_of_inner_programs(*operands) -> Iterator[None]:
    """Open a block that computes outside of the inner JAX programs that are being traced.

    The block computes in the trace that opened the current scope of variables, such as a `shims.function`.
    An inner `jax.jit` or `jax.checkpoint` captures its results, and the new position in the stream can be
    kept after the inner program has ended. If an operand is traced, nothing changes: the block computes in
    the innermost trace.
    """
    scope = state.current_scope()
    here = jp.below(jp.current_trace())
    if (
        scope is None
        or here in (scope.home, jp.core.eval_trace)
        or any(map(jp.is_tracer, operands))
    ):
        yield
        return
    with jp.under(scope.home):
        yield
    traced = trace.current()
    if traced is not None:
        traced.forget_inner_programs()
