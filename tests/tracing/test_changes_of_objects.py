"""Python's objects change once for a call, although its function is traced several times."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([1.0, -2.0, 3.0], np.float32)
WRITTEN = 0


class Counter:
    def __init__(self):
        self.n, self.seen = 0, []


def decided_by_if(x):
    y = x[x > 0]
    if y.shape[0] == 2:
        return y.sum()
    return y.sum() * 2


def decided_by_range(x):
    y = x[x > 0]
    return sum(float(i) for i in range(y.shape[0])) + y.sum()


def decided_by_int(x):
    y = x[x > 0]
    return (np.zeros(int(y.shape[0])) + y).sum()


def decided_by_key(x):
    n = x[x > 0].shape[0]
    return {n: 1.0}[n] * x.sum()


def decided_by_length(x):
    n = x.shape[0]
    return x.sum() * len(str(n))


def not_decided(x):
    return x[x > 0].sum()


# How a function of an array changes what is outside of it, and how often it did.
def in_a_list():
    held = [0]

    def change():
        held[0] += 1

    return change, lambda: held[0]


def in_an_attribute():
    held = Counter()

    def change():
        held.n += 1

    return change, lambda: held.n


def in_a_list_of_an_object():
    held = Counter()

    def change():
        held.seen.append("traced")

    return change, lambda: len(held.seen)


def in_a_variable():
    n = 0

    def change():
        nonlocal n
        n += 1

    return change, lambda: n


def in_a_global():
    global WRITTEN
    WRITTEN = 0

    def change():
        global WRITTEN
        WRITTEN += 1

    return change, lambda: WRITTEN


def in_a_dict():
    held = {}

    def change():
        held.setdefault("n", []).append(len(held))

    return change, lambda: len(held["n"])


def in_a_set():
    held = set()

    def change():
        held.add(len(held))

    return change, lambda: len(held)


def in_an_array():
    held = np.zeros(2)

    def change():
        held[:] += 1

    return change, lambda: held[0]


def in_an_attribute_of_the_function():
    def change():
        change.n += 1

    change.n = 0
    return change, lambda: change.n


DECISIONS = [
    decided_by_if,
    decided_by_range,
    decided_by_int,
    decided_by_key,
    decided_by_length,
    not_decided,
]
CHANGES = [
    in_a_list,
    in_an_attribute,
    in_a_list_of_an_object,
    in_a_variable,
    in_a_global,
    in_a_dict,
    in_a_set,
    in_an_array,
    in_an_attribute_of_the_function,
]
LANES = {
    "function": shims.function,
    "as written": lambda f: shims.function(f, autograph=False),
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.function(f)),
    "grad": lambda f: lambda x: jax.grad(lambda x: shims.function(f)(x))(x).sum(),
}


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_a_change_happens_once_for_a_call(change):
    for decide, lane in itertools.product(DECISIONS, LANES):
        run, count = change()

        def program(x, run=run, decide=decide):
            run()
            return decide(x)

        LANES[lane](program)(jnp.asarray(X))
        assert count() == 1, (decide.__name__, lane)


class Model(Counter):
    def __init__(self):
        super().__init__()
        self.v = None

    @shims.function
    def __call__(self, x):
        if self.v is None:
            self.v = shims.Variable(2.0)
        y = x[x > 0]
        return (np.zeros(int(y.shape[0])) + y).sum() * self.v

    @shims.function
    def count(self, x):
        self.n += 1
        return decided_by_int(x)


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_variables_that_a_trace_has_created_stay():
    model = Model()
    assert [float(model(jnp.asarray(X))) for _ in range(2)] == [8.0, 8.0]
    model.v.assign(3.0)
    assert float(model(jnp.asarray(X))) == 12.0


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_the_object_of_a_method_changes_once():
    model = Model()
    model.count(jnp.asarray(X))
    assert model.n == 1


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_a_call_that_fails_keeps_its_changes():
    held = []

    def program(x):
        held.append("before")
        y = np.zeros(int(x[x > 0].shape[0]))
        raise RuntimeError(str(len(y)))

    with pytest.raises(RuntimeError):
        shims.function(program)(jnp.asarray(X))
    assert held == ["before"]


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_a_further_signature_is_a_further_trace():
    held = []

    @shims.function
    def program(x):
        held.append("traced")
        return decided_by_int(x)

    for dtype in (jnp.float32, jnp.int32, jnp.float32):
        program(jnp.asarray(X, dtype))
    assert held == ["traced"] * 2
