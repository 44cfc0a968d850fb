"""Which names are TensorFlow's: the less common ways to reach one."""

import pytest

from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.names.public_names import public_name

PUBLIC = {
    "tensorflow.python.ops.math_ops.add": "tensorflow.add",
    "tensorflow.python.ops.math_ops.reduce_sum": "tensorflow.reduce_sum",
    "tensorflow.python.ops.array_ops.where": "tensorflow.compat.v1.where",
    "tensorflow.python.ops.array_ops.where_v2": "tensorflow.where",
    "tensorflow.python.framework.dtypes.float32.max": "tensorflow.float32.max",
    "tensorflow.python.ops.array_ops.no_such_name": "tensorflow.python.ops.array_ops.no_such_name",
    "tensorflow.python.ops.array_ops": "tensorflow.python.ops.array_ops",
    "tensorflow.python": "tensorflow.python",
}


@pytest.mark.parametrize(("private", "public"), PUBLIC.items())
def test_public_names(private, public):
    assert public_name(private) == public


def test_public_names_are_those_objects():
    import importlib

    import tensorflow as tf

    for private, public in PUBLIC.items():
        module, _, name = private.rpartition(".")
        if public == private or name == "max":
            continue
        own = tf
        for part in public.split(".")[1:]:
            own = getattr(own, part)
        assert getattr(importlib.import_module(module), name) is own, private


HEAD = "import tensorflow as tf\n"
OF_OBJECTS = {
    "an attribute that a method sets": (
        "class A:\n    def __init__(self):\n        self.tf = tf\n\n"
        "    def f(self, x):\n        return self.tf.square(x)\n"
    ),
    "an attribute of the class": "class A:\n    tf = tf\n\n    def f(self, x):\n        return self.tf.square(x)\n",
    "in a function of the method": (
        "class A:\n    m = tf.math\n\n    def f(self):\n        return lambda x: self.m.square(x)\n"
    ),
    "by the class": "class A:\n    tf = tf\n\n    @classmethod\n    def f(cls, x):\n        return cls.tf.square(x)\n",
}
NOT_OF_OBJECTS = {
    "a parameter": "class A:\n    def __init__(self, tf):\n        self.tf = tf\n\n    def f(self, x):\n        return self.tf.square(x)\n",
    "something else too": (
        "class A:\n    def __init__(self):\n        self.tf = tf\n        self.tf = object()\n\n"
        "    def f(self, x):\n        return self.tf.square(x)\n"
    ),
    "set in a loop": (
        "class A:\n    tf = tf\n\n    def f(self, x):\n        for self.tf in x:\n            self.tf.square(x)\n"
    ),
    "another class": (
        "class A:\n    tf = tf\n\n\nclass B:\n    def f(self, x):\n        return self.tf.square(x)\n"
    ),
    "another object": "class A:\n    tf = tf\n\n    def f(self, x):\n        return x.tf.square(x)\n",
    "a parameter called self": (
        "class A:\n    tf = tf\n\n    def f(this):\n        def g(self):\n            return self.tf.square(1)\n        return g\n"
    ),
}


@pytest.mark.parametrize("code", OF_OBJECTS.values(), ids=OF_OBJECTS)
def test_modules_as_attributes(code):
    outcome = rewrite((HEAD + code).encode())
    assert "tf.square" in "".join(f.symbol.replace("math.", "") for f in outcome.findings)
    assert "jnp.square(x)" in outcome.data.decode()
    assert rewrite(outcome.data).data == outcome.data


@pytest.mark.parametrize("code", NOT_OF_OBJECTS.values(), ids=NOT_OF_OBJECTS)
def test_other_attributes(code):
    outcome = rewrite((HEAD + code).encode())
    assert "jnp" not in outcome.data.decode()


REBOUND = {
    "an alias of an alias": "k = tf.keras\nm = tf\nn = m.math\ny = n.log(x)\n",
    "an alias with a type": "m: object = tf.math\ny = m.log(x)\n",
    "a walrus": "if (m := tf.math):\n    y = m.log(x)\n",
    "a local alias": "def f(x):\n    m = tf.math\n    return m.log(x)\n",
    "a decorator's argument": "@wrap(tf.math.log)\ndef f():\n    pass\n",
    "a default": "def f(log=tf.math.log):\n    return log\n",
    "an annotation as text": "def f(x: 'list[tf.math.log]'):\n    pass\n",
    "a later annotation": "from __future__ import annotations\nx: tf.math.log\n",
    "partial": "import functools\nf = functools.partial(tf.math.log, x)\n",
    "a base class in brackets": "class A(Base[tf.math.log]):\n    pass\n",
    "a global": "def f():\n    global g\n    g = tf.math.log\n",
    "a lambda": "f = lambda x: tf.math.log(x)\n",
    "an f-string": "y = f'{tf.math.log(x)}'\n",
    "an assert": "assert tf.math.log(x), tf.math.log(y)\n",
    "a star": "f(*tf.math.log(x), **tf.math.log(y))\n",
    "a slice": "y = x[tf.math.log(x) :]\n",
    "a match": "match tf.math.log(x):\n    case tf.math.log:\n        pass\n",
    "an except": "try:\n    pass\nexcept tf.math.log:\n    pass\n",
    "a del": "del tf.math.log\n",
}


@pytest.mark.parametrize("code", REBOUND.values(), ids=REBOUND)
def test_every_place_is_found(code):
    head = "" if code.startswith("from __future__") else HEAD
    code = head + code + ("" if head else HEAD)
    outcome = rewrite(code.encode())
    expected = code.count("math.log") or code.count(".log")
    symbols = [f.symbol for f in outcome.findings if f.symbol != "tf.math"]
    assert symbols == ["tf.math.log"] * expected


STARS = {
    "a name of the outer level": ("square(x)", ["tf.square"]),
    "a module": ("math.log(x)", ["tf.math.log"]),
    "a name that Python has too": ("abs(x)", ["tf.abs"]),
    "a name that only Python has": ("len(x)", []),
    "a name that nobody has": ("no_such_name(x)", []),
    "a name that the file binds": ("square(x)\ndef square(x): pass", []),
}


@pytest.mark.parametrize(("code", "symbols"), STARS.values(), ids=STARS)
def test_through_a_star(code, symbols):
    outcome = rewrite(f"from tensorflow import *\n\ny = {code}\n".encode())
    assert [f.symbol for f in outcome.findings] == ["tf.*", *symbols]
