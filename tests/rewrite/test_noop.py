"""What must stay untouched, byte for byte, and why. The reason is the id."""

import pytest

from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.options import Options

NOT_TENSORFLOW = {
    "no import": "y = tf.square(x)\n",
    "another library under the name": "import numpy as tf\ny = tf.square(x)\n",
    "a package whose name only begins alike": "import tensorflowmodel as tf\ntf.square(x)\n",
    "a relative import": "from . import tensorflow as tf\ntf.square(x)\n",
    "a project's own module": "from project.tensorflow import tf\ntf.square(x)\n",
    "a local variable": "import tensorflow\n\n\ndef f(x):\n    tf = x\n    return tf.square(x)\n",
    "text in a string": "import tensorflow as tf\n\nA = 'tf.square(x)'\n",
    "text in a docstring": 'import tensorflow as tf\n\n\ndef f():\n    """>>> tf.square(1)"""\n',
    "text in a comment": "import tensorflow as tf\n\n# y = tf.square(x)\n",
    "an import that nobody uses": "import tensorflow as tf\n",
    "an import for its effects": "import tensorflow.compat.v1\n\nx = 1\n",
    "the name as a keyword": "import tensorflow as tf\n\nf(tf=1)\n",
    "the name as an attribute": "import tensorflow as tf\n\n\ndef f(self):\n    return self.tf.square(1)\n",
    "the name in Literal": (
        "import tensorflow as tf\nfrom typing import Literal\n\nx: Literal['tf.Tensor']\n"
    ),
}
# The first `tf` is TensorFlow and untouched for want of a use; the second is something else.
SHADOWED = {
    "a parameter": "def f(tf, x):\n    return tf.square(x)\n",
    "a keyword-only parameter": "def f(*, tf):\n    return tf.square(1)\n",
    "a star parameter": "def f(*tf):\n    return tf.square(1)\n",
    "a parameter of a lambda": "f = lambda tf: tf.square(1)\n",
    "a loop variable in a function": "def f(xs):\n    for tf in xs:\n        tf.square(1)\n",
    "a loop variable of a comprehension": "y = [tf.square(1) for tf in xs]\n",
    "a loop variable of a nested comprehension": "y = {a: tf.f() for b in c for tf, a in b}\n",
    "a with target": "def f(a):\n    with a as tf:\n        tf.square(1)\n",
    "an exception": "def f():\n    try:\n        g()\n    except E as tf:\n        tf.square(1)\n",
    "a walrus in a function": "def f(a):\n    if tf := a:\n        tf.square(1)\n",
    "a walrus in a comprehension": "def f(a):\n    g = [0 for b in a if (tf := b)]\n    tf.square(1)\n",
    "a match capture": "def f(a):\n    match a:\n        case [tf]:\n            tf.square(1)\n",
    "a match star": "def f(a):\n    match a:\n        case [*tf]:\n            tf.square(1)\n",
    "a match mapping": "def f(a):\n    match a:\n        case {**tf}:\n            tf.square(1)\n",
    "a local import": "def f():\n    import numpy as tf\n\n    tf.square(1)\n",
    "a local class": "def f():\n    class tf:\n        pass\n\n    tf.square(1)\n",
    "a local function": "def f():\n    def tf():\n        pass\n\n    tf.square(1)\n",
    "a deletion makes it local": "def f():\n    tf.square(1)\n    del tf\n",
    "an augmented assignment": "def f(tf):\n    tf += 1\n    tf.square(1)\n",
    "nonlocal": (
        "def f():\n    tf = 1\n\n    def g():\n        nonlocal tf\n        tf.square(1)\n"
    ),
    "an enclosing function": "def f(tf):\n    def g():\n        return tf.square(1)\n\n    return g\n",
    "a class body that binds it": "class A:\n    tf = 1\n    y = tf.square(1)\n",
}


@pytest.mark.parametrize("code", NOT_TENSORFLOW.values(), ids=NOT_TENSORFLOW)
@pytest.mark.parametrize("target", ["jax", "shims"])
def test_not_tensorflow(code, target):
    outcome = rewrite(code.encode(), Options(target))
    assert outcome.data.decode() == code
    assert outcome.findings == ()


@pytest.mark.parametrize("code", SHADOWED.values(), ids=SHADOWED)
def test_shadowed(code):
    code = "import tensorflow as tf\n\n" + code
    outcome = rewrite(code.encode())
    assert outcome.data.decode() == code
    assert outcome.findings == ()


def test_the_table_can_fail():
    code = "import tensorflow as tf\n\ntf.square(x)\n"
    outcome = rewrite(code.encode())
    assert outcome.data.decode() != code
    assert len(outcome.findings) == 1


SEEN_THROUGH = {
    "a method does not see its class": (
        "class A:\n    tf = 1\n\n    def f(self, x):\n        return tf.square(x)\n"
    ),
    "a comprehension's first iterable is outside": "y = [tf for tf in tf.square(x)]\n",
    "a default is evaluated outside": "def f(tf=tf.square(x)):\n    return tf\n",
    "a decorator is evaluated outside": "@tf.square\ndef f(tf):\n    return tf\n",
    "global": "def f(x):\n    global tf\n    return tf.square(x)\n",
    "a sibling's parameter": "def f(tf):\n    pass\n\n\ndef g(x):\n    return tf.square(x)\n",
    "None where it is not installed": "if not tf:\n    tf = None\ny = tf.square(x)\n",
    "a keyword of the same name": "f(tf=tf.square(x))\n",
    "an f-string": "y = f'{tf.square(x)}'\n",
    "a match subject": "match tf.square(x):\n    case 1:\n        pass\n",
    "a type parameter's neighbor": "def f(x):\n    y: int = tf.square(x)\n",
    "a lambda's body": "f = lambda x: tf.square(x)\n",
    "a walrus' value": "if (y := tf.square(x)) > 0:\n    pass\n",
    "an await": "async def f(x):\n    await tf.square(x)\n",
    "a slice": "y = z[tf.square(x) :]\n",
    "a starred element": "y = [*tf.square(x)]\n",
    "a dictionary": "y = {tf.square(x): tf.square(x)}\n",
    "a chained comparison": "y = 0 < tf.square(x) < 1\n",
    "a conditional expression": "y = tf.square(x) if z else 1\n",
    "a yield": "def f(x):\n    yield tf.square(x)\n",
    "a subscripted result": "y = tf.square(x)[0]\n",
    "an attribute of a result": "y = tf.square(x).shape\n",
}


@pytest.mark.parametrize("code", SEEN_THROUGH.values(), ids=SEEN_THROUGH)
def test_seen_through(code):
    head = "import tensorflow as tf\n\n"
    outcome = rewrite((head + code).encode())
    count = code.count("tf.square")
    squares = [finding for finding in outcome.findings if finding.symbol == "tf.square"]
    assert len(squares) == count
    text = outcome.data.decode()
    assert text.count("jnp.square") == count or "shims.square" in text
    compile(text, "x", "exec", flags=0x2000)  # top-level await is fine
