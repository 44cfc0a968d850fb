"""`--random keys`: the draws that keep TensorFlow's generator, and why each of them does."""

import json

import pytest

from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.notebooks.notebook import rewrite_notebook
from tf2jax_port.rewrite.options import FileIgnores, Options
from tf2jax_port.rewrite.reading.neighbors import ALONE

KEYS = Options(random="keys")
HEAD = "import tensorflow as tf\n\n"
STAYS = "the draw uses `shims.random` and TensorFlow's generator, because "
DRAW = "    return tf.random.normal([2])\n"
F = f"def f():\n{DRAW}"
A = f"class A:\n    def draw(self):\n    {DRAW}"
TWICE = "would be computed twice: assign it to a name first"
PASSES = "a key from outside the loop would draw the same numbers in each iteration, so make the key part of the loop's state"

# What a file says after its imports, and why its draw, or each of them, has no key.
LEFT = {
    # Where it stands.
    "lambda": (
        "f = lambda: tf.random.normal([2])\n",
        "in a lambda, which may be called more than once",
    ),
    "generator": ("g = (tf.random.normal([2]) for _ in a)\n", "in a generator, which runs later"),
    "two loops": (
        "x = [tf.random.normal([2]) for a in b for c in a]\n",
        "in a comprehension with several loops",
    ),
    "loops in loops": (
        "x = [[tf.random.normal([2]) for a in b] for b in c]\n",
        "with several loops",
    ),
    "enumerate": ("enumerate = 1\nx = [tf.random.normal([2]) for a in b]\n", "cannot be numbered"),
    "condition": ("while tf.random.uniform([]) < 0.9:\n    pass\n", "in the condition of a loop"),
    "base": (
        "class A(f(tf.random.normal([2]))):\n    pass\n",
        "no key can be split before the call",
    ),
    "guard": (
        "match x:\n    case 1 if tf.random.uniform([]) > 2: pass\n",
        "no key can be split before the call",
    ),
    "annotation": ("def f(x) -> g(tf.random.normal([2])):\n    pass\nf(1)\n", "in an annotation"),
    "text": ("x = f'{tf.random.normal([2])}'\n", "inside a string"),
    "one line": (
        "for x in y: z.append(x) or z.append(tf.random.normal([2]))\n",
        "no line can be inserted",
    ),
    "finally in a line": (
        "try:\n    pass\nfinally: x = tf.random.normal([2])\n",
        "no line can be inserted",
    ),
    "except in a line": (
        "try:\n    pass\nexcept ValueError: x = tf.random.normal([2])\n",
        "no line can be inserted",
    ),
    "lines joined": ("x = 1; \\\ny = tf.random.normal([2])\n", "no line can be inserted"),
    "body in a line": (
        "def f(): return tf.random.normal([2]) + tf.random.normal([2])\nf()\n",
        "no line can be inserted",
    ),
    "body of a loop": (
        "x = tf.map_fn(lambda a: a + tf.random.normal([]), y)\n",
        f"`tf.map_fn` calls: {PASSES}",
    ),
    "loop in a class": (
        "class A:\n    for a in b:\n        x = tf.random.normal([2])\n",
        "in a loop in the body of a class",
    ),
    # What it draws.
    "another operator": (
        "x = tf.random.uniform_candidate_sampler(y, 1, 2, True, 9)\n",
        "`jax.random` has no `random.uniform_candidate_sampler`",
    ),
    "generators": ("x = tf.random.Generator(state=y)\n", "`jax.random` has no `random.Generator`"),
    "handed on": ("x = f(tf.random.normal)\n", "the function is passed on as a value"),
    "starred": ("x = tf.random.normal(*a)\n", "the arguments of the draw are unknown"),
    "a comment": (
        "x = tf.random.normal([2],  # why\n  1.0)\n",
        "there is a comment between the arguments",
    ),
    "a seed": (
        "x = tf.random.normal([2], seed=s)\n",
        "the draw's own seed is not written as a number",
    ),
    "a name": ("x = tf.random.normal([2], name=f())\n", "the name of the function is computed"),
    "awaited": (
        "async def f():\n    return tf.random.normal(await a, await b)\n",
        "several arguments contain calls",
    ),
    "no list": ("x = tf.random.normal(3)\n", "the shape is not a list"),
    "an array": ("n = tf.constant([2])\nx = tf.random.normal(n)\n", "the shape is an array"),
    "operators": ("x = tf.random.normal([tf.reduce_sum(y), 2])\n", "the shape is an array"),
    "computed": (
        "x = tf.random.normal(f(tf.reduce_sum(y)))\n",
        "the shape is computed by TensorFlow's operators",
    ),
    "dtype": ("x = tf.random.normal([2], dtype=tf.complex64)\n", "the dtype is not supported"),
    "no dtype": (
        "x = tf.random.uniform([2], 1, 5, d)\n",
        "the dtype is not written out, for instance as `tf.float32`",
    ),
    "all integers": (
        "x = tf.random.uniform([2], dtype=tf.int32)\n",
        "the draw covers the full integer range",
    ),
    "rates": ("x = tf.random.gamma([2], 1.0, beta=b)\n", "`beta` may be an array"),
    "computed mean": ("x = tf.random.poisson([2], f(3))\n", f"`lam` {TWICE}"),
    "everything dropped": ("x = tf.nn.dropout(y, 1.0)\n", "the rate is out of range"),
    # Who calls it.
    "nobody": (F, "nothing in this file calls `f`"),
    "itself": (
        "def f(n):\n    return tf.random.normal([2]) + f(n)\n",
        "no other code calls `f`",
    ),
    "a caller that nobody calls": (
        f"{F}def g():\n    return f()\nf()\n",
        "`g` calls `f` without a key: nothing in this file calls `g`",
    ),
    "a value": (f"{F}g = f\n", "`f` is passed on as a value in line 5"),
    "an operator": (f"{F}x = tf.map_fn(f, y)\n", f"`tf.map_fn` calls `f` in a loop: {PASSES}"),
    "a decorator": (f"@cached\n{F}f()\n", "`f` is decorated"),
    "a signature": (
        f"@tf.function(input_signature=[])\n{F}f()\n",
        "an argument of `tf.function` fixes the parameters of `f`",
    ),
    "all": (f"__all__ = ['f']\n{F}f()\n", "`__all__` contains `f`"),
    "two meanings": (f"{F}f = f or 1\nf()\n", "`f` is bound to several objects"),
    "names": (f"{F}f()\nglobals()\n", "the file reads its own names at run time"),
    "in a string": (f"{F}x = f'{{f()}}'\n", "`f` is called inside a string"),
    "a generator": ("def f(x):\n" + DRAW + "f(a for a in b)\n", "`f` is called with a generator"),
    "a place": (f"{F}x = lambda: f()\n", "line 5 calls `f`, and the call is in a lambda"),
    "a method": (A, "nothing in this file calls `draw`"),
    "another object": (
        f"{A}def f(a): return a.draw()\nA()\n",
        "line 6 calls `.draw` on a value that may be another",
    ),
    "a bound method": (f"{A}f = A().draw\n", "`.draw` is passed on as a value in line 6"),
    "a name in a string": (f"{A}getattr(A(), 'draw')()\n", "`draw` also occurs as a string"),
    "a class": (f"{A}A().draw()\nB = A\n", "`A` is passed on as a value in line 7"),
    "a base class": (
        f"class A(B):\n    def draw(self):\n    {DRAW}A().draw()\n",
        "the base class of `A` is unknown",
    ),
    "a dataclass": (f"@dataclass\n{A}A().draw()\n", "`A` is decorated, or has a metaclass"),
    "what is made again": (
        f"class A:\n    def __init__(self):\n    {DRAW}    def f(self): self.__init__()\nA()\n",
        "objects of `A` are created without calling `A`",
    ),
    "a second name of a method": (
        f"{A}    other = draw\nA().draw()\n",
        "`draw` may be called from outside",
    ),
    "modules by name": (f"{F}f()\nsys.modules[a].f()\n", "the file reads its own names"),
    "a special method": (
        f"{A.replace('draw', '__call__')}A()()\n",
        "`__call__` may be called from outside",
    ),
    # Seeds, names, and what is no part of the program.
    "a seed from elsewhere": (
        "def g(s):\n    tf.random.set_seed(s)\ng(3)\nx = tf.random.normal([2])\n",
        "the seed is set in line 4, where no key is created",
    ),
    "a computed seed": (
        "tf.random.set_seed(g())\nx = tf.random.normal([2])\n",
        "the seed of line 3 cannot",
    ),
    "names that are taken": (
        "key = random_key = jax_key = 1\nx = tf.random.normal([2])\n",
        "the file already uses every name that the rewriter could give to a key",
    ),
    "comments": (
        "x = tf.random.normal([2])\ny = 1  # tf2jax: ignore\n",
        "comments or settings exclude parts",
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_has_no_key_says_why(name):
    code, reason = LEFT[name]
    outcome = rewrite((HEAD + code).encode(), KEYS)
    found = [f for f in outcome.findings if f.code == "TJ207"]
    assert found
    assert {f.state for f in found} == {State.REVIEW}
    assert all(f.message.startswith(STAYS) and reason in f.message for f in found), found
    assert b"jax.random" not in outcome.data
    assert b"subkey" not in outcome.data
    assert rewrite(outcome.data, KEYS).data == outcome.data


def test_one_draw_without_a_key_does_not_keep_the_others_from_theirs():
    code = f"{HEAD}def f():\n    g = lambda: tf.random.normal([2])\n    return g, tf.random.normal([3])\nf()\n"
    outcome = rewrite(code.encode(), KEYS)
    assert sorted(f.code for f in outcome.findings) == ["TJ206", "TJ207"]
    assert b"lambda: shims.random.normal([2])" in outcome.data
    assert b"jax.random.normal(key, [3])" in outcome.data


def test_the_arguments_of_vars_are_objects():
    outcome = rewrite(f"{HEAD}{F}f()\nvars(a)\n".encode(), KEYS)
    assert [f.code for f in outcome.findings] == ["TJ206"]


def test_a_graph_draws_anew_at_each_run():
    code = "import tensorflow.compat.v1 as tf\n\nx = tf.random_normal([2])\ns = tf.Session()\n"
    found = next(f for f in rewrite(code.encode(), KEYS).findings if f.code == "TJ207")
    assert (
        found.message
        == f"{STAYS}the file builds a graph, which draws new numbers in each run of a session"
    )


def test_settings_of_some_files_leave_all_draws_as_they_are():
    some = Options(random="keys", per_file=(FileIgnores(None, (), ()),))
    found = rewrite(f"{HEAD}x = tf.random.normal([2])\n".encode(), some).findings
    assert [f.code for f in found] == ["TJ207"]


class Importing:
    """The neighbors of a file, one of which imports `f`."""

    def __init__(self):
        self.export, self.concern, self.mentions = ALONE.export, ALONE.concern, ALONE.mentions

        self.import_whole = ALONE.import_whole

    def takes(self, name):
        return name == "f"


def test_a_function_that_another_module_imports_keeps_its_parameters():
    outcome = rewrite(f"{HEAD}{F}f()\n".encode(), KEYS, neighbors=Importing())
    assert [f.message for f in outcome.findings] == [f"{STAYS}another module imports `f`"]


def notebook(*cells):
    """A notebook with cells of code."""
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def test_cells_share_a_key():
    outcome = rewrite_notebook(notebook(HEAD + F, "x = f()", "y = f()"), KEYS)
    cells = ["".join(cell["source"]) for cell in json.loads(outcome.data)["cells"]]
    assert cells[1].startswith("key = jax.random.key(0)\nkey, subkey = jax.random.split(key)\n")
    assert cells[2] == "key, subkey = jax.random.split(key)\ny = f(key=subkey)"
    assert rewrite_notebook(outcome.data, KEYS).data == outcome.data


def test_lines_of_a_notebook_that_are_no_python_call_functions_too():
    outcome = rewrite_notebook(notebook(HEAD + F, "x = f()", "%timeit f()"), KEYS)
    messages = [f.message for f in outcome.findings if f.code == "TJ207"]
    assert messages == [
        f"{STAYS}a magic, a shell command or a non-Python cell of the notebook contains `f`"
    ]
