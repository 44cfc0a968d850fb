"""Every message of tapes and their relatives, rendered whole."""

import jax.numpy as jnp
import pytest

import shims
from tests.control_flow.messages import rendered

X = jnp.float32(3)


def tape_over(persistent=False):
    with shims.GradientTape(persistent=persistent) as tape:
        tape.watch(X)
        y = X * X
    return tape, y


def asked_again():
    tape, y = tape_over()
    tape.gradient(y, X)
    tape.gradient(y, X)


def entered_again():
    with shims.GradientTape() as tape, tape:
        pass


def stopped(tape):
    with tape.stop_recording():
        pass


def watched(value):
    with shims.GradientTape() as tape:
        tape.watch(value)


def asked(**options):
    tape, y = tape_over()
    tape.gradient(y, X, **options)


def rows():
    tape, y = tape_over()
    tape.batch_jacobian(y, X)


W = shims.Variable(2.0, name="w")


def rule(f, *sources):
    with shims.GradientTape() as tape:
        tape.watch(X)
        y = shims.custom_gradient(f)(X)
    tape.gradient(y, [X, *sources])


def variables_forgotten():
    rule(lambda x: (x * W, lambda dy: dy))


def too_few_for_variables():
    def f(x):
        return x * W, lambda dy, variables: (dy, [])

    rule(f, W)


def by_variable_of_keras():
    tape, y = tape_over()
    tape.gradient(y, type("KerasVariable", (), {"__module__": "keras.src.backend"})())


class _Recording:
    def __init__(self):
        self.acc = shims.autodiff.ForwardAccumulator(X, X)

    def __call__(self):
        with self.acc, self.acc:
            pass


MESSAGES = {
    "variable-of-keras": (
        by_variable_of_keras,
        TypeError,
        """
GradientTape: a source is a Keras variable, and this tape does not record reads of the variable.
  Required: Keras on its JAX back end, imported before the `with` block
  Received: KerasVariable
  At:
  Do:       set KERAS_BACKEND=jax (see docs/keras.md)""",
    ),
    "tape-twice": (
        asked_again,
        RuntimeError,
        """
GradientTape: a tape that is not persistent computes gradients (or jacobians) only once.
  Do:       write `GradientTape(persistent=True)`.""",
    ),
    "tape-entered": (
        entered_again,
        ValueError,
        """
GradientTape: the tape is still recording.
  Do:       leave the `with` block of the tape before you enter the tape again.""",
    ),
    "stop-unentered": (
        lambda: stopped(shims.GradientTape()),
        RuntimeError,
        "GradientTape.stop_recording: the tape has not been entered.",
    ),
    "stop-outside": (
        lambda: stopped(tape_over()[0]),
        ValueError,
        "GradientTape.stop_recording: the tape is not recording.",
    ),
    "reset-outside": (
        lambda: tape_over()[0].reset(),
        ValueError,
        "GradientTape.reset: the tape is not recording.",
    ),
    "watch-text": (
        lambda: watched("x"),
        ValueError,
        "GradientTape.watch: 'x' of type str is neither an array nor a `Variable`.",
    ),
    "watch-unentered": (
        lambda: shims.GradientTape().watch(X),
        RuntimeError,
        "GradientTape.watch: the tape has not been entered.",
    ),
    "no-target": (
        lambda: tape_over()[0].gradient(None, X),
        TypeError,
        "GradientTape.gradient: `target` is None; pass arrays, variables, or a structure of "
        "arrays and variables.",
    ),
    "unconnected": (
        lambda: asked(unconnected_gradients="one"),
        ValueError,
        "Unknown value for unconnected_gradients: 'one'",
    ),
    "weights-count": (
        lambda: asked(output_gradients=[None, None]),
        ValueError,
        "gradient: `output_gradients` has 2 entries for 1 targets.",
    ),
    "weights-shape": (
        lambda: asked(output_gradients=jnp.ones(2)),
        ValueError,
        "gradient: an entry of `output_gradients` has shape (2,), but its target has shape ().",
    ),
    "rows": (
        rows,
        ValueError,
        """
GradientTape.batch_jacobian: `target` and `source` must have leading axes of the same size.
  Received: shapes () and ()
  At:""",
    ),
    "slices": (
        lambda: shims.IndexedSlices(jnp.ones(1), jnp.array([2])).to_dense(),
        ValueError,
        """
IndexedSlices: without `dense_shape`, the slices cannot be converted to an array.
  Received: IndexedSlices(indices=Array([2], dtype=int32), values=Array([1.], dtype=float32), \
dense_shape=None)""",
    ),
    "rule-variables": (
        variables_forgotten,
        TypeError,
        """
custom_gradient: `grad_fn` must accept the keyword argument `variables`, because the function reads \
variables.
  Received: w:0
  At:
  Do:       write `def grad_fn(*dy, variables=None)` and return the gradients of the variables as the second result""",
    ),
    "rule-count": (
        lambda: rule(lambda x: (x * 2, lambda dy: (dy, dy))),
        ValueError,
        """
custom_gradient: `grad_fn` must return one gradient for each of the arguments.
  Required: 1
  Received: 2
  At:""",
    ),
    "rule-count-variables": (
        too_few_for_variables,
        ValueError,
        """
custom_gradient: `grad_fn` must return one gradient for each of the variables.
  Required: 1
  Received: 0
  At:""",
    ),
    "accumulator-shape": (
        lambda: shims.autodiff.ForwardAccumulator(X, jnp.ones(2)),
        ValueError,
        """
ForwardAccumulator: a tangent must have the shape and dtype of its primal.
  Required: float32[]
  Received: float32[2]""",
    ),
    "accumulator-twice": (
        lambda: shims.autodiff.ForwardAccumulator([X, X], [X, X]),
        ValueError,
        "ForwardAccumulator: the primal Array(3., dtype=float32) is given twice.",
    ),
    "accumulator-recording": (
        _Recording(),
        ValueError,
        "ForwardAccumulator: the accumulator is already recording.",
    ),
    "gradients-eager": (
        lambda: shims.gradients(X, X),
        RuntimeError,
        """
gradients: arrays outside of a trace do not record how they were computed.
  At:
  Do:       use `shims.GradientTape`, or call this function inside a `shims.function`""",
    ),
    "hessians-unconnected": (
        lambda: shims.function(lambda x, z: shims.hessians(x * x, z))(X, X + 1),
        ValueError,
        "hessians: an `x` has no gradient, because no `y` depends on it.",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_the_whole_message(name):
    call, error, text = MESSAGES[name]
    assert rendered(call, error) == text.lstrip("\n")
