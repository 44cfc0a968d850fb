"""Errors that exist only because values are unknown while tracing reach no handler of the program."""

import bisect
import contextlib
import datetime
import itertools
import math
import operator
import struct

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

ITEMS = [1.0, 2.0, 3.0]
ARGUMENTS = jnp.array([1.0, 2.0, 5.0]), jnp.int32(2), jnp.float32(2.0)


def stored(x, i, s):
    a = np.zeros(3)
    a[1] = s
    return a.sum()


def deleted(x, i, s):
    a = list(ITEMS)
    del a[i]
    return sum(a)


STEPS = {
    "slice": lambda x, i, s: sum(ITEMS[i:]),
    "item": lambda x, i, s: ITEMS[i],
    "letter": lambda x, i, s: "abc"[i] * 1 == "c",
    "range": lambda x, i, s: len(list(range(i))),
    "int": lambda x, i, s: int(i),
    "float": lambda x, i, s: float(s),
    "bool": lambda x, i, s: bool(s > 0) and 5.0,
    "if": lambda x, i, s: 1.0 if s > 1 else 2.0,
    "key": lambda x, i, s: {2: 5.0}[int(i)],
    "format": lambda x, i, s: len(f"{s:.2f}"),
    "percent": lambda x, i, s: len("%d" % i),  # noqa: UP031 - the subject of the test
    "array": lambda x, i, s: np.array([s, s]).sum(),
    "ufunc": lambda x, i, s: np.square(x).sum(),
    "zeros": lambda x, i, s: np.ones(i).sum(),
    "floor": lambda x, i, s: math.floor(s),
    "index": lambda x, i, s: operator.index(i),
    "times": lambda x, i, s: len("a" * i),
    "tolist": lambda x, i, s: sum(x.tolist()),
    "islice": lambda x, i, s: sum(itertools.islice(ITEMS, i)),
    "bisect": lambda x, i, s: bisect.bisect(ITEMS, s),
    "struct": lambda x, i, s: len(struct.pack("f", s)),
    "delta": lambda x, i, s: datetime.timedelta(seconds=float(s)).total_seconds(),
    "shape": lambda x, i, s: jax.lax.iota(jnp.int32, i).sum(),
    "axis": lambda x, i, s: x[:, None].sum(i - 1).sum(),
    "stored": stored,
    "deleted": deleted,
}


def by_class(step, *args):
    try:
        return step(*args) * 1.0
    except Exception:  # noqa: BLE001 - the subject of the test
        return -7.0


def by_two_classes(step, *args):
    try:
        return step(*args) * 1.0
    except (TypeError, IndexError, struct.error):
        return -7.0


def by_anything(step, *args):
    try:
        return step(*args) * 1.0
    except:  # noqa: E722 - the subject of the test
        return -7.0


def suppressed(step, *args):
    r = -7.0
    with contextlib.suppress(Exception):
        r = step(*args) * 1.0
    return r


def of_a_stack(step, *args):
    r = -7.0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(Exception))
        r = step(*args) * 1.0
    return r


@contextlib.contextmanager
def quietly():
    with contextlib.suppress(Exception):
        yield


def of_a_generator(step, *args):
    r = -7.0
    with quietly():
        r = step(*args) * 1.0
    return r


def by_the_end(step, *args):
    r = -7.0
    try:
        r = step(*args) * 1.0
    finally:
        return r  # noqa: B012 - the subject of the test


def continued(step, *args):
    r = -7.0
    for _ in range(2):
        try:
            r = step(*args) * 1.0
        except Exception:  # noqa: BLE001 - the subject of the test
            continue
    return r


HANDLERS = (
    by_class,
    by_two_classes,
    by_anything,
    suppressed,
    of_a_stack,
    of_a_generator,
    by_the_end,
    continued,
)
LANES = {
    "function": shims.function,
    "as written under jit": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}
EACH_STEP = [(by_class, name) for name in STEPS]
EACH_HANDLER = [(h, name) for h in HANDLERS[1:] for name in ("slice", "percent", "float", "stored")]


@pytest.mark.filterwarnings("ignore:'return' in a 'finally' block:SyntaxWarning")
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize(("handler", "name"), EACH_STEP + EACH_HANDLER)
def test_no_handler_runs_for_a_value_that_is_only_unknown(handler, name, lane):
    want = handler(STEPS[name], *ARGUMENTS)
    assert want != -7
    try:
        found = LANES[lane](lambda *args: handler(STEPS[name], *args))(*ARGUMENTS)
    except Exception as error:  # noqa: BLE001 - its kind is that of the step
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
        assert "test_handled_conversions.py" in text
    else:
        assert found == want


def by_name(x, i, s):
    try:
        return float(np.asarray(x).sum()) * 1.0
    except jax.errors.TracerArrayConversionError:
        return x.sum() * 1.0


def by_our_name(x, i, s):
    try:
        return len(f"{s:.2f}") * 1.0
    except shims.errors.TracedValueError:
        return 4.0


def of_an_array(x, i, s):
    try:
        return {x: 1.0}[x]
    except TypeError:
        return x.sum()


def of_no_length(x, i, s):
    try:
        return len(s) * 1.0
    except TypeError:
        return s * 3


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", [by_name, by_our_name, of_an_array, of_no_length])
def test_a_handler_runs_for_errors_of_tracing_that_it_names_and_for_those_of_arrays(program, lane):
    assert LANES[lane](program)(*ARGUMENTS) == program(*ARGUMENTS)
