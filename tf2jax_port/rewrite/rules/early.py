"""Define the diagnostics of names and orders of arguments that TensorFlow had before version 1.0."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_LATER = Leaves(
    "import tensorflow as tf\n\ny = tf.concat([x, x], 0)\n",
    because="the list is the first argument, as in version 1.0 and later",
)
_TOTAL = (
    "import {}.compat.v1 as tf\n\n\ndef total(values):\n    with tf.Graph().as_default():\n"
    "        a = tf.Variable(values)\n        with tf.Session() as session:\n"
    "            session.run(tf.{}())\n            return session.run(tf.reduce_sum(a))\n"
    "\n\ny = total([1.0, 2.0])\n"
)

UNDECIDED = Rule(
    code="TJ337",
    name="early-arguments-undecided",
    state=State.MANUAL,
    why=(
        "This diagnostic applies to a file for TensorFlow before 1.0, which uses names that no later release has, or "
        "orders of arguments that no later release accepts. Before 1.0, the axis was the first argument of "
        "`tf.concat` and `tf.split`. The arguments of this call do not show which argument is the axis, or the call "
        "passes an argument that version 1.0 does not have."
    ),
    safety=(
        "The call is not changed. Write the keywords of version 1, `tf.concat(axis=..., "
        "values=...)`, and run the rewriter again."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef f(a, b):\n    return tf.concat(a, tf.unpack(b))\n",
            "import tensorflow as tf\n"
            "import shims\n\n\n"
            "def f(a, b):\n    # TJ337: tf.concat: the order of the arguments is not certain: pass the arguments "
            "with the keywords of TensorFlow 1 (TensorFlow 0.x)\n    return tf.concat(a, shims.unstack(b))\n",
            runs=False,
        ),
        _LATER,
    ),
)

SPELLED = Rule(
    code="TJ408",
    name="early-spelling",
    state=State.SHIM,
    why=(
        "TensorFlow before 1.0 had other names (`tf.mul`, `tf.pack`, `tf.select`, `tf.scalar_summary`) and a "
        "different order of arguments (`tf.concat(axis, values)`, `tf.split(axis, number, value)`, "
        "`tf.nn.softmax_cross_entropy_with_logits(logits, labels)`). If the arguments show the old order, the "
        "rewriter translates the call to version 1 and then rewrites the translated call like any other call. The "
        "finding of such a call mentions this translation. In a graph program, the rewriter translates the call to "
        "version 1 and changes nothing else."
    ),
    safety=(
        "The functions are the same under their new names. The rewriter changes a name or an order of arguments "
        "only if the call fails in version 1.0 and in every later release. Summaries get TensorFlow 1's tags, in "
        "which all characters except letters, digits, `-`, `.`, `/` and `_` become `_`."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nx = tf.placeholder(tf.float32)\n"
            "y = tf.concat(0, [tf.neg(x), x])\n",
            "import shims.compat.v1 as tf\ntf.disable_v2_behavior()\n\nx = tf.placeholder(tf.float32)\n"
            "y = tf.concat(axis=0, values=[tf.negative(x), x])\n",
            runs=False,
            options=Options(target="graph"),
        ),
        Rewrites(
            _TOTAL.format("tensorflow", "initialize_all_variables"),
            _TOTAL.format("shims", "global_variables_initializer"),
            options=Options(target="graph"),
        ),
        _LATER,
    ),
)
