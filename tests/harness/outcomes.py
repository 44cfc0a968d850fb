"""Do both libraries answer one call alike, with a result or with an error?"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import tensorflow as tf

import shims

from .compare import Dtypes, Tolerance, differences, report
from .flatten import arrays

# To the accuracy of float32.
FLOAT32 = Tolerance(relative=2e-5, absolute=1e-6)


class Outcome(NamedTuple):
    """What a call returns, or the error that it raises."""

    result: Any
    error: Exception | None


def outcome(call, *arguments, **options) -> Outcome:
    """Call a function and keep its error."""
    try:
        return Outcome(call(*arguments, **options), None)
    except Exception as error:  # noqa: BLE001 - which one is what the tests compare
        return Outcome(None, error)


def same_error(got: BaseException | None, want: BaseException | None) -> bool:
    """Tell whether an error is of the reference's class, or of one derived from it."""
    return None not in (got, want) and type(want).__name__ in {
        c.__name__ for c in type(got).__mro__
    }


def outcomes_apart(
    got: Outcome, want: Outcome, tolerance: float | Tolerance, dtypes: Dtypes = Dtypes.AS_JAX
) -> str:
    """Describe what sets two outcomes apart, `""` if nothing does."""
    if got.error is None and want.error is None:
        return differences(got.result, want.result, tolerance, dtypes)
    if same_error(got.error, want.error):
        return ""
    return f"raises {got.error!r}, should raise {want.error!r}"


def array(m, values, dtype="float32"):
    """Make a constant of either library."""
    values = np.asarray(values, dtype)
    return tf.constant(values) if m is tf else jnp.asarray(values)


def check_same(program, *arguments, tolerance: Tolerance = FLOAT32) -> None:
    """Fail unless `program(m, *arguments)` is the same with both libraries as `m`."""
    got, want = program(shims, *arguments), program(tf, *arguments)
    found = differences(got, want, tolerance, Dtypes.SAME)
    report({f"{described(program, arguments)}": found})


def check_raises(program, *arguments) -> None:
    """Fail unless `program(m, *arguments)` raises the same class of error with both libraries."""
    want, got = outcome(program, tf, *arguments).error, outcome(program, shims, *arguments).error
    where = described(program, arguments)
    assert want is not None, f"{where}: TensorFlow does not raise"
    assert type(got) is type(want), f"{where}: raises {got!r}, should raise {want!r}"


def described(program, arguments) -> str:
    """Say where a program is written and how it was called, so that it can be called again."""
    code = inspect.unwrap(program)
    code = getattr(code, "__code__", None)
    place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
    given = ", ".join(["m", *map(_written, arguments)])
    return f"{getattr(program, '__name__', program)}({given}){place}"


def _written(argument) -> str:
    found = arrays(argument)
    if len(found) != 1 or found[0] is not argument or not hasattr(argument, "dtype"):
        return repr(argument)
    value = np.asarray(argument)
    return f"np.array({value.tolist()}, {value.dtype.name!r})"
