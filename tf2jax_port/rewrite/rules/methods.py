"""Diagnostics of methods that tensors have and arrays lack."""

from __future__ import annotations

from tf2jax_port.rewrite.findings import State
from tf2jax_port.rewrite.rule import Leaves, Rewrites, Rule

SHAPE = Rule(
    code="TJ105",
    name="static-shape-method",
    state=State.REWRITTEN,
    why=(
        "`x.get_shape()`, `.as_list()`, `.ndims`, `.rank` and `.value` ask for the static shape, "
        "which is a tuple of an array."
    ),
    safety=(
        "A size that TensorFlow would not know (`None`) is known in JAX, or is a symbol inside "
        "`shims.function`: a branch on `None` is never taken."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\ny = z.get_shape().as_list()\n",
            "import jax.numpy as jnp\n\nz = jnp.square(x)\ny = list(z.shape)\n",
        ),
        Leaves("y = x.get_shape().as_list()\n", because="the file does not use TensorFlow"),
    ),
)

NUMPY = Rule(
    code="TJ106",
    name="tensor-to-numpy",
    state=State.REWRITTEN,
    why=(
        "`x.numpy()` gives an array of NumPy that may be written to, and a scalar of NumPy for a "
        "tensor without axes. `np.array(x)[()]` gives exactly these."
    ),
    safety="The same values in a copy. Inside `jax.jit` it fails, as `.numpy()` does in a graph.",
    examples=(
        Rewrites(
            "import numpy as np\nimport tensorflow as tf\n\ny = tf.reduce_sum(x).numpy()\n",
            "import numpy as np\nimport jax.numpy as jnp\n\ny = np.array(jnp.sum(x))[()]\n",
        ),
        Leaves(
            "import tensorflow as tf\nimport torch\n\n\ndef f(x):\n    return x.numpy()\n",
            because="`x` may be a tensor of another library that is imported here",
        ),
    ),
)

SET_SHAPE = Rule(
    code="TJ107",
    name="set-shape",
    state=State.REWRITTEN,
    why=(
        "`x.set_shape(s)` tells TensorFlow what a graph could not know, and fails where it is wrong. "
        "An array knows its shape; what is left is the check, in `shims.ensure_shape`."
    ),
    safety=(
        "The check is TensorFlow's. A statement that assigns the checked array takes its place. Only "
        "done where the lines around it say that the value is a tensor."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.square(x)\ny.set_shape([None, 3])\n",
            "import jax.numpy as jnp\nimport shims\n\n"
            "y = jnp.square(x)\ny = shims.ensure_shape(y, [None, 3])\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x).set_shape([2, 3])\n",
            because="its value is used, and it has none",
        ),
    ),
)

SIZE = Rule(
    code="TJ108",
    name="size-of-an-axis",
    state=State.REWRITTEN,
    why=(
        "`tf.shape(x)[0]` is an array in TensorFlow, because a graph may not know the size. JAX knows "
        "it while it traces, and needs it as a number wherever a shape is made of it."
    ),
    safety=(
        "The same size: a Python number, or a symbolic one inside `shims.function`. As a number it "
        "takes the dtype of what it is combined with. `tf.shape(x)` without a fixed index stays an "
        "array."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.reshape(x, [tf.shape(x)[1], -1])\n",
            "import jax.numpy as jnp\n\ny = jnp.reshape(x, [jnp.shape(x)[1], -1])\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.shape(x)[:1]\n", because="a slice of it is an array"
        ),
    ),
)

LIST = Rule(
    code="TJ109",
    name="shape-compared-with-list",
    state=State.REWRITTEN,
    why=(
        "`x.shape == [2, 3]` is true of a shape of TensorFlow. The shape of an array is a tuple, which "
        "no list equals, so the comparison would silently be false."
    ),
    safety="The list becomes a tuple; TensorFlow's shapes equal that too.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\ny = z.shape == [2, 3]\n",
            "import jax.numpy as jnp\n\nz = jnp.square(x)\ny = z.shape == (2, 3)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x).shape == (2, 3)\n",
            because="it is a tuple already",
        ),
    ),
)

UNKNOWN = Rule(
    code="TJ202",
    name="method-of-unknown-value",
    state=State.REVIEW,
    why=(
        "A method that TensorFlow's tensors have is called on a value of which nothing nearby says "
        "what it is: a parameter, an attribute, a result of the file's own functions."
    ),
    safety=(
        "The new spelling is right for arrays, for `shims.Variable` and for TensorFlow's tensors. "
        "Look whether the value is one of these, and not an object with a method of that name."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\n"
            "def rows(x):\n    return tf.reduce_sum(x, axis=x.shape.rank - 1)\n\n\ny = rows(x)\n",
            "import jax.numpy as jnp\n\n\n"
            "def rows(x):\n    return jnp.sum(x, axis=x.ndim - 1)\n\n\ny = rows(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\n\ndef f(x: tf.Tensor):\n    return x.numpy()\n",
            because="the annotation says that it is a tensor (TJ106)",
        ),
    ),
)

RULES = (SHAPE, NUMPY, SET_SHAPE, SIZE, LIST, UNKNOWN)
