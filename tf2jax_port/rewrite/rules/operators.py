"""Define the diagnostics of operators that are called, or passed to a function as a value."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

CALL = Rule(
    code="TJ101",
    name="operator-call",
    state=State.REWRITTEN,
    why=(
        "JAX has the same operator. The call is edited in place: the function changes, keywords "
        "are renamed, `name=` is dropped, and defaults that differ are written out."
    ),
    safety=(
        "Values, dtypes and gradients are the same as in TensorFlow; the tests run every such operator in both "
        "libraries. A list that TensorFlow would convert to a tensor becomes `jnp.asarray([...])`, and a list of "
        "axes becomes a tuple. The text of the arguments, their comments and their line breaks stay the same."
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
            because="this `tf` is an alias of NumPy",
        ),
    ),
)

PASSED_ON = Rule(
    code="TJ104",
    name="operator-as-value",
    state=State.REWRITTEN,
    why=(
        "If an operator with one operand is passed to a function that calls the operator with one operand, JAX's "
        "equivalent function is passed instead."
    ),
    safety=(
        "The function that receives the operator must not call it with `name=`. An operator with "
        "more parameters, or an operator whose gradient differs in a corner case, becomes the "
        "function of `shims` (TJ402)."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = list(map(tf.sin, [x, x]))\n",
            "import jax.numpy as jnp\n\ny = list(map(jnp.sin, [x, x]))\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.sin(x)\n",
            because="the operator is called here, not passed on",
        ),
    ),
)

EVIDENCE = Rule(
    code="TJ211",
    name="not-in-every-lane",
    state=State.REVIEW,
    why=(
        "In tests of this project, every operator was rewritten and run with each kind of argument: a list, a "
        "selection (an array with a data-dependent size), or the size of a selection. For the kind of argument in "
        "this code, the rewritten code raised an error in at least one *lane* (one way to run it): eagerly, under "
        "`jax.jit`, in `shims.function`, or with gradients. In most cases, the error occurs under `jax.jit`, where a "
        "data-dependent size has no bound."
    ),
    safety=(
        "The code raises a clear error and never returns a wrong number. If the finding says that `shims.function` "
        "works, compile the code with `shims.function`; otherwise give the size a bound with `shims.bounded`. [What "
        "rewritten text computes](../rewrite-sweep.md) lists the results of all runs."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.squeeze(tf.boolean_mask(x, x > 0))\n",
            "import shims\n\ny = shims.squeeze(shims.boolean_mask(x, x > 0))\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(tf.boolean_mask(x, x > 0))\n",
            because="the new code also runs under `jax.jit`",
        ),
    ),
)

SWITCH = Rule(
    code="TJ110",
    name="switch-without-use",
    state=State.REWRITTEN,
    why=(
        "This diagnostic reports a statement that enables a default of TensorFlow 2 (eager execution or resource "
        "variables). JAX has no other behavior, so `pass` replaces the statement."
    ),
    safety="The program behaves the same. A statement that enables the behavior of TensorFlow 1 is not changed; port "
    "it by hand (TJ309).",
    examples=(
        Rewrites(
            "import tensorflow.compat.v1 as tf\n\ntf.enable_v2_behavior()\ny = tf.square(x)\n",
            "import jax.numpy as jnp\n\npass\ny = jnp.square(x)\n",
        ),
        Leaves(
            "import tensorflow.compat.v1 as tf\n\ntf.disable_eager_execution()\n",
            because="the statement requests graphs, which JAX does not have",
        ),
    ),
)

CORNER = Rule(
    code="TJ201",
    name="corner-differs",
    state=State.REVIEW,
    why=(
        "JAX has the operator, but the result of JAX's operator differs from TensorFlow's in a corner case, such as "
        "the gradient at a tie, the value at NaN, or an input that TensorFlow rejects. The finding names the corner "
        "case."
    ),
    safety=(
        "In all other cases, JAX and TensorFlow agree. If the corner case can occur, use the function of `shims` "
        "with the same name, which returns TensorFlow's result in the corner case, too. With `--exact`, the "
        "rewriter writes this function of `shims`."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.maximum(x, 0.5)\n",
            "import jax.numpy as jnp\n\ny = jnp.maximum(x, 0.5)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)\n",
            because="`tf.square` has no such corner case (TJ101)",
        ),
    ),
)

SHIM = Rule(
    code="TJ401",
    name="operator-without-jax-spelling",
    state=State.SHIM,
    why=(
        "JAX has no such operator (for instance, because the result has a data-dependent size), "
        "or JAX's operator returns numbers that differ from those of TensorFlow's operator. "
        "`shims` has the operator, with TensorFlow's name and signature."
    ),
    safety=(
        "Values, dtypes and gradients are the same as in TensorFlow. Inside `jax.jit`, a result with a "
        "data-dependent size is a `Padded`, unless `shims.function` compiles the code. Inside your own `jax.jit`, "
        "an assertion (`tf.debugging.assert_equal`) warns and checks nothing. `docs/summaries.md` explains how to "
        "check assertions under `jax.jit`."
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
        "This diagnostic reports an operator that is passed on as a value, if the code does not show how the "
        "operator will be called. The function of `shims` accepts every argument that TensorFlow's function accepts."
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
            "import tensorflow as tf\n\ny = tf.reduce_sum(x)\n",
            because="the operator is called here, not passed on",
        ),
    ),
)

SHIM_INSTEAD = Rule(
    code="TJ403",
    name="call-that-jax-cannot-spell-here",
    state=State.SHIM,
    why=(
        "JAX has the operator, but this call cannot be written with JAX's operator: there is a comment between the "
        "arguments, an argument would be evaluated twice, or JAX does not have one of the parameters. This "
        "diagnostic also covers calls for which JAX's operator would return a different result: the mean of integers, a "
        "range with floating-point arguments, a ragged tensor, or a `try` block that expects a TensorFlow error."
    ),
    safety="The function of `shims` has TensorFlow's signature, so only the name changes.",
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
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)\n",
            because=("JAX has the same operator (TJ101)"),
        ),
    ),
)

GRAPH_PROGRAM = Rule(
    code="TJ405",
    name="graph-program",
    state=State.SHIM,
    why=(
        "A TensorFlow 1 program builds a graph and runs it in sessions. If `shims.compat.v1` has every name that "
        "the file uses, `--target shims` changes only the import, to `shims.compat.v1`, and leaves all other lines "
        "unchanged."
    ),
    safety=(
        "Names, shapes, values, gradients and random numbers are the same as in TensorFlow. "
        "Files that pass a graph to each other must be converted together."
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
            because="nothing in the file needs a graph",
        ),
    ),
)

GRAPH_LEFT = Rule(
    code="TJ336",
    name="graph-program-left",
    state=State.MANUAL,
    why=(
        "A TensorFlow 1 program builds a graph, and all code in a file must add to one and the same graph. With "
        "`--target graph` or `--target auto`, the imports of TensorFlow become imports of `shims.compat.v1`, even "
        "if `shims.compat.v1` lacks some of the names that the file uses. Some files are not changed at all: files "
        "with a star import of TensorFlow, with `# tf2jax: ignore` comments, or with lines that an earlier run has "
        "rewritten."
    ),
    safety=(
        "No code of the file becomes eager, in this run or in a later run. A name that `shims.compat.v1` does not "
        "have raises an error with an explanation. Replace the missing names with names that `shims.compat.v1` has."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\nqueue = tf.ConditionalAccumulator(tf.float32)\n",
            "import shims.compat.v1 as tf\n"
            "tf.disable_v2_behavior()\n"
            "\n"
            "x = tf.placeholder(tf.float32)\n"
            "# TJ336: tf.ConditionalAccumulator: `shims.compat.v1` builds the graph of this "
            "file, but does not have this name\n"
            "queue = tf.ConditionalAccumulator(tf.float32)\n",
            runs=False,
            options=Options(target="graph"),
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)\n",
            because="nothing in the file needs a graph",
        ),
    ),
)

KEPT = Rule(
    code="TJ501",
    name="stays-tensorflow",
    state=State.KEPT,
    why="The call is not changed, because JAX neither has nor needs a counterpart.",
    safety=(
        "The call is not changed, and runs in TensorFlow, which must stay installed. If the result reaches a JAX "
        "function, that use has the diagnostic TJ338. `--data shims` moves strings and tables to `shims` (TJ407), and "
        "docs/ragged_and_sparse.md describes how strings work there."
    ),
)
