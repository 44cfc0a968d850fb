"""`--optimizers optax`: which optimizers are followed through a file, and why the others stay."""

import pytest

from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.options import Options

OPTAX = Options(optimizers="optax")
HEAD = "import tensorflow as tf\n"
ADAM = "tf.keras.optimizers.Adam(0.1)"
V1 = "tf.compat.v1.train.AdamOptimizer(0.1)"
STEP = "o.apply_gradients(pairs)\n"

# Programs of which every optimizer and every schedule becomes one of Optax.
FOLLOWED = {
    "unused": f"o = {ADAM}\n",
    "a statement": f"{ADAM}\n",
    "used at once": f"{ADAM}.apply_gradients(pairs)\n",
    "a name": f"o = {ADAM}\n{STEP}",
    "two names": f"o = p = {ADAM}\n{STEP}p.minimize(f, v)\n",
    "an annotated name": f"o: object = {ADAM}\n{STEP}",
    "a choice": f"o = {ADAM} if x else tf.optimizers.SGD()\n{STEP}",
    "names in a row": f"o, p = {ADAM}, {ADAM}\n{STEP}p.apply(g, v)\n",
    "a dictionary": f"d = {{'a': {ADAM}}}\nd['a'].apply_gradients(pairs)\n",
    "a list in a loop": f"for o in [{ADAM}]:\n    pass\nos = [{ADAM}]\nfor o in os:\n    {STEP}",
    "a global name": f"o = {ADAM}\ndef f():\n    global o\n    {STEP}",
    "an inner function": f"def f():\n    o = {ADAM}\n    def g():\n        {STEP}    return g\n",
    "a parameter": f"def f(p, o):\n    {STEP}f(1, {ADAM})\n",
    "a keyword": f"def f(*, o):\n    {STEP}o = {ADAM}\nf(o=o)\n",
    "itself": f"def f(o, n):\n    {STEP}    f(o, n - 1)\nf({ADAM}, 3)\n",
    "an attribute": (
        f"class A:\n    def __init__(self):\n        self.o = {ADAM}\n"
        "    def f(self):\n        self.o.apply_gradients(pairs)\n"
    ),
    "an attribute of a class": f"class A:\n    o = {ADAM}\n    def f(self):\n        self.{STEP}",
    "a constructor": (
        "class B(object):\n    pass\nclass A(B, tf.Module):\n    def __init__(self, o):\n"
        f"        self.o = o\n        self.f(o)\n    def f(self, o):\n        {STEP}A({ADAM})\n"
    ),
    "a model": (
        "class A(tf.keras.Model):\n    def __init__(self):\n"
        f"        self.mine = {ADAM}\n    def f(self):\n        self.mine.apply_gradients(pairs)\n"
    ),
    "what is read and set": (
        f"o = {ADAM}\no.learning_rate = 0.1\no.learning_rate.assign(0.2)\n"
        "print(o.iterations.numpy(), o.learning_rate, o.variables)\no.build(v)\n"
    ),
    "a checkpoint": f"o = {ADAM}\ntf.train.Checkpoint(optimizer=o)\n{STEP}",
    "defaults of what has no place": f"o = {ADAM[:-1]}, use_ema=False, name='o')\n{STEP}",
    "version 1 by a function": f"o = {V1}\no.minimize(lambda: f(v), var_list=[v])\n",
    "version 1 by a tape": f"o = {V1}\nwith tf.GradientTape():\n    pass\n{STEP}",
    "a schedule": (
        "r = tf.keras.optimizers.schedules.CosineDecay(0.1, 5)\nprint(r(3))\n"
        f"o = tf.keras.optimizers.Adam(r)\n{STEP}"
    ),
}
# Programs, and part of the reason why an optimizer stays.
LEFT = {
    "compiled": (
        f"o = {ADAM}\nmodel.compile(optimizer=o)\n{STEP}",
        "`compile` receives the optimizer",
    ),
    "compiled at once": (f"model.compile({ADAM}, 'mse')\n", "`compile` receives the optimizer"),
    "returned": (f"def f():\n    return {ADAM}\n", "a function returns the optimizer"),
    "handed on": (f"f(1, {ADAM})\n", "`f` receives the optimizer"),
    "handed to a function with stars": (
        f"def f(*a):\n    pass\nf({ADAM})\n",
        "`f` receives the optimizer",
    ),
    "handed behind stars": (
        f"def f(a, o):\n    pass\nf(*x, {ADAM})\n",
        "`f` receives the optimizer",
    ),
    "handed to TensorFlow": (f"tf.identity({ADAM})\n", "`tf.identity` receives the optimizer"),
    "called": (f"{ADAM}(1)\n", "the file calls the optimizer"),
    "asked for something else": (
        f"o = {ADAM}\no.get_config()\n",
        "the file uses the optimizer's attribute `get_config`",
    ),
    "asked for a method": (
        f"o = {ADAM}\nf = o.minimize\n",
        "the file uses the optimizer's attribute `minimize`",
    ),
    "asked for variables": (
        f"o = {ADAM}\no.variables()\n",
        "the file uses the optimizer's attribute `variables`",
    ),
    "asked for one variable": (
        f"o = {ADAM}\nv = o.variables[2]\n",
        "indexes the optimizer's attribute `variables`",
    ),
    "asked for a value of Keras": (
        f"o = {ADAM}\nx = o.learning_rate.value\n",
        "the file uses the optimizer's attribute `learning_rate.value`",
    ),
    "set": (
        f"o = {ADAM}\no.iterations = 3\n",
        "the file uses the optimizer's attribute `iterations`",
    ),
    "other arguments": (
        f"o = {ADAM}\no.apply_gradients(z, 'name')\n",
        "with arguments that the rewriter does not support",
    ),
    "starred arguments": (
        f"o = {ADAM}\no.apply_gradients(*z)\n",
        "with arguments that the rewriter does not support",
    ),
    "averages": (f"o = {ADAM[:-1]}, use_ema=True)\n{STEP}", "no parameter `use_ema`"),
    "no name": (f"o = {ADAM[:-1]}, .9, .99, 1e-7, False, .1)\n", "passed by position"),
    "an element": (f"d['a'] = {ADAM}\n", "cannot follow the uses of the optimizer"),
    "an unknown container": (
        f"d = {{'a': {ADAM}}}\nf(d)\n",
        "cannot follow the uses of the optimizer",
    ),
    "a comprehension": (f"o = [{ADAM} for _ in x]\n", "cannot follow the uses of the optimizer"),
    "an attribute of something": (f"x.o = {ADAM}\n", "cannot follow the uses of the optimizer"),
    "a model's own": (
        f"class A(tf.keras.Model):\n    def f(self):\n        self.optimizer = {ADAM}\n",
        "has the base class `tf.keras.Model`",
    ),
    "a foreign class": (
        f"class A(Base):\n    def f(self):\n        self.o = {ADAM}\n",
        "has the base class `Base`",
    ),
    "an attribute that goes on": (
        f"class A:\n    def f(self):\n        self.o = {ADAM}\n        return self.o\n",
        "a function returns the optimizer",
    ),
}
GRAPHS = {
    "a session": f"o = {V1}\ntf.compat.v1.Session()\no.minimize(lambda: f(v))\n",
    "a loss that is there": f"o = {V1}\no.minimize(loss)\n",
    "no tape": f"o = {V1}\n{STEP}",
    "nothing of version 2": f"f({V1})\n",
    "asked for a slot": f"x = tf.zeros([])\no = {V1}\no.get_slot(x, 'm')\n",
}
HANDED_ON = {
    "given": (f"x = tf.zeros([])\nf({V1})\n", "`f` receives the optimizer"),
    "returned": (
        f"x = tf.zeros([])\ndef f():\n    return {V1}\n",
        "a function returns the optimizer",
    ),
    "stored": (
        f"x = tf.zeros([])\nd[0] = {V1}\n",
        "the rewriter cannot follow the uses of the optimizer",
    ),
}
RATES_LEFT = {
    "asked for its configuration": "r.get_config()\n",
    "for an optimizer of Keras": "model.compile(tf.keras.optimizers.Adam(r))\n",
    "called without the step": "r()\n",
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_followed(name):
    outcome = rewrite((HEAD + FOLLOWED[name]).encode(), OPTAX)
    made = [f for f in outcome.findings if "ptimizer" in f.symbol or "schedules" in f.symbol]
    assert made
    assert [(f.state, f.code) for f in made] == [(State.SHIM, "TJ406")] * len(made)
    assert b"keras.optimizers" not in outcome.data
    assert rewrite(outcome.data, OPTAX).data == outcome.data


@pytest.mark.parametrize("name", LEFT)
def test_left(name):
    code, reason = LEFT[name]
    outcome = rewrite((HEAD + code).encode(), OPTAX)
    (finding,) = [f for f in outcome.findings if "Adam" in f.symbol]
    assert reason in finding.message
    # The first place of Keras in a file says what must be in the environment, too.
    assert finding.code in ("TJ132", "TJ230")
    plain = rewrite((HEAD + code).encode())
    assert outcome.data == plain.data


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_are_left(name):
    outcome = rewrite((HEAD + GRAPHS[name]).encode(), OPTAX)
    (finding,) = [f for f in outcome.findings if "Adam" in f.symbol]
    assert (finding.state, finding.code) == (State.MANUAL, "TJ309")
    assert finding.message.endswith(
        (
            "the code builds a graph that contains the optimizer",
            "`f` receives the optimizer",
            "`get_slot`",
        )
    )


@pytest.mark.parametrize("name", HANDED_ON)
def test_those_of_version_1_that_are_handed_on_are_reviewed(name):
    code, reason = HANDED_ON[name]
    outcome = rewrite((HEAD + code).encode(), OPTAX)
    (finding,) = [f for f in outcome.findings if "Adam" in f.symbol]
    assert (finding.state, finding.code) == (State.REVIEW, "TJ208")
    assert finding.message.startswith(reason)
    assert b"shims.optax.Optimizer(shims.optax.adam_v1(0.1))" in outcome.data


@pytest.mark.parametrize("name", RATES_LEFT)
def test_rates_are_left(name):
    schedule = "r = tf.keras.optimizers.schedules.CosineDecay(0.1, 5)\n"
    outcome = rewrite((HEAD + schedule + RATES_LEFT[name]).encode(), OPTAX)
    assert b"keras.optimizers.schedules.CosineDecay(0.1, 5)" in outcome.data


def test_the_target_shims_leaves_them_to_keras():
    code = f"{HEAD}o = {ADAM}\n{STEP}".encode()
    options = Options(target="shims", optimizers="optax")
    assert b"keras.optimizers.Adam" in rewrite(code, options).data


def test_rows_are_taken_with_a_gradient_of_rows():
    take = "x = tf.gather(table, ids, name='x') + tf.gather(a, axis=1, indices=tf.abs(b))\n"
    plain = rewrite((HEAD + take).encode(), OPTAX)
    assert b"jnp.take(table, ids, axis=0)" in plain.data
    outcome = rewrite(f"{HEAD}{take}o = {ADAM}\n{STEP}".encode(), OPTAX)
    assert b"shims.gather(table, ids, name='x') + shims.gather(a, axis=1, indices=" in outcome.data
    assert [f.code for f in outcome.findings if f.symbol == "tf.gather"] == ["TJ403"] * 2


IMPORTS = {
    "from": ("from tensorflow.keras.optimizers import Adam\n", "Adam"),
    "from, another name": ("from tensorflow.keras.optimizers import Adam as A\n", "A"),
    "the module": ("from tensorflow.keras import optimizers\n", "optimizers.Adam"),
    "the package": ("from tensorflow import keras\n", "keras.optimizers.Adam"),
}


@pytest.mark.parametrize("name", IMPORTS)
def test_imports_go(name):
    line, spelled = IMPORTS[name]
    code = f"{line}\no = {spelled}(\n    0.1,  # why\n    beta_1=0.5,\n)\n{STEP}"
    made = "shims.optax.Optimizer(shims.optax.adam(\n    0.1,  # why\n    beta_1=0.5,\n))"
    expected = f"import shims\n\no = {made}\n{STEP}"
    assert rewrite(code.encode(), OPTAX).data.decode() == expected


def test_imports_stay_for_what_stays():
    code = (
        f"from tensorflow.keras.optimizers import Adam, SGD\nm.compile(Adam())\no = SGD()\n{STEP}"
    )
    expected = (
        "from keras.optimizers import Adam\nimport shims\nm.compile(Adam())\n"
        f"o = shims.optax.Optimizer(shims.optax.sgd())\n{STEP}"
    )
    assert rewrite(code.encode(), OPTAX).data.decode() == expected
