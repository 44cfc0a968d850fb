"""What is converted, and what a conversion must leave as it was."""

import functools
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from shims._src.autograph import convert, do_not_convert, to_code
from shims._src.autograph.calls import converted_call


def relu(x):
    if x > 0:
        return x
    return x * 0


def run(f, *args):
    """A converted function under `jit`, as numbers."""
    return np.asarray(jax.jit(convert(f))(*args)).tolist()


def staged(f, x=2.0):
    """Whether a condition inside of `f` can be traced."""
    try:
        run(f, x)
    except jax.errors.TracerBoolConversionError:
        return False
    return True


class Layer:
    scale = 3.0

    def __init__(self, offset=1.0):
        self.__offset = offset

    def __shift(self, x):
        return x + self.__offset

    def method(self, x):
        if x > 0:
            return self.__shift(x * self.scale)
        return x

    @classmethod
    def of_class(cls, x):
        return x * cls.scale if x > 0 else x

    @staticmethod
    def static(x):
        return x * 5 if x > 0 else x

    @property
    def doubled(self):
        return self.scale * 2

    def __call__(self, x):
        return self.method(x)


class Above(Layer):
    def method(self, x):
        if x > 100:
            return x
        return super().method(x) + super(Above, self).doubled  # noqa: UP008, both forms


CALLABLES = {
    "function": (relu, 2.0),
    "lambda": (lambda x: x * 2 if x > 0 else x, 4.0),
    "second lambda of a line": ((lambda x: x, lambda x: x * 3 if x > 0 else x)[1], 6.0),
    "method": (Layer().method, 7.0),
    "inherited through super": (Above(2.0).method, 14.0),
    "class method": (Layer.of_class, 6.0),
    "static method": (Layer.static, 10.0),
    "callable object": (Layer(), 7.0),
    "partial": (functools.partial(lambda y, x: x * y if x > 0 else x, 4.0), 8.0),
    "partial by name": (functools.partial(lambda x, y: x * y if x > 0 else x, y=4.0), 8.0),
    "partial of a method": (functools.partial(Layer().method), 7.0),
    "already converted": (convert(relu), 2.0),
}


@pytest.mark.parametrize("name", CALLABLES)
def test_callables(name):
    f, wanted = CALLABLES[name]
    assert run(f, 2.0) == wanted


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result * 2 if result > 1 else result

    return wrapper


@doubled
def decorated(x):
    return x + 1 if x > 0 else x


def recursive(x, depth=3):
    if depth == 0:
        return x
    if x > 2:
        return recursive(x * 2, depth - 1)
    return recursive(x + 1, depth - 1)


def mutual(x, depth=4):
    return x if depth == 0 else _mutual(x, depth)


def _mutual(x, depth):
    return mutual(x * 2 if x > 3 else x + 1, depth - 1)


def keyword_arguments(x, *rest, scale=2.0, **more):
    if x > 0:
        return x * scale + sum(rest) + sum(more.values())
    return x


def calls_with_everything(x):
    args, kwargs = (1.0, 2.0), {"b": 4.0}
    return keyword_arguments(x, *args, 3.0, scale=10.0, a=5.0, **kwargs)


def reduces(x):
    values = [x, x * 2, -x]
    return functools.reduce(lambda a, b: a if a > b else b, values) + sum(map(relu, values))


def through_jax(x):
    rows = jnp.stack([x, -x])
    return (
        jnp.sum(jax.vmap(relu)(rows))
        + jax.grad(relu)(x)
        + jax.jit(relu)(x)
        + jax.checkpoint(relu)(x)
    )


def through_tree_map(x):
    return sum(jax.tree.leaves(jax.tree.map(relu, {"a": x, "b": [-x, x]})))


def makes_closures(x):
    total = 0.0

    def add(y):
        nonlocal total
        if y > 1:
            total = total + y

    add(x)
    add(x * 2)
    return total


total_of_module = 0.0


def assigns_a_global(x):
    global total_of_module
    total_of_module = 0.0
    for value in (x, x * 2):
        if value > 1:
            total_of_module = total_of_module + value
    result, total_of_module = total_of_module, 0.0
    return result


def walks_frames(x):
    local = x * 2
    names = locals()
    return names["local"] + eval("local") + (1.0 if "relu" in globals() else 0.0)


def comprehension(x):
    return sum([relu(v) for v in (x, -x) if v is not None] + [k * 1 for k in {1: x}.values()])


def unpacks(x):
    first, *rest = (x, x * 2, x * 3)
    (a, b), c = rest, first
    return a + b if c > 0 else c


def formats(x):
    return x if len(f"{1 + 1:>{4}}") == 4 else x * 0


def catches(x):
    try:
        if x > 0:
            raise KeyError("no")
        return x
    except KeyError as error:
        return x * len(error.args)


def generator():
    yield


def deletes(x):
    y = x * 2
    z = y
    del y
    return z if x > 0 else x


CALLS = {
    "decorated": (decorated, 6.0),
    "recursive": (recursive, 12.0),
    "mutual": (mutual, 16.0),
    "keyword arguments": (calls_with_everything, 35.0),
    "reduce and map": (reduces, 10.0),
    "vmap, grad, jit, checkpoint": (through_jax, 7.0),
    "tree.map": (through_tree_map, 4.0),
    "nonlocal": (makes_closures, 6.0),
    "global": (assigns_a_global, 6.0),
    "locals, eval, globals": (walks_frames, 9.0),
    "comprehension": (comprehension, 4.0),
    "unpacking": (unpacks, 10.0),
    "f-string": (formats, 2.0),
    "del": (deletes, 4.0),
}


@pytest.mark.parametrize("name", [n for n in CALLS if n != "mutual"])
def test_calls(name):
    f, wanted = CALLS[name]
    assert run(f, 2.0) == wanted


def test_mutual_recursion():
    assert run(mutual, 2.0) == mutual(2.0)


def test_defaults_stay_with_the_function():
    def f(x, scale=2.0, *, offset=1.0):
        return x * scale + offset if x > 0 else x

    f.__defaults__ = (3.0,)
    assert run(f, 2.0) == 7.0
    f.__kwdefaults__["offset"] = 5.0
    assert run(lambda x: f(x), 2.0) == 11.0


def test_closures_share_their_cells():
    scale = 2.0

    def f(x):
        return x * scale if x > 0 else x

    assert run(f, 2.0) == 4.0
    scale = 5.0
    assert run(lambda x: f(x), 2.0) == 10.0


def test_functions_of_one_code_have_closures_of_their_own():
    made = [lambda x, k=k: x * k if x > 0 else x for k in (1.0, 2.0)]

    def make(k):
        def inner(x):
            return x * k if x > 0 else x

        return inner

    assert [run(f, 3.0) for f in made] == [3.0, 6.0]
    assert [run(make(k), 3.0) for k in (4.0, 5.0)] == [12.0, 15.0]


def test_the_conversion_looks_like_the_function():
    def f(x, *, scale: float = 2.0):
        """Its own words."""
        return x * scale

    converted = convert(f)
    assert (converted.__name__, converted.__doc__) == ("f", "Its own words.")
    seen = []

    def g(x):
        seen.append(sys._getframe().f_code)
        return x

    convert(g)(1.0)
    assert (seen[0].co_name, seen[0].co_qualname) == (g.__code__.co_name, g.__qualname__)
    assert seen[0].co_filename == __file__


def test_a_wrapper_is_not_taken_for_what_it_wraps():
    convert(relu)(1.0)

    @functools.wraps(relu)
    def wrapper(x):
        return relu(x) * 10 if x > 1 else x

    assert run(wrapper, 2.0) == 20.0


def test_do_not_convert():
    assert staged(relu)
    assert not staged(do_not_convert(relu))
    assert not staged(lambda x: do_not_convert(relu)(x))

    @do_not_convert()
    def as_written(x):
        return x if x > 0 else -x

    assert not staged(as_written)
    assert as_written.__name__ == "as_written"


def test_libraries_are_left_alone():
    for f in (jnp.linalg.norm, np.mean, functools.partial(jnp.sum, axis=0), sorted, abs):
        assert converted_call(f, (jnp.ones(3),), None) is not None
    assert run(lambda x: jnp.where(x > 0, x, 0.0), 2.0) == 2.0


def test_each_function_is_converted_once(monkeypatch):
    from shims._src.autograph import transform

    count = []
    original = transform._convert
    monkeypatch.setattr(transform, "_convert", lambda f: count.append(f) or original(f))

    def helper(x):
        return x + 1 if x > 0 else x

    def f(x):
        return helper(x) + helper(x * 2)

    converted = convert(f)
    for _ in range(3):
        converted(1.0)
    convert(f)(1.0)
    assert [g.__name__ for g in count] == ["f", "helper"]


def test_threads_convert_together():
    def make(k):
        def f(x):
            total = 0.0
            for value in x:
                if value > k:
                    total += value
            return total

        return f

    functions = [make(k) for k in range(8)]
    results = [None] * 8

    def work(k):
        results[k] = float(jax.jit(convert(functions[k]))(jnp.arange(8.0)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [float(sum(range(k + 1, 8))) for k in range(8)]


def test_the_code_can_be_read():
    text = to_code(relu)
    assert text.startswith("def relu(x):")
    assert "ag__.if_stmt" in text
    with pytest.raises(ValueError, match=r"^`generator` cannot be converted: generators"):
        to_code(generator)
    with pytest.raises(ValueError, match="is not written in Python"):
        to_code(abs)
