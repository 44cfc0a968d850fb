"""What cannot be converted runs as written, with one warning that says why and where."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from shims._src.autograph import calls, convert, do_not_convert


def with_match(x):
    match x:
        case _:
            return x + 1


def with_generator(x):
    yield x


async def with_coroutine(x):
    return x


def with_except_star(x):
    try:
        y = x + 1
    except* ValueError:
        y = x
    return y


def with_class(x):
    class Local:
        pass

    return x + 1


def with_skipped_walrus(x):
    if abs(x) + (x is None and (y := 1)) < 0:
        return y
    return x + 1


def with_while_else_walrus(x):
    while (y := x) is None:
        pass
    else:
        x = y + 1
    return x


NAMESPACE = {"__name__": "made"}
exec("def with_exec(x):\n    return x + 1 if x is not None else x", NAMESPACE)

TAIL = (
    " Python control flow in it cannot depend on traced arrays. "
    "`shims.autograph.experimental.do_not_convert` silences this."
)
# The line that the message names, counted from the function's first, and the reason.
WARNINGS = {
    with_match: (1, "`match` statements cannot be converted"),
    with_generator: (1, "generators cannot be converted"),
    with_coroutine: (0, "coroutines cannot be converted"),
    with_except_star: (1, "`except*` cannot be converted"),
    with_class: (1, "classes inside functions cannot be converted"),
    with_skipped_walrus: (
        1,
        "`:=` inside `and`, `or`, a chain of comparisons or a conditional expression cannot be "
        "converted after a call",
    ),
    with_while_else_walrus: (1, "`while ... := ... else` cannot be converted"),
    NAMESPACE["with_exec"]: (0, "the source of the function cannot be found"),
}


@pytest.fixture(autouse=True)
def nothing_warned_yet():
    calls._warned.clear()


@pytest.mark.parametrize("f", WARNINGS, ids=lambda f: f.__name__)
def test_one_warning_names_the_function_and_the_line(f):
    offset, reason = WARNINGS[f]
    first = f.__code__.co_firstlineno
    file = "<string>" if f.__name__ == "with_exec" else "test_refused.py"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [convert(f)(2.0) for _ in range(2)]
        results.append(convert(lambda x: f(x))(2.0))
    for result in results:
        if f is with_coroutine:
            result.close()
        elif f is not with_generator:
            assert result == 3.0
    assert [str(w.message) for w in caught] == [
        f"autograph: `{f.__name__}` ({file}:{first + offset}) is not converted: {reason}.{TAIL}"
    ]
    assert caught[0].category is UserWarning
    assert caught[0].lineno == first


def test_what_is_not_python():
    with pytest.warns(UserWarning, match="`exp`") as caught:
        f = convert(np.exp)
    assert str(caught[0].message) == (
        "autograph: `exp` (built in) is not converted: the function is not written in Python."
        + TAIL
    )
    assert f is np.exp


def test_no_warning_for_what_nobody_expects_to_be_converted():
    import collections

    point = collections.namedtuple("point", "x y")

    def f(x):
        p = point(x, 1.0)._replace(y=2.0)
        return jnp.sin(p.x) + len([p.y]) + np.float32(1) + (lambda: 1)()

    convert(f)(1.0)


def test_do_not_convert_silences():
    assert list(convert(do_not_convert(with_generator))(1.0)) == [1.0]


def test_a_refused_function_still_converts_nothing_below_it():
    def below(x):
        return x if x > 0 else -x

    def above(x):
        match 1:
            case 1:
                return below(x)

    with (
        pytest.warns(UserWarning, match="`match` statements"),
        pytest.raises(jax.errors.TracerBoolConversionError),
    ):
        jax.jit(convert(above))(1.0)


def test_a_failed_warning_leaves_nothing_behind():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            convert(with_match)(2.0)
    assert convert(with_match)(2.0) == 3.0
