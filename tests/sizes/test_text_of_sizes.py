"""The text of a size shows its symbol to people, and has the number's digits wherever a program may examine it."""

import warnings

import jax
import jax.numpy as jnp
import pytest

import shims

X = jnp.array([3.0, -2.0, 1.0, 5.0, 7.0])


def size_of(x):
    return x[x > 0].shape[0]


EXAMINED = {
    "length": lambda n: len(str(n)),
    "of a field": lambda n: len(f"{n}"),
    "padded": lambda n: len(f"{n:03d}"),
    "representation": lambda n: len(repr(n)),
    "equal": lambda n: str(n) == "4",
    "unequal": lambda n: str(n) != "4",
    "as a key": lambda n: {"4": 2.0, "3": 1.0}.get(str(n), 5.0),
    "contains": lambda n: "4" in str(n),
    "concatenated": lambda n: len("n = " + str(n) + "!"),
    "converted": lambda n: int(str(n)),
    "percent": lambda n: len("%d" % n),  # noqa: UP031
    "digits": lambda n: str(n).isdigit(),
    "ordered": lambda n: str(n) < "5",
    "sliced": lambda n: str(n + 100)[1:] == "04",
    "a part": lambda n: len(f"{n} of {n:>4}"),
    "joined": lambda n: len(" ".join([str(n), "a"])),
    "of a shape": lambda n: len(str((n, 2))),
    "of a quotient": lambda n: len(f"{n / 2}"),
}


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize("examine", EXAMINED.values(), ids=EXAMINED)
def test_examined_text_is_that_of_the_number(examine, autograph):
    def f(x):
        return x.sum() * examine(size_of(x))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        for x in (X, -X):
            assert shims.function(f, autograph=autograph)(x) == f(x)
            assert shims.dynamic(f, autograph=autograph)(x) == f(x)
            assert jax.jit(shims.dynamic(f, autograph=autograph))(x) == f(x)
        with pytest.raises(shims.errors.FreshSizeError):
            jax.jit(shims.dynamic(f, autograph=autograph))(jnp.tile(X, 5))


@pytest.mark.parametrize("autograph", [True, False])
@pytest.mark.parametrize(
    "examine",
    [
        lambda n: {"True": 1, "False": 2}.get(str(n > 3), 9),
        lambda n: 1 if isinstance(n > 3, bool) else 2,
        lambda n: 1 if isinstance(n == 3, int) else 2,
    ],
)
def test_an_answer_is_a_bool_of_python(examine, autograph):
    def f(x):
        return x.sum() * examine(size_of(x))

    for run in (
        shims.function(f, autograph=autograph),
        jax.jit(shims.dynamic(f, autograph=autograph)),
    ):
        for x in (X, -X):
            assert run(x) == f(x)


def test_printing_needs_no_number(capsys):
    def f(x):
        n = size_of(x)
        print(n, str(n), f"{n} of 5", (n,))  # noqa: T201
        return x.sum() * n

    run = jax.jit(shims.dynamic(f))
    assert run(X) == 14 * 4
    assert run(-X) == -14
    assert shims.function(f)(X) == 14 * 4
    assert capsys.readouterr().out == "u0 u0 u0 of 5 (u0,)\n" * 2
