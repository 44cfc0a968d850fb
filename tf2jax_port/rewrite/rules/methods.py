"""Diagnostics of methods that tensors have and arrays lack."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

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
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\ns = z.shape\n"
            "y = [3] == z.get_shape()[1:], s != [2, 3], s[:1] == [2]\ndel s\n",
            "import jax.numpy as jnp\n\nz = jnp.square(x)\ns = z.shape\n"
            "y = (3,) == z.shape[1:], s != (2, 3), s[:1] == (2,)\ndel s\n",
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


DTYPE = Rule(
    code="TJ111",
    name="attribute-of-a-dtype",
    state=State.REWRITTEN,
    why=(
        "Dtypes of TensorFlow answer questions (`is_floating`, `as_numpy_dtype`, `base_dtype`) that "
        "those of JAX are asked with functions."
    ),
    safety=(
        "The answers are TensorFlow's; the new text takes dtypes, scalar types and names of dtypes "
        "alike. Where the lines around it do not say what is asked, the place is reviewed (TJ202); so "
        "it is for `max` and `min`, which JAX tells of floats and of integers by two functions."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\n"
            "y = z.dtype.is_floating and z.dtype.base_dtype.name == 'float32'\n",
            "import jax.numpy as jnp\n\nz = jnp.square(x)\n"
            "y = jnp.issubdtype(z.dtype, jnp.floating) and z.dtype.name == 'float32'\n",
        ),
        Rewrites(
            "import numpy as np\nimport tensorflow as tf\n\nz = tf.square(x)\n"
            "y = np.ones(2, z.dtype.as_numpy_dtype)\nw = z.dtype.is_integer or z.dtype.is_complex\n"
            "v = tf.cast(z, tf.complex64)\nu = np.ones(2, v.dtype.real_dtype.as_numpy_dtype)\n",
            "import numpy as np\nimport jax.numpy as jnp\n\nz = jnp.square(x)\n"
            "y = np.ones(2, jnp.dtype(z.dtype).type)\n"
            "w = jnp.issubdtype(z.dtype, jnp.integer) or jnp.issubdtype(z.dtype, jnp.complexfloating)\n"
            "v = z.astype(jnp.complex64)\n"
            "u = np.ones(2, jnp.dtype(jnp.zeros((), v.dtype).real.dtype).type)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\nz = tf.exp(x)\ny = tf.where(x > 0, z, z.dtype.min)\n",
            "import jax.numpy as jnp\n\nz = jnp.exp(x)\ny = jnp.where(x > 0, z, jnp.finfo(z.dtype).min)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = (0.5).is_integer() or tf.square(x)\n",
            because="it is asked of a number",
        ),
    ),
)

SHAPE_METHOD = Rule(
    code="TJ112",
    name="method-of-a-shape",
    state=State.REWRITTEN,
    why=(
        "A static shape of TensorFlow has methods that a tuple lacks: `num_elements`, `with_rank`, "
        "`assert_is_compatible_with`. `shims.TensorShape` has them."
    ),
    safety="The same answers and errors; a size that TensorFlow would not know is known.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\nz.shape.assert_is_compatible_with([2, None])\n"
            "y = z.get_shape().num_elements()\n",
            "import jax.numpy as jnp\nimport shims\n\nz = jnp.square(x)\n"
            "shims.TensorShape(z.shape).assert_is_compatible_with([2, None])\n"
            "y = shims.TensorShape(z.shape).num_elements()\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\ns = z.shape\n"
            "y = s.ndims, s[:1].concatenate(s).as_list(), s[1:].as_list()\ndel s\n",
            "import jax.numpy as jnp\nimport shims\n\nz = jnp.square(x)\ns = z.shape\n"
            "y = len(s), shims.TensorShape(s[:1]).concatenate(s).as_list(), list(s[1:])\ndel s\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.TensorShape([2]).num_elements()\n",
            because="it is `shims.TensorShape` already",
        ),
    ),
)
