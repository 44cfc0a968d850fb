"""Wherever an expression may stand in Python, it is rewritten as it is where it stands alone."""

import ast
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tf2jax_port.rewrite import State, rewrite

HEAD = "import tensorflow as tf\n"
EXPRESSIONS = (
    "tf.square(x)",
    "tf.reduce_sum(x, axis=[0, 1], keepdims=True, name='s')",
    "tf.maximum(x, tf.exp(y)) + 1",
    "tf.concat([x, tf.cast(y, tf.float32)], 0)",
    "tf.boolean_mask(x, y > 0)",
    "tf.foo(tf.sin(x))",
    "(tf.math.log1p\n (x))",
    "tf.stack(\n    [x, y],  # both\n    axis=1,\n)",
    "map(tf.sin, [x])",
    "tf.float32",
    "x[..., tf.newaxis]",
    "-tf.abs(x) ** 2",
)
CONTEXTS = {
    "statement": "({})\n",
    "walrus": "if (n := ({})) is None:\n    pass\n",
    "match": "match ({}):\n    case [a, *_] if ({}):\n        b = ({})\n    case _:\n        pass\n",
    "decorator": "@({})\ndef f():\n    pass\n",
    "decorator with arguments": "@g({}, k=({}))\nclass A(*[({})]):\n    pass\n",
    "type hints": "def f(a: ({}) = ({}), *b: ({}), c: int = ({}), **d: ({})) -> ({}):\n    e: ({}) = ({})\n",
    "lambda": "f = lambda a=({}), *, b=({}): ({})\n",
    "comprehension": "f = [({}) for a in ({}) if ({})]\ng = {{({}): ({}) for b in ({})}}\n",
    "generator": "f(({}) for a in ({}))\n",
    "conditional": "a = ({}) if ({}) else ({})\n",
    "comparison": "a = ({}) < ({}) <= ({}) and not ({})\n",
    "subscript": "a[({}) : ({}) : ({}), ({})] = ({})\n",
    "starred": "f(*({}), **({}))\na = [*({}), *({})]\n",
    "async": (
        "async def f():\n    async with ({}) as a:\n        await ({})\n"
        "    async for b in ({}):\n        yield ({})\n"
    ),
    "exceptions": (
        "try:\n    raise ({})\nexcept ({}) as e:\n    assert ({}), ({})\nfinally:\n    del a[({}), 0]\n"
    ),
    "groups": "try:\n    pass\nexcept* ({}):\n    pass\n",
    "with": "with ({}) as a, ({}) as b:\n    with (({}) as c, ({}) as d):\n        pass\n",
    "loops": "for a in ({}):\n    continue\nelse:\n    b = ({})\nwhile ({}):\n    break\n",
    "one line": "a = ({}); b = ({}); c = ({})\n",
    "joined lines": "a = ({}) \\\n    + ({})\n",
    "tabs": "if x:\n\tif y:\n\t\ta = ({})\n\t# why\n\tb = ({})\n",
    "augmented": "a += ({})\nb @= ({})\n",
    "nested functions": "def f():\n    def g():\n        global h\n        h = ({})\n    return g, ({})\n",
    "string around": "a = '''{{}}''' + str(({}))\n",
}
if sys.version_info >= (3, 12):
    CONTEXTS["type parameters"] = "type A[T: ({})] = ({})\ndef f[T](a: T = ({})): ...\n"
F_STRINGS = {
    "f-string": 'a = f"{{({})}} and {{({})!r:>{{({})}}}}"\n',
    "nested f-string": "a = f\"{{f'{{({})}}'}} {{1}}\"\n",
    "triple f-string": 'a = f"""\n{{({})}}\n"""\n',
}


def body(data):
    """The program without its imports, as its meaning."""
    tree = ast.parse(data)
    kept = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.dump(ast.Module(kept, []))


def alone(expression):
    """What becomes of an expression in parentheses, and its diagnostics."""
    outcome = rewrite(f"{HEAD}out = ({expression})\n".encode())
    text = re.sub(r"^# TJ.*\n", "", outcome.data.decode(), flags=re.MULTILINE)
    return text[text.index("out = ") + 6 :].strip(), [f.code for f in outcome.findings]


ALONE = {expression: alone(expression) for expression in EXPRESSIONS}


def filled(context, expressions):
    """The program, and what it becomes if every expression becomes what it does alone."""
    before = HEAD + context.format(*expressions)
    after = context.format(*(ALONE[e][0] for e in expressions))
    return before, after, [code for e in expressions for code in ALONE[e][1]]


def holes(context):
    return context.format(*["\0"] * 20).count("\0")


@pytest.mark.parametrize("name", CONTEXTS)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(EXPRESSIONS), min_size=10, max_size=10))
def test_as_it_is_alone(name, chosen):
    context = CONTEXTS[name]
    chosen = (chosen * 2)[: holes(context)]
    before, after, codes = filled(context, chosen)
    ast.parse(before)
    outcome = rewrite(before.encode())
    assert body(outcome.data) == body(after), before
    assert sorted(f.code for f in outcome.findings) == sorted(codes)
    again = rewrite(outcome.data)
    assert again.data == outcome.data


SHORT = tuple(e for e in EXPRESSIONS if "\n" not in e and "'" not in e)


@pytest.mark.parametrize("name", F_STRINGS)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(SHORT), min_size=3, max_size=3))
def test_in_f_strings(name, chosen):
    """As it is alone, or left with a reason: code inside a string is delicate."""
    context = F_STRINGS[name]
    chosen = chosen[: holes(context)]
    before, after, _ = filled(context, chosen)
    ast.parse(before)
    outcome = rewrite(before.encode())
    ast.parse(outcome.data)
    left = [f for f in outcome.findings if f.state is State.MANUAL]
    assert {f.code for f in left} <= {"TJ308", "TJ301"}
    if not any(f.code == "TJ308" for f in left):
        assert body(outcome.data) == body(after)
    assert rewrite(outcome.data).data == outcome.data


def test_the_comparison_can_fail():
    assert body("import a\nf(x)\n") != body("f(y)\n")
    assert len({text for text, _ in ALONE.values()}) == len(EXPRESSIONS)
    assert {code for _, codes in ALONE.values() for code in codes} >= {
        "TJ101",
        "TJ102",
        "TJ201",
        "TJ301",
        "TJ401",
    }
