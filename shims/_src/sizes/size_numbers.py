"""Give the number that a size is, where a program needs it while it is traced."""

from __future__ import annotations

from collections.abc import Callable

from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.platform import user_source
from shims._src.sizes import dims, size_bounds, trace
from shims._src.sizes.decisions import Question

AS_ARRAY = "use the size itself, or convert the size to an array with `jnp.asarray(n)` and compute with the array"
AS_KEY = "compare the size, `jnp.where(n == 3, a, b)`, or use the size as an index of an array, `jnp.take(table, n)`"
AS_FLOAT = "write `jnp.float32(n)`: an array may depend on data"
AS_WINDOW = "to sum a slice, subtract two elements of `jnp.cumsum(y)`; the positions of these elements may be sizes"
AS_LENGTH = "write an array of that length: `jnp.full(n, value)`"
AS_INDEX = (
    "write `y.shape[0]` in place of `len(y)`, `jnp.take(table, n)`, `lax.fori_loop(0, n, ...)` in place of a loop, "
    "and `jnp.zeros(n)` or `jnp.arange(n)` in place of NumPy's"
)
AS_TEXT = (
    "compute with the size itself, `n > 9` in place of `len(str(n)) > 1`, or format the text inside the `print` or "
    "`raise` statement"
)

AS_HANDLED = "test the sizes before the step, `if n == m`, instead of catching the error"
_HANDLED = "a step with an error that the program catches"
# The module that calls the traced program.
OUTSIDE = "shims._src.tracing.program"

# The largest number of programs that are staged for the numbers that one size may be.
_MOST_NUMBERS = 17


def number_of(
    state: trace.DynamicTrace, d, asked: str, do: str = AS_ARRAY, *, reports: bool = False
) -> int:
    """Return the number that a size is; it is needed while the program is traced.

    With `reports` the user is told that the size becomes a constant.

    Raises:
      Respecialize: the function is traced again, with data-dependent sizes as constants.
      Undecided: no data are known; the function is staged for each of a few possible numbers.
      InconclusiveDimensionOperation: for an input size; the function is traced again, with it as a constant.
      FreshSizeError: the size depends on data that are not known, and may be one of many numbers.
    """
    if not jp.variables(d):  # a number that JAX writes as an expression
        return dims.concrete(d, {})
    if state.is_input_only(d):
        raise jp.InconclusiveDimensionOperation(f"{asked} of the size `{d}` needs the number")
    problem = f"{asked} needs a data-dependent size as a number while the program is traced."
    state.pin(d, problem if reports else "")
    required = "a size that the inputs determine"
    if not all(stage_for_each_number(state, part) for part in sorted(state.parts(d), key=str)):
        required += f", or sizes with at most {2**trace.MOST_QUESTIONS} combinations of values"
    raise errors.FreshSizeError(
        errors.message("", problem, required=required, received=f"the size `{d}`", do=do)
    )


def settle_if_handled(state: trace.DynamicTrace, d) -> None:
    """Get the value of a size that decides on an error, if the traced program handles errors of this step.

    Elsewhere it is checked at run time, when no handler is at hand.
    """
    if jp.is_symbolic(d) and are_handled():
        number_of(state, d, _HANDLED, AS_HANDLED)


def are_handled() -> bool:
    """Return whether the traced program handles errors of the step that is traced now."""
    return user_source.is_handled(OUTSIDE)


def differ_where_handled(state: trace.DynamicTrace, a, b) -> bool:
    """Return whether two sizes differ in a step whose errors the program handles; False where that is checked later.

    Raises:
      FreshSizeError: nothing decides it before the run.
    """
    difference = a - b
    if not jp.is_symbolic(difference) or not state.owns(difference) or not are_handled():
        return False
    answer = state.answer(difference, Question.ZERO, f"{a} == {b}")
    if answer is None:
        number_of(state, difference, _HANDLED, AS_HANDLED)
    return not answer


def settle_if_one(state: trace.DynamicTrace, d) -> None:
    """Replace a size by the number 1 where it is 1, in a step whose errors the program handles.

    Raises:
      Respecialize: the size is 1; the function is traced again.
      FreshSizeError: nothing decides it before the run.
    """
    if jp.is_symbolic(d) and not differ_where_handled(state, d, 1):
        number_of(state, d, _HANDLED, AS_HANDLED)


def raise_as_exact(state: trace.DynamicTrace, sizes, call: Callable) -> None:
    """Raise the error that `call` raises for numbers in the place of sizes, which the answers so far allow.

    Args:
      state: the trace.
      sizes: the sizes.
      call: gets the function that replaces the sizes in a shape by their numbers.
    """
    numbers = state.example(sizes)
    try:
        call(lambda shape: tuple(dims.concrete(d, numbers) for d in shape))
    except Exception as error:  # noqa: BLE001 - whatever JAX raises
        raise refusals.of_data(error) from None


def stage_for_each_number(state, part) -> bool:
    """Ask for the number of a size, or of an operation on sizes, by bisection, unless it may be one of many.

    Returns False if it is not asked for because of the questions that were asked before.
    """
    name = str(part)
    if name in state.fresh:
        low, high = state.decisions.least(name), state.fresh.bound(name)
        high = high if high is None or jp.is_symbolic(high) else state.decisions.most(name, high)
    else:
        low, high = size_bounds.extremes(state, part) or (0, None)
    if jp.is_symbolic(high) or high is None or high - low >= _MOST_NUMBERS:
        return True
    while low < high:
        middle = (low + high + 1) // 2
        asked = part - middle, Question.NONNEGATIVE
        if not state.may_ask(*asked, count=(high - low).bit_length()):
            return False
        answer = state.answer(*asked, f"{name} >= {middle}")
        if answer is None:
            return True
        low, high = (middle, high) if answer else (low, middle - 1)
    raise trace.Respecialize(pins={name: low})
