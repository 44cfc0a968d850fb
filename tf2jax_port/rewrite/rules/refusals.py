"""Define the diagnostics of references that must be rewritten by hand."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

NO_RULE = Rule(
    code="TJ301",
    name="name-without-rule",
    state=State.MANUAL,
    why=(
        "The rewriter has no replacement for this TensorFlow name, or TensorFlow 2.21 has no such name at `tf.` or "
        "at `tf.compat.v1.`. A name that TensorFlow 2.21 does not have is misspelled, or only versions before 1.0 "
        "had the name. The finding gives the reason."
    ),
    safety=(
        "The name and its import are not changed, so this line still uses TensorFlow. Write the JAX code by hand, "
        "or add a row to `tf2jax_port/table`; the next run of the rewriter removes the marker comment."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ntf.autograph.trace('here')\n",
            "import tensorflow as tf\n\n# TJ301: tf.autograph.trace: the rewriter has no replacement yet\n"
            "tf.autograph.trace('here')\n",
            runs=False,
        ),
        Rewrites(
            "import tensorflow as tf\n\ny = tf.squre(x)\n",
            "import tensorflow as tf\n\n"
            "# TJ301: tf.squre: TensorFlow has no such name: did you mean `tf.square`?\n"
            "y = tf.squre(x)\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.square(x)\n",
            because=("the rewriter has a replacement for `tf.square`"),
        ),
    ),
)

UNKNOWN_ARGUMENT = Rule(
    code="TJ302",
    name="argument-without-rule",
    state=State.MANUAL,
    why=(
        "The call does not match the signature that the rewriter knows for this function: an argument is unknown, "
        "superfluous, missing or given twice. The rewriter never changes a call that it does not understand."
    ),
    safety=(
        "The call is not changed. Compare the call with the documentation of the TensorFlow "
        "version for which the file was written."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef f(x):\n    return tf.reduce_sum(x, weights=x)\n",
            "import tensorflow as tf\n\n\ndef f(x):\n"
            "    # TJ302: tf.reduce_sum: the rewriter does not support the argument `weights`\n"
            "    return tf.reduce_sum(x, weights=x)\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.reduce_sum(x, keep_dims=True)\n",
            because="the old keyword is known, and becomes `keepdims`",
        ),
    ),
)

STARRED = Rule(
    code="TJ303",
    name="starred-arguments",
    state=State.MANUAL,
    why=(
        "With `*args` or `**kwargs` the code does not show which arguments the call has. A function of `shims` "
        "accepts TensorFlow's arguments, so a call with starred arguments usually becomes a call of `shims` "
        "(TJ403). This call cannot become a call of `shims`, because the name is a TensorFlow 1 name with other "
        "parameters, or because some arguments would have to be dropped."
    ),
    safety="The call is not changed. Write out the arguments, then run the rewriter again.",
    examples=(
        Rewrites(
            "import tensorflow.compat.v1 as tf\n\n\ndef f(x, **options):\n"
            "    return tf.reduce_sum(x, **options)\n",
            "import tensorflow.compat.v1 as tf\n\n\n"
            "def f(x, **options):\n    # TJ303: tf.compat.v1.reduce_sum: the call has `*args` or `**kwargs`\n    "
            "return tf.reduce_sum(x, **options)\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.stack([*x, *x])\n",
            because="the star is inside the list, which is one argument",
        ),
    ),
)

MODULE = Rule(
    code="TJ304",
    name="module-as-value",
    state=State.MANUAL,
    why=(
        "This diagnostic reports a TensorFlow module that is passed on as a value or stored, or whose names are "
        "computed at run time, as in `getattr(tf, name)`. The code does not show which names of the module are used."
    ),
    safety=(
        "The line is not changed. Write the names that the code uses, such as `tf.math.log`, then run the "
        "rewriter again."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef f(name, x):\n    return getattr(tf.math, name)(x)\n",
            "import tensorflow as tf\n\n\ndef f(name, x):\n"
            "    # TJ304: tf.math: a module of TensorFlow is passed on as a value\n"
            "    return getattr(tf.math, name)(x)\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\nmath = tf.math\ny = math.log(x)\n",
            because="the rewriter follows an alias of a module",
        ),
    ),
)

AMBIGUOUS = Rule(
    code="TJ305",
    name="name-bound-twice",
    state=State.MANUAL,
    why=("Within one scope, the same name refers to TensorFlow and also to another object."),
    safety=(
        "The line is not changed. Rename the other object. If a `try` and its `except ImportError` import the name "
        "for two versions of TensorFlow, delete the branch for the version that you do not use."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nif fast:\n    import numpy as tf\ny = tf.square(x)\n",
            "import tensorflow as tf\n\nif fast:\n    import numpy as tf\n"
            "# TJ305: tf.square: `tf` is also bound to another object\ny = tf.square(x)\n",
            runs=False,
        ),
        Leaves(
            "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ny = tf.square(x)\n",
            because="`tf = None` only means that TensorFlow is not installed",
        ),
    ),
)

OLD_MEANING = Rule(
    code="TJ306",
    name="meaning-of-tensorflow-1",
    state=State.MANUAL,
    why=(
        "In TensorFlow 1 and TensorFlow 2, this name refers to objects that differ in more than the order of "
        "arguments. The file uses the object of TensorFlow 1: the file accesses the name through `compat.v1`, or uses "
        "other names that only TensorFlow 1 has."
    ),
    safety=(
        "The line is not changed. If the file builds a graph, run the rewriter with `--target auto`: the file then uses "
        "`shims.compat.v1`, in which the name has the meaning of TensorFlow 1. In other files, call the function of "
        "`shims.compat.v1` in this line if the function needs no graph (as `shims.compat.v1.image.resize`), or write the "
        "line for TensorFlow 2 and run the rewriter again."
    ),
    examples=(
        Rewrites(
            "import tensorflow.compat.v1 as tf\n\n\ndef f(x):\n    return tf.image.resize(x, [8, 8])\n",
            "import tensorflow.compat.v1 as tf\n\n\n"
            "def f(x):\n    # TJ306: tf.compat.v1.image.resize: the name has different meanings in TensorFlow 1 and "
            "TensorFlow 2\n    return tf.image.resize(x, [8, 8])\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow.compat.v1 as tf\n\ny = tf.square(x)\n",
            because="`tf.square` is the same in both versions",
        ),
    ),
)

ASSIGNED = Rule(
    code="TJ307",
    name="assigned-tensorflow-name",
    state=State.MANUAL,
    why=(
        "This diagnostic reports a statement that assigns or deletes a name of a TensorFlow module, and so "
        "patches the library."
    ),
    safety="The statement is not changed. Find out the purpose of the patch, and port the patch by hand.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ntf.square = None\n",
            "import tensorflow as tf\n\n"
            "# TJ307: tf.square: a TensorFlow name is assigned or deleted\ntf.square = None\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\nself.square = tf.square(x)\n",
            because="`self.square` is not a TensorFlow name",
        ),
    ),
)

UNTOUCHABLE = Rule(
    code="TJ308",
    name="place-that-cannot-be-edited",
    state=State.MANUAL,
    why=(
        "An edit of this reference could break the code: the reference is in a string annotation with escapes or in "
        "an f-string for which Python does not report positions, or a comment interrupts the reference."
    ),
    safety="The line is not changed. Move the expression to its own line, then run the rewriter again.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\ndef f(x: '''tf.Tensor'''):\n    return x\n",
            "import tensorflow as tf\n"
            "\n"
            "\n"
            "# TJ308: tf.Tensor: the name is inside a string\n"
            "def f(x: '''tf.Tensor'''):\n"
            "    return x\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ny = f'{tf.square(x)}'\n",
            because="Python reports the positions in this f-string",
        ),
    ),
)

NO_COUNTERPART = Rule(
    code="TJ309",
    name="name-without-counterpart",
    state=State.MANUAL,
    why=(
        "JAX has no counterpart of this name. For instance, JAX has no graphs, and therefore no operations of a "
        "graph."
    ),
    safety="The line is not changed. In most cases, the finding says what to write instead.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.Operation\n",
            "import tensorflow as tf\n\n"
            "# TJ309: tf.Operation: JAX has no graphs: write a function and decorate it with `shims.function`\n"
            "y = tf.Operation\n",
            runs=False,
        ),
        Leaves("import tensorflow as tf\n\ny = tf.int32\n", because="JAX has this dtype (TJ102)"),
    ),
)

ATTRIBUTE = Rule(
    code="TJ311",
    name="attribute-without-rule",
    state=State.MANUAL,
    why=(
        "This diagnostic reports an attribute of a TensorFlow object, or a class that is derived from a TensorFlow "
        "object. The rewriter has a replacement for the object, but not for the attribute or the derived class."
    ),
    safety="The line is not changed. Port the line by hand.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.float32.is_floating\n",
            "import tensorflow as tf\n\n# TJ311: tf.float32.is_floating: the rewriter has no replacement for the "
            "attribute `is_floating`\ny = tf.float32.is_floating\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.float32.max\n",
            because=("the rewriter has a replacement for `tf.float32.max`"),
        ),
    ),
)

STAR_IMPORT = Rule(
    code="TJ310",
    name="star-import",
    state=State.MANUAL,
    why=(
        "After `from tensorflow import *` the code does not show which names are TensorFlow's. The rewriter treats "
        "a name as TensorFlow's if no other statement of the file binds the name and TensorFlow 2.21 has the name "
        "at `tf.` or at `tf.compat.v1.`. This also applies to names of Python builtins."
    ),
    safety=(
        "The import statement is not changed, because other names may come from it. Replace the star "
        "import with explicit imports of the names that the file uses."
    ),
    examples=(
        Rewrites(
            "from tensorflow import *\n\ny = square(x)\n",
            "# TJ310: tf.*: the code does not show which other names this statement "
            "imports\n"
            "from tensorflow import *\n"
            "import jax.numpy as jnp\n"
            "\n"
            "y = jnp.square(x)\n",
            runs=False,
        ),
        Leaves("from numpy import *\n\ny = square(x)\n", because="the names come from NumPy"),
    ),
)

HANDED_OVER = Rule(
    code="TJ312",
    name="operator-for-tensorflow",
    state=State.MANUAL,
    why=(
        "This diagnostic reports an operator that is passed to a TensorFlow call, such as a layer of `tf.keras`, if "
        "this call is not changed. TensorFlow calls the operator with TensorFlow tensors, which JAX's functions do "
        "not accept."
    ),
    safety=(
        "The line is not changed. Port the surrounding call to JAX or Keras 3; the next run of the rewriter then "
        "rewrites the operator."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nlayer = tf.foo.Layer(8, activation=tf.nn.relu)\n",
            "import tensorflow as tf\n"
            "\n"
            "# TJ301: tf.foo.Layer: TensorFlow has no such name\n"
            "# TJ312: tf.nn.relu: the operator is passed to `tf.foo.Layer`, which is not changed and "
            "still uses TensorFlow\n"
            "layer = tf.foo.Layer(8, activation=tf.nn.relu)\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\nlayer = Layer(8, activation=tf.nn.relu)\n",
            because="the function that receives the operator is not TensorFlow's",
        ),
    ),
)

RULES = (
    NO_RULE,
    UNKNOWN_ARGUMENT,
    STARRED,
    MODULE,
    AMBIGUOUS,
    OLD_MEANING,
    ASSIGNED,
    UNTOUCHABLE,
    NO_COUNTERPART,
    STAR_IMPORT,
    ATTRIBUTE,
    HANDED_OVER,
)
