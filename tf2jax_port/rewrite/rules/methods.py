"""Define the diagnostics of methods that tensors have and arrays lack."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

SHAPE = Rule(
    code="TJ105",
    name="static-shape-method",
    state=State.REWRITTEN,
    why=(
        "`x.get_shape()`, `.as_list()`, `.ndims`, `.rank` and `.value` read the static shape of a tensor. The shape "
        "of a JAX array is a tuple."
    ),
    safety=(
        "A size that is unknown in TensorFlow (`None`) is known in JAX, or symbolic inside "
        "`shims.function`. A branch for a size of `None` is therefore never taken."
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
        "`x.numpy()` returns a writable NumPy array, or a NumPy scalar for a tensor without axes. `np.array(x)[()]` "
        "returns exactly the same value."
    ),
    safety=(
        "The result is a copy with the same values. Inside `jax.jit`, the new expression raises an error, just as "
        "`.numpy()` raises an error in a TensorFlow graph."
    ),
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
        "`x.set_shape(s)` declares sizes that are unknown in a TensorFlow graph, and raises an error if the "
        "declared sizes are wrong. The shape of a JAX array is always known, so only the check is needed: the call "
        "becomes `shims.ensure_shape`."
    ),
    safety=(
        "The check is the same as in TensorFlow. If `x` is a local variable of the function, the statement becomes "
        "an assignment, `x = shims.ensure_shape(x, s)`. Other variables that refer to the same array are not "
        "assigned, so a data-dependent size stays unknown there. If this can matter, the line is marked for review "
        "(TJ202). The line is also marked for review if the surrounding code does not show that `x` is a tensor."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.square(x)\ny.set_shape([None, 3])\n",
            "import jax.numpy as jnp\nimport shims\n\n"
            "y = jnp.square(x)\ny = shims.ensure_shape(y, [None, 3])\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x).set_shape([2, 3])\n",
            because="the code uses the result of `set_shape`, which is `None`",
        ),
    ),
)

SIZE = Rule(
    code="TJ108",
    name="size-of-an-axis",
    state=State.REWRITTEN,
    why=(
        "`tf.shape(x)[0]` is a tensor in TensorFlow, because the size may be unknown in a graph. In JAX, the size "
        "is known during tracing, and a shape that is built from this size needs a number."
    ),
    safety=(
        "The size is the same: a Python number, or a symbolic size inside `shims.function`. In an operation, such a "
        "number takes the dtype of the other operand. The rewriter writes arithmetic on sizes with NumPy, so the "
        "results are also numbers. Under `jit`, slices, `range` and shapes accept such numbers."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.reshape(x, [tf.shape(x)[1], -1])\n",
            "import jax.numpy as jnp\n\ny = jnp.reshape(x, [jnp.shape(x)[1], -1])\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\ny = tf.shape(x)[:1]\n",
            "import jax.numpy as jnp\nimport numpy as np\n\n"
            "y = np.asarray(jnp.shape(x), dtype=np.int32)[:1]\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\nn = tf.minimum(tf.shape(x)[0], 3)\ny = x[:n]\n",
            "import jax.numpy as jnp\nimport numpy as np\n\nn = np.minimum(jnp.shape(x)[0], 3)\n"
            "y = x[:n]\n",
        ),
        Leaves(
            "import tensorflow as tf\n\nkept = tf.boolean_mask(x, x > 1)\ny = tf.shape(kept)[0]\n",
            because=(
                "the size of a selection depends on data, and `shims.shape` returns such a size "
                "even under `jit`"
            ),
        ),
    ),
)

LIST = Rule(
    code="TJ109",
    name="shape-compared-with-list",
    state=State.REWRITTEN,
    why=(
        "`x.shape == [2, 3]` can be true for a TensorFlow shape. The shape of an array is a "
        "tuple, which never equals a list, so the comparison would silently be false. "
        "`[2] + x.shape[1:]` joins a list and a TensorFlow shape, but not a list and a tuple."
    ),
    safety=("The list becomes a tuple. A TensorFlow shape can be equal to a tuple, too."),
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
        Rewrites(
            "import tensorflow as tf\n\nz = tf.square(x)\ny = tf.zeros([1] + z.shape[1:])\n",
            "import jax.numpy as jnp\n\nz = jnp.square(x)\n"
            "y = jnp.zeros((1,) + z.shape[1:], dtype=jnp.float32)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x).shape == (2, 3)\n",
            because="the operand is a tuple already",
        ),
    ),
)

UNKNOWN = Rule(
    code="TJ202",
    name="method-of-unknown-value",
    state=State.REVIEW,
    why=(
        "This diagnostic reports a method of TensorFlow's tensors that is called on a value of unknown type, such as "
        "a parameter, an attribute, or the result of one of the file's own functions."
    ),
    safety=(
        "The new code is right for arrays, for `shims.Variable` and for TensorFlow's tensors. Check that the value "
        "has one of these types, and is not another object with a method of the same name."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\n"
            "def rows(x):\n    return tf.reduce_sum(x, axis=x.shape.rank - 1)\n\n\ny = rows(x)\n",
            "import jax.numpy as jnp\n\n\n"
            "def rows(x):\n    return jnp.sum(x, axis=len(x.shape) - 1)\n\n\ny = rows(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\n\ndef f(x: tf.Tensor):\n    return x.numpy()\n",
            because="the annotation says that the value is a tensor (TJ106)",
        ),
    ),
)


DTYPE = Rule(
    code="TJ111",
    name="attribute-of-a-dtype",
    state=State.REWRITTEN,
    why=(
        "TensorFlow's dtypes have attributes, such as `is_floating`, `as_numpy_dtype` and `base_dtype`. JAX has "
        "functions instead of these attributes."
    ),
    safety=(
        "The results are the same as in TensorFlow; the new code accepts dtypes, scalar types and names of dtypes. "
        "If the surrounding code does not show the type of the value, the line is marked for review (TJ202). Uses "
        "of `max` and `min` are also marked for review, because JAX has separate functions for floats and integers."
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
            because="this `is_integer` is a method of Python's numbers",
        ),
    ),
)

SHAPE_METHOD = Rule(
    code="TJ112",
    name="method-of-a-shape",
    state=State.REWRITTEN,
    why=(
        "A static shape of TensorFlow has methods that a tuple does not have: `num_elements`, "
        "`with_rank`, `assert_is_compatible_with`. `shims.TensorShape` has these methods."
    ),
    safety=(
        "The results and errors are the same as in TensorFlow. The only difference is that sizes that are unknown "
        "in TensorFlow are known in JAX."
    ),
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
            because="the shape is a `shims.TensorShape` already",
        ),
    ),
)
