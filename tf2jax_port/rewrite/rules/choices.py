"""Define the diagnostics of references that an option or comment leaves unchanged or makes exact."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_NOT_ASKED = Leaves(
    "import tensorflow as tf\n\ny = tf.maximum(x, 0.5)\n",
    because=(
        "without `--exact`, `--safe-only`, `--select` and `--ignore`, the call is reported as TJ201"
    ),
)

HELD_BACK = Rule(
    code="TJ313",
    name="held-back",
    state=State.MANUAL,
    why=(
        "With `--safe-only`, the rewriter writes only code whose results cannot differ from TensorFlow's results. "
        "For this call, neither JAX nor `shims` has such code. The finding names the diagnostic that the call would "
        "have without `--safe-only`."
    ),
    safety=(
        "The call is not changed, and no marker comment is added. Run without `--safe-only` when you have time to "
        "review such calls."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = x.numpy()\nz = tf.square(x)\n",
            "import jax.numpy as jnp\n\ny = x.numpy()\nz = jnp.square(x)\n",
            runs=False,
            options=Options(safe_only=True),
        ),
        _NOT_ASKED,
    ),
)

EXACT = Rule(
    code="TJ404",
    name="exact-form-asked-for",
    state=State.SHIM,
    why=(
        "JAX has the operator, but the value or gradient of JAX's operator differs from TensorFlow's in a corner "
        "case, such as zero, a tie or NaN. With `--exact` or `--safe-only` the call becomes the function of "
        "`shims`, which also follows TensorFlow in the corner case. The finding says how JAX's operator differs."
    ),
    safety=("Values, dtypes and gradients are the same as in TensorFlow, even in the corner case."),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.maximum(x, 0.5)\n",
            "import shims\n\ny = shims.maximum(x, 0.5)\n",
            options=Options(exact=True),
        ),
        _NOT_ASKED,
    ),
)

IGNORED = Rule(
    code="TJ502",
    name="ignored-by-comment",
    state=State.KEPT,
    why=(
        "A comment tells the rewriter to leave the call unchanged: `# tf2jax: ignore`, `# tf2jax: ignore[TJ201]` or "
        "`# tf2jax: ignore-file`. The comment is at the end of the first or the last line of the call, or on a line "
        "of its own above the call. A reason may follow the comment. A name in the brackets that is no diagnostic "
        "excludes nothing, and the finding says so."
    ),
    safety=(
        "The call is not changed, and neither is the import that the call needs. If a name has different meanings in "
        "TensorFlow 1 and in TensorFlow 2, a marker comment records the version that the rewriter assumed."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.square(x)  # tf2jax: ignore\nz = tf.exp(x)\n",
            "import tensorflow as tf\nimport jax.numpy as jnp\n\n"
            "y = tf.square(x)  # tf2jax: ignore\nz = jnp.exp(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)  # tf2jax: ignore[TJ2]\n",
            because="the comment names TJ2, but the diagnostic of this line is TJ101",
        ),
    ),
)

NOT_SELECTED = Rule(
    code="TJ503",
    name="not-selected",
    state=State.KEPT,
    why="`--select` or `--ignore` excludes the diagnostic that applies to this reference.",
    safety=(
        "The reference is not changed, gets no marker comment, and is not counted as manual work. If a name has "
        "different meanings in TensorFlow 1 and in TensorFlow 2, a marker comment records the version that the "
        "rewriter assumed."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.maximum(x, 0.5)\nz = tf.exp(x)\n",
            "import tensorflow as tf\nimport jax.numpy as jnp\n\n"
            "y = tf.maximum(x, 0.5)\nz = jnp.exp(x)\n",
            options=Options(ignore=("TJ2",)),
        ),
        _NOT_ASKED,
    ),
)
