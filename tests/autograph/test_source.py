"""The right piece of source for each function, whatever stands beside it on the line."""

import ast

import pytest

from shims._src.autograph.source import UnconvertibleError, find_definition


def twice(f):
    return f


@twice
@twice
def decorated(x, /, y, *z, k=1, **rest):
    return x


class Inside:
    def method(self, x):
        return x

    def __private(self, __x):
        return __x

    attribute = lambda self, x: x


first, second = lambda x: x + 1, lambda x: x - 1
three = [lambda x: None, lambda x: 1, lambda x: "text"]
nested = lambda x: lambda x: lambda x: x * 2
called = lambda x: (lambda x: x)(x)
# fmt: off
over_lines = lambda x: (x
                        + 1)
two_long = (lambda x: x
            .real, lambda x: x
            .imag)
# fmt: on
folded = (lambda: 1 + 2, lambda: -1)


def outer(y):
    def inner(x):
        return x + y

    return inner, lambda x: x * y


FUNCTIONS = {
    "decorated": (decorated, "def decorated(x, /, y, *z, k=1, **rest):"),
    "method": (Inside.method, "def method(self, x):"),
    "private": (Inside._Inside__private, "def __private(self, __x):"),
    "attribute": (Inside.attribute, "lambda self, x: x"),
    "first of two": (first, "lambda x: x + 1"),
    "second of two": (second, "lambda x: x - 1"),
    "first of three": (three[0], "lambda x: None"),
    "second of three": (three[1], "lambda x: 1"),
    "third of three": (three[2], "lambda x: 'text'"),
    "outermost": (nested, "lambda x: lambda x: lambda x: x * 2"),
    "middle": (nested(0), "lambda x: lambda x: x * 2"),
    "innermost": (nested(0)(0), "lambda x: x * 2"),
    "called at once": (called, "lambda x: (lambda x: x)(x)"),
    "over lines": (over_lines, "lambda x: x + 1"),
    "long, first": (two_long[0], "lambda x: x.real"),
    "long, second": (two_long[1], "lambda x: x.imag"),
    "folded": (folded[0], "lambda: 1 + 2"),
    "negative": (folded[1], "lambda: -1"),
    "inner": (outer(1)[0], "def inner(x):"),
    "inner lambda": (outer(1)[1], "lambda x: x * y"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_found(name):
    function, text = FUNCTIONS[name]
    lines = ast.unparse(find_definition(function)).splitlines()
    assert next(line for line in lines if not line.startswith("@")) == text


def test_the_positions_are_those_of_the_file():
    node = find_definition(Inside.method)
    assert node.lineno == Inside.method.__code__.co_firstlineno


def test_no_source():
    namespace = {}
    exec("def f(x):\n    return x", namespace)
    with pytest.raises(UnconvertibleError, match=r"^the source of the function cannot be found$"):
        find_definition(namespace["f"])


def test_changed_source(tmp_path):
    file = tmp_path / "changed.py"
    file.write_text("def f(x):\n    return x\n")
    namespace = {}
    exec(compile(file.read_text(), file, "exec"), namespace)
    file.write_text("def g(x):\n    return x\n")
    with pytest.raises(
        UnconvertibleError,
        match=r"^the source of the function has changed since the function was loaded$",
    ):
        find_definition(namespace["f"])
    file.write_text("def f(x:\n")
    import linecache

    linecache.checkcache()
    with pytest.raises(
        UnconvertibleError,
        match=r"^the source of the function has changed since the function was loaded$",
    ):
        find_definition(namespace["f"])
