"""Lists and dicts with several names: a change in a statement on data reaches all of them, or is refused."""

import linecache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

BEGIN = """
import collections
import jax.numpy as jnp

class Holder:
    pass

def changed(d, key, value):
    d[key] = value
"""
# Two containers and one of their keys; further names of them.
KINDS = {
    "dict": ("{KEY: x[0]}", "'v'"),
    "list": ("[x[0]]", "0"),
    "dict in a dict": ("{KEY: x[0], 'w': {'u': x[1]}}", "'v'"),
    "ordered": ("collections.OrderedDict(v=x[0])", "'v'"),
}
# What decides, and how `c` becomes one of `a` and `b`.
CHOICES = {
    "if": "if ASK:\n        c = a\n    else:\n        c = b",
    "if, one": "c = b\n    if ASK:\n        c = a",
    "expression": "c = a if ASK else b",
    "while": "c, i = b, jnp.int32(0)\n    while (i < 2) & ASK:\n        c = a\n        i = i + 1",
    "function": "def pick():\n        if ASK:\n            return a\n        return b\n    c = pick()",
    "attribute": "o = Holder()\n    if ASK:\n        o.c = a\n    else:\n        o.c = b\n    c = o.c",
    "nested if": "c = b\n    if x[0] > 0:\n        if ASK:\n            c = a",
    "in a tuple": "t = (a, 1.0) if ASK else (b, 2.0)\n    c = t[0]",
    "twice": "e = a if ASK else b\n    c = e if x[1] < 0 else b",
}
# What changes, and what is read.
USES = {
    "nothing": ("", "a[KEY], b[KEY], c[KEY]"),
    "the choice, read": ("c[KEY] = c[KEY] + 1.0", "c[KEY]"),
    "the choice": ("c[KEY] = c[KEY] + 1.0", "a[KEY], b[KEY], c[KEY]"),
    "one": ("a[KEY] = a[KEY] + 1.0", "a[KEY], b[KEY], c[KEY]"),
    "one, others read": ("a[KEY] = a[KEY] + 1.0", "a[KEY], b[KEY]"),
    "by a call": ("changed(c, KEY, x[2])", "a[KEY], c[KEY]"),
    "in a statement": (
        "if x[2] > 0:\n        c[KEY] = x[2]",
        "a[KEY], c[KEY]",
    ),
}
SEEN = ("nothing", "the choice, read", "one, others read")
# Changes in place in a statement on data, of what has another name, and what is read.
CHANGES = {
    "item": ("if ASK:\n        a[KEY] = x[2]", "a[KEY], e[KEY]"),
    "computed item": ("k = (KEY,)\n    if ASK:\n        a[k[0]] = x[2]", "a[KEY], e[KEY]"),
    "read in the branch": ("k = (KEY,)\n    if ASK:\n        a[k[0]] = x[2]\n        b = e[KEY] * 2\n"
                           "    else:\n        b = x[1]", "a[KEY], e[KEY], b"),
    "in both": ("k = (KEY,)\n    if ASK:\n        a[k[0]] = x[2]\n    else:\n        e[k[0]] = x[1]",
                "a[KEY], e[KEY]"),
    "in a loop": ("k, i = (KEY,), jnp.int32(0)\n    while (i < 2) & ASK:\n        a[k[0]] = x[2]\n"
                  "        i = i + 1", "a[KEY], e[KEY]"),
    "argument": ("def change(d, k):\n        if ASK:\n            d[k[0]] = x[2]\n    change(a, (KEY,))",
                 "a[KEY], e[KEY]"),
    "not read again": ("k = (KEY,)\n    if ASK:\n        a[k[0]] = x[2]", "e[KEY]"),
    "held": ("k, h = (KEY,), [a]\n    if ASK:\n        a[k[0]] = x[2]", "a[KEY], h[0][KEY]"),
}  # fmt: skip
ASKED = ("(x.sum() > 0)", "(x.sum() > 100)")
DATA = np.array([3.0, -1.0, 1.0], np.float32)


def program(text):
    """The function `f` of a text, which autograph finds."""
    name = f"<aliases {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": "written_program"}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def written(kind, before, read, ask):
    made, key = KINDS[kind]
    text = f"{BEGIN}\ndef f(x):\n    a = {made}\n    {before}\n    return jnp.stack([*({read},)])\n"
    return text.replace("KEY", key).replace("ASK", ask)


def outcomes(text):
    """What Python computes, and the results of the lanes, `None` where they refuse the program."""
    f, x = program(text), jnp.asarray(DATA)
    found, messages = [], []
    for lane in (shims.function(f), jax.jit(shims.function(f))):
        try:
            found.append(lane(x))
        except shims.errors.UnimplementedError as error:
            found.append(None)
            messages.append(str(error))
    assert all("At:" in text and "Do:" in text for text in messages)
    return f(x), found


# The kinds of containers other than the first take long.
_OF_KINDS = [k if k == "dict" else pytest.param(k, marks=pytest.mark.long) for k in KINDS]


@pytest.mark.parametrize("kind", _OF_KINDS)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_is_no_copy_that_python_would_not_see(choice, use, kind):
    second = KINDS[kind][0].replace("x[0]", "x[1]")
    change, read = USES[use]
    for ask in ASKED:
        text = written(kind, f"b = {second}\n    {CHOICES[choice]}\n    {change}", read, ask)
        wanted, found = outcomes(text)
        for got in found:
            if got is None:  # a change under one name would be seen under no other
                assert use not in SEEN, text
            else:
                assert use in SEEN, text
                np.testing.assert_allclose(got, wanted, err_msg=text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_place_reaches_the_other_names(change, kind):
    before, read = CHANGES[change]
    for ask in ASKED:
        wanted, found = outcomes(written(kind, f"e = a\n    {before}", read, ask))
        for got in found:
            if got is None:
                assert kind == "list"
                assert change == "in a loop"
            else:
                np.testing.assert_allclose(got, wanted)


def test_gradients_of_a_change_in_place():
    text = written(
        "dict", "e, k = a, ('v',)\n    if ASK:\n        a[k[0]] = x[2] ** 2", "e['v']", ASKED[0]
    )
    f = program(text)
    got = jax.grad(lambda x: shims.function(f)(x).sum())(jnp.asarray(DATA))
    np.testing.assert_allclose(got, [0.0, 0.0, 2.0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_choice_between_copies_as_the_message_advises(kind):
    second = KINDS[kind][0].replace("x[0]", "x[1]")
    copies = (
        "copied = lambda d: jax.tree.map(lambda v: v, d)\n    c = copied(a) if ASK else copied(b)"
    )
    change, read = USES["the choice"]
    text = written(
        kind, f"import jax\n    b = {second}\n    {copies}\n    {change}", read, ASKED[0]
    )
    wanted, found = outcomes(text)
    for got in found:
        np.testing.assert_allclose(got, wanted)


def swapped_pairs(x):
    a, b, i = {"v": x[0]}, {"v": x[1]}, jnp.int32(0)
    while i < jnp.sum(x > 0):
        a, b = b, a
        i = i + 1
    return a["v"], b["v"]


def read_by_another_name_in_a_loop(x):
    a, i, k = {"v": x[0]}, jnp.int32(0), ("v",)
    e = a
    while i < jnp.sum(x > 0):
        a[k[0]] = a[k[0]] + e["v"]
        i = i + 1
    return a["v"]


def test_names_that_loops_exchange():
    got = shims.function(swapped_pairs)(jnp.asarray(DATA))
    np.testing.assert_allclose(got, swapped_pairs(jnp.asarray(DATA)))
    with pytest.raises(
        shims.errors.UnimplementedError, match="and two names refer to it in the loop"
    ):
        shims.function(read_by_another_name_in_a_loop)(jnp.asarray(DATA))


def unrolled(x):
    state = {"h": x, "n": 0.0}
    for t in range(60):
        new = {"h": state["h"] * 1.5, "n": state["n"] + 1}
        if x.sum() < t:
            state = new
        state["h"] = state["h"] / 2
    return state["h"], state["n"]


def test_choices_that_do_not_matter_any_more_are_dropped(monkeypatch):
    from shims._src.autograph import aliases

    counts = []
    reachable = aliases._of_reachable

    def counted(made):
        counts.append(len(reachable(made)))
        return reachable(made)

    monkeypatch.setattr(aliases, "_of_reachable", counted)
    x = jnp.asarray(DATA)
    for got, wanted in zip(shims.function(unrolled)(x), unrolled(x), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)
    assert counts
    assert max(counts) < 8
