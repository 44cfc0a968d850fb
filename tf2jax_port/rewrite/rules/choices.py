"""Diagnostics of places that are left as they are because somebody said so, or are written otherwise."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_NOT_ASKED = Leaves(
    "import tensorflow as tf\n\ny = tf.maximum(x, 0.5)\n", because="nobody asked for it (TJ201)"
)

HELD_BACK = Rule(
    code="TJ313",
    name="held-back",
    state=State.MANUAL,
    why=(
        "With `--safe-only` nothing is written that could differ from TensorFlow, and `shims` has no "
        "exact form of this either. The finding names the diagnostic that the place would have had."
    ),
    safety=(
        "Nothing changes. There is no marker comment: run without `--safe-only` when you have time to "
        "look at these places."
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
        "JAX has the operator, with another value or gradient in a corner: at zero, at a tie, at NaN. "
        "With `--exact` or `--safe-only` the function of `shims` is written, which has TensorFlow's "
        "rule there too. The finding says what JAX's would have done."
    ),
    safety="Values, dtypes and gradients are TensorFlow's, in the corner as well.",
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
        "A comment says `# tf2jax: ignore`, `# tf2jax: ignore[TJ201]` or `# tf2jax: ignore-file`. It "
        "stands at the end of the first or the last line of the call, or on a line of its own above."
    ),
    safety=(
        "The place stays TensorFlow, and the import that it needs stays too. Where a name means "
        "something else in TensorFlow 1, a marker remembers which was read."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.square(x)  # tf2jax: ignore\nz = tf.exp(x)\n",
            "import tensorflow as tf\nimport jax.numpy as jnp\n\n"
            "y = tf.square(x)  # tf2jax: ignore\nz = jnp.exp(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)  # tf2jax: ignore[TJ2]\n",
            because="the comment is about other diagnostics than the TJ101 of this line",
        ),
    ),
)

NOT_SELECTED = Rule(
    code="TJ503",
    name="not-selected",
    state=State.KEPT,
    why="`--select` and `--ignore` leave the diagnostic out that the place would have had.",
    safety=(
        "The place stays TensorFlow, without a marker, and does not count as left to a person. Where "
        "a name means something else in TensorFlow 1, a marker remembers which was read."
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
