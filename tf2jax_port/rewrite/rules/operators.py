"""Diagnostics of operators that are called or passed on."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

CALL = Rule(
    code="TJ101",
    name="operator-call",
    state=State.REWRITTEN,
    why=(
        "JAX has the same operator. The call is changed where it stands: the function, keywords that "
        "have another name, `name=`, and defaults that differ and so are written out."
    ),
    safety=(
        "Values, dtypes and gradients are TensorFlow's; the tests run every such operator in both. "
        "A list where TensorFlow would make a tensor of it becomes `jnp.asarray([...])`, a list of "
        "axes a tuple. Arguments keep their text, comments and line breaks."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.reduce_sum(x, axis=1, name='total')\n",
            "import jax.numpy as jnp\n\ny = jnp.sum(x, axis=1)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\ny = tf.concat(\n    [x, x],  # twice\n    0,\n)\n",
            "import jax.numpy as jnp\n\n"
            "y = jnp.concatenate(\n    [x, x],  # twice\n    axis=0,\n)\n",
        ),
        Leaves(
            "import numpy as tf\n\ny = tf.square(x)\n",
            because="this `tf` is NumPy under another name",
        ),
    ),
)

PASSED_ON = Rule(
    code="TJ104",
    name="operator-as-value",
    state=State.REWRITTEN,
    why=(
        "An operator of one array is handed to a function that will call it with that array; JAX's "
        "function of the same meaning is handed over instead."
    ),
    safety=(
        "Whoever receives it must not pass `name=`. An operator with more parameters, or one whose "
        "gradient differs in a corner, is passed on as the function of `shims` (TJ402)."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = list(map(tf.sin, [x, x]))\n",
            "import jax.numpy as jnp\n\ny = list(map(jnp.sin, [x, x]))\n",
        ),
        Leaves("import tensorflow as tf\n\ny = tf.sin(x)\n", because="a call is not passed on"),
    ),
)

SWITCH = Rule(
    code="TJ110",
    name="switch-without-use",
    state=State.REWRITTEN,
    why=(
        "The statement switches on what TensorFlow 2 does by default, eager execution or variables "
        "that are resources, and JAX does nothing else. `pass` stands in its place."
    ),
    safety="Nothing is lost. What switches the old behavior on is left to you (TJ309).",
    examples=(
        Rewrites(
            "import tensorflow.compat.v1 as tf\n\ntf.enable_v2_behavior()\ny = tf.square(x)\n",
            "import jax.numpy as jnp\n\npass\ny = jnp.square(x)\n",
        ),
        Leaves(
            "import tensorflow.compat.v1 as tf\n\ntf.disable_eager_execution()\n",
            because="it asks for graphs, which JAX does not have",
        ),
    ),
)

CORNER = Rule(
    code="TJ201",
    name="corner-differs",
    state=State.REVIEW,
    why=(
        "JAX has the operator, but computes something else than TensorFlow in a corner that the "
        "finding names: a gradient at a tie, a value at NaN."
    ),
    safety=(
        "Away from that corner both agree. If the corner can be met, write the function of `shims` "
        "by the same name, which has TensorFlow's rule there too."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.maximum(x, 0.5)\n",
            "import jax.numpy as jnp\n\ny = jnp.maximum(x, 0.5)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)\n", because="it has no such corner (TJ101)"
        ),
    ),
)

SHIM = Rule(
    code="TJ401",
    name="operator-without-jax-spelling",
    state=State.SHIM,
    why=(
        "JAX has no such operator, or not with TensorFlow's numbers: its result has a size that only "
        "the data knows, for instance. `shims` has it, with TensorFlow's name and signature."
    ),
    safety=(
        "Values, dtypes and gradients are TensorFlow's. Inside `jax.jit` a result whose size depends "
        "on data needs `shims.function`, or is a `Padded`."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.boolean_mask(x, x > 0.5)\n",
            "import shims\n\ny = shims.boolean_mask(x, x > 0.5)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\ny = tf.map_fn(lambda row: tf.reduce_sum(row), x)\n",
            "import jax.numpy as jnp\nimport shims\n\n"
            "y = shims.map_fn(lambda row: jnp.sum(row), x)\n",
        ),
        Leaves(
            "def f(tf, x):\n    return tf.boolean_mask(x, x > 0)\n", because="`tf` is a parameter"
        ),
    ),
)

SHIM_PASSED_ON = Rule(
    code="TJ402",
    name="operator-with-arguments-as-value",
    state=State.SHIM,
    why=(
        "An operator is passed on as a value, and how it will be called cannot be seen. The function "
        "of `shims` takes every argument that TensorFlow's takes."
    ),
    safety="The function has TensorFlow's signature, defaults and gradient.",
    examples=(
        Rewrites(
            "import functools\nimport tensorflow as tf\n\n"
            "total = functools.partial(tf.reduce_sum, axis=0)\ny = total(x)\n",
            "import functools\nimport shims\n\n"
            "total = functools.partial(shims.reduce_sum, axis=0)\ny = total(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.reduce_sum(x)\n", because="a call is not passed on"
        ),
    ),
)

SHIM_INSTEAD = Rule(
    code="TJ403",
    name="call-that-jax-cannot-spell-here",
    state=State.SHIM,
    why=(
        "JAX has the operator, but this call cannot be written with it without losing something: a "
        "comment between the arguments, an argument that would be evaluated twice, or an argument "
        "for which JAX has no place. Or JAX's operator is known to give something else here: the "
        "mean of integers, a range of fractions, a ragged tensor, a `try` that waits for an error of "
        "TensorFlow."
    ),
    safety="The function of `shims` has TensorFlow's signature; nothing but the name changes.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.reduce_mean([1, 2, 4])\nz = tf.range(1.0, 1.3, 0.1)\n",
            "import shims\n\ny = shims.reduce_mean([1, 2, 4])\nz = shims.range(1.0, 1.3, 0.1)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\n"
            "y = tf.reduce_sum(\n    axis=1,  # rows\n    input_tensor=x,\n)\n",
            "import shims\n\ny = shims.reduce_sum(\n    axis=1,  # rows\n    input_tensor=x,\n)\n",
        ),
        Leaves("import tensorflow as tf\n\ny = tf.square(x)\n", because="JAX can spell it (TJ101)"),
    ),
)

GRAPH_PROGRAM = Rule(
    code="TJ405",
    name="graph-program",
    state=State.SHIM,
    why=(
        "A program of TensorFlow 1 builds a graph and runs it in sessions. With `--target shims` it "
        "stays as it is, line for line, and its import becomes that of `shims.compat.v1`, where that "
        "has every name which the file uses."
    ),
    safety=(
        "Names, shapes, values, gradients and random numbers are TensorFlow's. Files that hand a "
        "graph to each other have to go together."
    ),
    examples=(
        Rewrites(
            "import tensorflow.compat.v1 as tf"
            "\n\n\ndef total(values):\n    with tf.Graph().as_default():\n"
            "        a = tf.placeholder(tf.float32, [None])\n"
            "        with tf.Session() as session:\n"
            "            return session.run(tf.reduce_sum(tf.square(a)), {a: values})\n"
            "\n\ny = total([1.0, 2.0])\n",
            "import shims.compat.v1 as tf"
            "\n\n\ndef total(values):\n    with tf.Graph().as_default():\n"
            "        a = tf.placeholder(tf.float32, [None])\n"
            "        with tf.Session() as session:\n"
            "            return session.run(tf.reduce_sum(tf.square(a)), {a: values})\n"
            "\n\ny = total([1.0, 2.0])\n",
            options=Options(target="shims"),
        ),
        Leaves(
            "import tensorflow.compat.v1 as tf\n\ny = tf.square(x)\n",
            because="nothing in it needs a graph",
        ),
    ),
)

KEPT = Rule(
    code="TJ501",
    name="stays-tensorflow",
    state=State.KEPT,
    why="The call stays TensorFlow on purpose: it has no counterpart in JAX and needs none.",
    safety="Nothing changes, and nothing is left to do.",
)

RULES = (CALL, PASSED_ON, CORNER, SHIM, SHIM_PASSED_ON, SHIM_INSTEAD, GRAPH_PROGRAM, KEPT)
