"""A program with other white space, comments and line joins is rewritten to the same program."""

import ast
import io
import tokenize

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.meta import tree
from tf2jax_port.rewrite import rewrite

PROGRAM = """import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
def f(x: tf.Tensor, keep: "tf.Tensor" = None, *, fn=tf.sin) -> tf.Tensor:
    y = tf.reduce_sum(tf.abs(x), axis=[0, 1], keepdims=True, name="total")
    z = tf.maximum(y, tf.reduce_mean(input_tensor=x, axis=(1))) if (n := 1) else tf.exp(y)
    for row in tf.boolean_mask(x, keep, name="kept"):
        z = z + tf.square(row) * -tf.math.log1p(row, "log")
    match n:
        case 1:
            z = tf.stack([z, z], axis=-1)
    text = f"{tf.square(z)} and {fn(z)!r}"
    return tf.concat([z, tf.foo(z)], 0)[:, tf.newaxis], text, lambda q: tf.where(q > 0)
"""
OPENING, CLOSING = "([{", ")]}"


def gaps(code):
    """Offsets between tokens, `(offset, inside brackets)`; none inside strings."""
    lines = code.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    found, depth, inside_string = [], 0, 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        name = tokenize.tok_name[token.type]
        inside_string += (name == "FSTRING_START") - (name == "FSTRING_END")
        if token.type == tokenize.OP and not inside_string:
            depth += (token.string in OPENING) - (token.string in CLOSING)
            found.append((starts[token.end[0] - 1] + token.end[1], depth > 0))
    return found


GAPS = gaps(PROGRAM)
INSIDE = ("  ", "\n        ", "  # why\n    ", "\t", " \\\n    ", "\n# above\n")
OUTSIDE = ("  ", "\t", " \\\n        ")


@st.composite
def mutated(draw):
    """The program with something harmless put into some of its gaps."""
    code = PROGRAM
    chosen = draw(st.lists(st.sampled_from(GAPS), max_size=6, unique=True))
    for place, bracketed in sorted(chosen, reverse=True):
        follows_line_end = code[place : place + 1] == "\n" or code[:place].endswith("@")
        options = INSIDE if bracketed else ("  ",) if follows_line_end else OUTSIDE
        code = code[:place] + draw(st.sampled_from(options)) + code[place:]
    return draw(st.sampled_from(["\n", "\r\n"])).join(code.split("\n"))


def meaning(data):
    return ast.dump(ast.parse(data))


@settings(max_examples=200, deadline=None)
@given(mutated())
def test_same_program(code):
    ast.parse(code)
    outcome = rewrite(code.encode())
    again = rewrite(outcome.data)
    assert again.data == outcome.data
    assert [f.symbol for f in outcome.findings] == [f.symbol for f in ORIGINAL.findings]
    codes = [f.code for f in outcome.findings]
    other = {code for code, usual in zip(codes, CODES, strict=True) if code != usual}
    # Where a comment stands in the way of an edit, `shims` is called, or the place is left alone.
    assert other <= ({"TJ403", "TJ308"} if "#" in code else set())
    if not other:
        assert meaning(outcome.data) == meaning(ORIGINAL.data)
    comments = [token for token in ("# why", "# above") for _ in range(code.count(token))]
    kept = [
        token for token in ("# why", "# above") for _ in range(outcome.data.decode().count(token))
    ]
    assert kept == comments


ORIGINAL = rewrite(PROGRAM.encode())
CODES = [finding.code for finding in ORIGINAL.findings]


@settings(max_examples=100, deadline=None)
@given(mutated())
def test_untouched_lines_stay(code):
    """Lines without a TensorFlow name come out as they went in."""
    spared = [line for line in code.splitlines() if "tf" not in line and "case" in line]
    assert [
        line for line in rewrite(code.encode()).data.decode().splitlines() if "case" in line
    ] == spared


def test_the_mutations_reach_brackets_and_lines():
    assert sum(inside for _, inside in GAPS) > 40
    assert sum(not inside for _, inside in GAPS) > 10


REAL = (tree.ROOT / "examples/detection/detection_tf.py").read_text()
REAL_GAPS = gaps(REAL)
REAL_OUTCOME = rewrite(REAL.encode())


@st.composite
def mutated_file(draw):
    """A whole file with something harmless put into a dozen of its gaps."""
    code = REAL
    chosen = draw(st.lists(st.sampled_from(REAL_GAPS), max_size=12, unique=True))
    for place, bracketed in sorted(chosen, reverse=True):
        follows_line_end = code[place : place + 1] == "\n" or code[:place].endswith("@")
        options = INSIDE if bracketed else ("  ",) if follows_line_end else OUTSIDE
        code = code[:place] + draw(st.sampled_from(options)) + code[place:]
    return code


def comments(data):
    """All comments that are no markers."""
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    found = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [text for text in found if not text.startswith("# TJ")]


@settings(max_examples=25, deadline=None)
@given(mutated_file())
def test_a_real_file(code):
    ast.parse(code)
    outcome = rewrite(code.encode())
    assert rewrite(outcome.data).data == outcome.data
    assert [f.symbol for f in outcome.findings] == [f.symbol for f in REAL_OUTCOME.findings]
    assert sorted(comments(outcome.data)) == sorted(comments(code.encode()))
    if "# why" not in code and "# above" not in code:
        assert meaning(outcome.data) == meaning(REAL_OUTCOME.data)


def test_the_real_file_is_worth_it():
    assert len(REAL_GAPS) > 500
    assert len(REAL_OUTCOME.findings) > 40
