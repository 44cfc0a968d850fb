"""Where the parts of a call stand, in plain calls and in calls with comments and parentheses."""

import pytest

from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.source import from_text, parse

PLAIN = (
    "f()",
    "f( )",
    "f(a)",
    "f(a, b)",
    "f(a , b,)",
    "f(a, k=b)",
    "f(\n    a,\n    k=b,\n)",
    "f(a, *b, **c)",
    "f(k=a, *b)",
    "f(é, ключ=ö)",
    "(f)(a)",
    "f(a)(b, c)",
)
OTHERS = (
    "f((a), b)",
    "f(((a)), k=(b))",
    "f(k = b)",
    "f(a,  # why\n  b)",
    "f(  # (why)\n  a, k=b)",
    "f(k=  # why\n b)",
    "f((a), k=((b)),)",
)


@pytest.mark.parametrize("text", [*PLAIN, *OTHERS])
def test_places_are_those_of_the_marks(text):
    source = from_text(text)
    call = parse(source).body[0].value
    layout = call_layout(source, call)
    data = source.data
    assert data[layout.opened : layout.opened + 1] == b"("
    assert (layout.closed, data[layout.closed :]) == (len(data) - 1, b")")
    nodes = {*call.args, *(keyword.value for keyword in call.keywords)}
    assert {argument.node for argument in layout.arguments} == nodes
    assert [a.start for a in layout.arguments] == sorted(a.start for a in layout.arguments)
    for argument in layout.arguments:
        start, end = source.span(argument.node)
        value = data[argument.value : argument.end]
        assert argument.value <= start
        assert end <= argument.end
        assert argument.parenthesized == value.startswith(b"(")
        assert value.count(b"(") == value.count(b")")
        if argument.keyword not in (None, "**"):
            assert data[argument.start :].startswith(argument.keyword.encode())
        if argument.comma >= 0:
            assert data[argument.end : argument.comma].strip() == b""
            assert data[argument.comma : argument.comma + 1] == b","
    assert layout.comments == ("#" in text)


def test_the_parentheses_of_a_lone_generator_are_those_of_the_call():
    source = from_text("f(x for x in y)")
    layout = call_layout(source, parse(source).body[0].value)
    assert layout.opened == -1
    assert [(a.start, a.end) for a in layout.arguments] == [(1, 15)]
