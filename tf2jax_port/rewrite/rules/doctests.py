"""Define the diagnostic for examples in docstrings."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

WITH_OUTPUT = Rule(
    code="TJ204",
    name="example-with-output",
    state=State.REVIEW,
    why=(
        "With `--doctests` an example in a docstring is rewritten like other code. The output below the example is "
        "still the output of TensorFlow, which prints arrays differently from JAX."
    ),
    safety=(
        "The code of the example is rewritten, and the output below the code is not changed. Run the doctests, "
        "check the numbers, and replace the old output with the output of JAX."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\n"
            'def f(x):\n    """Squares.\n\n'
            "    >>> tf.square(3.0).shape\n    TensorShape([])\n"
            '    """\n    return tf.square(x)\n\n\ny = f(x)\n',
            "import jax.numpy as jnp\n\n\n"
            'def f(x):\n    """Squares.\n\n'
            "    >>> jnp.square(3.0).shape\n    TensorShape([])\n"
            '    """\n    return jnp.square(x)\n\n\ny = f(x)\n',
            options=Options(doctests=True),
        ),
        Leaves(
            'import tensorflow as tf\n\n\ndef f(x):\n    """>>> tf.square(3.0)"""\n',
            because="without `--doctests` a docstring is text",
        ),
    ),
)
