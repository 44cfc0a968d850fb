"""Define the diagnostics of `tf.keras`, which becomes Keras 3 on its JAX back end."""

from __future__ import annotations

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.rules.rule import Leaves, Rewrites, Rule

_SET = "import os\n\nos.environ['KERAS_BACKEND'] = 'jax'\n"
_NOT_KERAS = Leaves(
    "import tensorflow as tf\n\ny = tf.square(x)\n", because="`tf.square` is not a Keras name"
)

NAME = Rule(
    code="TJ130",
    name="keras-name",
    state=State.REWRITTEN,
    why=(
        "`tf.keras` is Keras 3 since TensorFlow 2.16, and Keras 3 can also run on JAX. The rewritten name has a "
        "different prefix and refers to the same object. If every name of an import exists in Keras 3, only the "
        "import changes, and the code below the import stays the same. `lr=` of an optimizer becomes "
        "`learning_rate=`, and `alpha=` of `LeakyReLU` becomes `negative_slope=`. A call with any other argument that "
        "Keras 3 does not have is not rewritten (TJ302)."
    ),
    safety=(
        "The same weights give the same outputs; the tests run 150 layers, losses, metrics, activations, optimizers "
        "and schedules on both back ends. Random numbers differ: initial weights, dropout masks, shuffles. Both "
        "back ends can read the same files of saved weights."
    ),
    examples=(
        Rewrites(
            f"{_SET}import tensorflow as tf\n\n"
            "layer = tf.keras.layers.Dense(2, kernel_initializer='ones', activation=tf.nn.relu)\n"
            "y = layer(x)\n",
            f"{_SET}import jax\nimport keras\n\n"
            "layer = keras.layers.Dense(2, kernel_initializer='ones', activation=jax.nn.relu)\n"
            "y = layer(x)\n",
        ),
        Rewrites(
            f"{_SET}from tensorflow.keras.layers import Flatten, LeakyReLU as Leaky\n"
            "from tensorflow.keras import losses\n\n"
            "y = Leaky(alpha=0.2)(Flatten()(x))\nloss = losses.MeanSquaredError()(x, y)\n",
            f"{_SET}from keras.layers import Flatten, LeakyReLU as Leaky\n"
            "from keras import losses\n\n"
            "y = Leaky(negative_slope=0.2)(Flatten()(x))\nloss = losses.MeanSquaredError()(x, y)\n",
        ),
        Leaves(
            "import keras\n\nlayer = keras.layers.Dense(2)\n", because=("this is Keras 3 already")
        ),
    ),
)

SYMBOLS = Rule(
    code="TJ131",
    name="operator-of-symbolic-tensor",
    state=State.REWRITTEN,
    why=(
        "In a functional model, the values between the layers are symbolic tensors, not arrays: the results of "
        "`keras.Input`, layers and operators. In Keras 3, JAX's and TensorFlow's functions raise an error for "
        "symbolic tensors; the functions of `keras.ops` accept symbolic tensors and arrays. If the surrounding code "
        "shows that an argument is symbolic, the operator becomes a function of `keras.ops`."
    ),
    safety=(
        "For arrays, the function of `keras.ops` returns the same values as the operator; the tests compare the "
        "values. A symbolic tensor from elsewhere, such as a parameter, is not recognized: the rewriter writes JAX's "
        "function, which raises an error."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n"
            "inputs = tf.keras.Input(shape=(3,))\nhidden = tf.keras.layers.ReLU()(inputs)\n"
            "outputs = tf.reduce_mean(tf.concat([hidden, inputs], 1), axis=1)\n",
            "import keras\n\n"
            "inputs = keras.Input(shape=(3,))\nhidden = keras.layers.ReLU()(inputs)\n"
            "outputs = keras.ops.mean(keras.ops.concatenate([hidden, inputs], axis=1), axis=1)\n",
            runs=False,
        ),
        Rewrites(
            "import tensorflow as tf\n\n"
            "h = tf.keras.Input(shape=(3,))\nmodel = tf.keras.Model(h, tf.keras.layers.ReLU()(h))\n"
            "h = model(x)\ny = tf.reduce_mean(h, axis=1)\n",
            "import keras\n\n"
            "h = keras.Input(shape=(3,))\nmodel = keras.Model(h, keras.layers.ReLU()(h))\n"
            "h = model(x)\ny = keras.ops.mean(h, axis=1)\n",
        ),
        Rewrites(
            "import tensorflow as tf\n\n"
            "inputs = tf.keras.Input(shape=(3,))\n"
            "outputs = tf.keras.layers.Lambda(lambda v: tf.reduce_mean(v, axis=1))(inputs)\n"
            "model = tf.keras.Model(inputs, tf.square(outputs))\n",
            "import jax.numpy as jnp\nimport keras\n\n"
            "inputs = keras.Input(shape=(3,))\n"
            "outputs = keras.layers.Lambda(lambda v: jnp.mean(v, axis=1))(inputs)\n"
            "model = keras.Model(inputs, keras.ops.square(outputs))\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\n\n"
            "class Layer(tf.keras.layers.Layer):\n"
            "    def call(self, inputs):\n        return tf.reduce_mean(inputs, axis=1)\n",
            because="`call` receives arrays",
        ),
    ),
)

BACKEND = Rule(
    code="TJ230",
    name="keras-back-end",
    state=State.REVIEW,
    why=(
        "Keras 3 chooses its back end when it is imported. This finding appears once per file, at the first Keras "
        "name. A file that mentions `KERAS_BACKEND` does not get this finding."
    ),
    safety=(
        "Set `KERAS_BACKEND=jax` in the environment of every program that runs the file, "
        'before anything imports Keras or TensorFlow, or write `{"backend": "jax"}` to '
        "`~/.keras/keras.json`. Otherwise Keras computes with TensorFlow: given a JAX array, a layer either raises an "
        "error or silently converts the array to a tensor. `import shims.keras` checks the back end."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.keras.activations.relu(x)\n",
            "import keras\n\ny = keras.activations.relu(x)\n",
        ),
        Leaves(
            f"{_SET}import tensorflow as tf\n\ny = tf.keras.activations.relu(x)\n",
            because="the file itself sets `KERAS_BACKEND`",
        ),
    ),
)

OLD = Rule(
    code="TJ231",
    name="keras-of-tensorflow-1",
    state=State.REVIEW,
    why=(
        "The file is written for TensorFlow 1, whose `tf.keras` was Keras 2, or the name belongs "
        "to `optimizers.legacy`. Keras 3 has an object of this name, which behaves the same in "
        "most cases."
    ),
    safety=(
        "The defaults and results of Keras 2.21 (`tf.compat.v1.keras`) and Keras 3.15 were compared by running both "
        "versions.\n\n- These are the same: the order of weights, `Dense`, convolutions, normalizations, "
        "`Embedding`, `SimpleRNN`, activations, losses, `'accuracy'` and initializers.\n- The steps of `SGD`, "
        "`Adagrad`, `Adadelta`, `Adamax` and `Ftrl` are the same; the steps of `Adam` agree within 1e-5.\n- In Keras "
        "2, `GRU` had the default `reset_after=False`. With `reset_after=False`, the layer computes other values and "
        "its weights have other shapes.\n- The default `recurrent_activation` of `GRU`, `LSTM`, `GRUCell`, "
        "`LSTMCell` and `ConvLSTM` was `'hard_sigmoid'` in Keras 2 and is `'sigmoid'` in Keras 3.\n- `hard_sigmoid` "
        "was `clip(0.2 x + 0.5, 0, 1)` in Keras 2 and is `relu6(x + 3) / 6` in Keras 3.\n- The default of both "
        "factors of `regularizers.l1_l2()` was 0.01 in Keras 2 and is 0 in Keras 3.\n- In Keras 2, `RMSprop` added "
        "`epsilon` outside the square root, so its steps for small gradients were larger.\n- The first steps of "
        "`Nadam` differ.\n- Keras 3 removed `fit_generator`, `predict_generator` and `evaluate_generator`, because "
        "`fit`, `predict` and `evaluate` accept generators. Keras 3 also removed `model.reset_states`.\n\nIf a name "
        "in this list differs or was removed, its finding says so."
    ),
    examples=(
        Rewrites(
            "import tensorflow.compat.v1 as tf\n\ny = tf.keras.activations.tanh(x)\n",
            "import keras\n\ny = keras.activations.tanh(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.keras.activations.tanh(x)\n",
            because="the file is written for TensorFlow 2",
        ),
    ),
)

STARRED = Rule(
    code="TJ232",
    name="keras-starred-arguments",
    state=State.REVIEW,
    why=(
        "This diagnostic reports a class or function of Keras that is called with `*args` or `**kwargs`. The code "
        "does not show which arguments the call has. The rewritten call passes all of its arguments to the class or "
        "function of the same name in Keras 3."
    ),
    safety=(
        "Keras 3 raises an error for an unknown argument, so no argument is ignored silently. Check whether the "
        "callers still pass arguments of Keras 2."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\noptions = {'negative_slope': 0.5}\n"
            "y = tf.keras.layers.LeakyReLU(**options)(x)\n",
            "import keras\n\noptions = {'negative_slope': 0.5}\n"
            "y = keras.layers.LeakyReLU(**options)(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.keras.layers.LeakyReLU(0.5)(x)\n",
            because="the arguments are written out",
        ),
    ),
)

INSTALLED = Rule(
    code="TJ233",
    name="keras-that-needs-tensorflow",
    state=State.REVIEW,
    why=(
        "Some parts of Keras 3 use TensorFlow on every back end: layers that process text or "
        "look up words, data sets from folders, `TensorBoard`, exports."
    ),
    safety=(
        "The name and the results are the same, but TensorFlow must stay installed. A layer that uses TensorFlow "
        "must be in the input pipeline before the model, and not inside a compiled function. `Discretization` needs "
        "TensorFlow only for `adapt`. `Normalization`, `CategoryEncoding` and the layers for images do not need "
        "TensorFlow."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = tf.keras.layers.Hashing(num_bins=3)([[1], [2], [7]])\n",
            "import keras\n\ny = keras.layers.Hashing(num_bins=3)([[1], [2], [7]])\n",
        ),
        _NOT_KERAS,
    ),
)

MODULE = Rule(
    code="TJ234",
    name="keras-module-as-value",
    state=State.REVIEW,
    why=(
        "This diagnostic reports a Keras module that is passed on as a value, or whose names are computed at run "
        "time, as in `getattr(tf.keras.layers, name)`. The module also exists in Keras 3."
    ),
    safety=(
        "A name that exists in Keras 3 gives the same object; any other name raises `AttributeError`. Check the "
        "names in your configurations. `keras.backend` and `keras.preprocessing`, which have lost most of their "
        "names, are not rewritten (TJ304)."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\ny = getattr(tf.keras.activations, 'relu')(x)\n",
            "import keras\n\ny = getattr(keras.activations, 'relu')(x)\n",
        ),
        Leaves(
            "import tensorflow as tf\n\ny = getattr(tf.math, name)\n",
            because="`tf.math` is not a module of Keras (TJ304)",
        ),
    ),
)

GONE = Rule(
    code="TJ340",
    name="gone-from-keras-3",
    state=State.MANUAL,
    why=(
        "Keras 3 does not have the name, or uses the name for something else. Examples are "
        "`experimental`, `legacy.Optimizer`, `wrappers.scikit_learn` and `multi_gpu_model`; the "
        "generators and tokenizers of `preprocessing`; functions of `keras.backend` that "
        "`keras.ops` does not have; and imports from `tensorflow.python.keras`, which is a "
        "private copy of Keras 2."
    ),
    safety="The line is not changed. The finding names the replacement, if there is one.",
    examples=(
        Rewrites(
            "import tensorflow as tf\n\nif tf.keras.backend.learning_phase():\n    pass\n",
            "import tensorflow as tf\n\n"
            "# TJ340: tf.keras.backend.learning_phase: Keras 3 has no global learning phase: pass `training=True` "
            "or `training=False` to the call\n"
            "if tf.keras.backend.learning_phase():\n    pass\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\ny = tf.keras.backend.mean(x)\n",
            because="`keras.ops` has the function",
        ),
    ),
)

NO_ARRAY = Rule(
    code="TJ341",
    name="operator-without-symbolic-form",
    state=State.MANUAL,
    why=(
        "This diagnostic reports an operator that is called with a symbolic tensor of Keras, if `keras.ops` has no "
        "function for these arguments. JAX's function and the function of `shims` would raise an error."
    ),
    safety=(
        "The call is not changed. Put the operator into `keras.layers.Lambda`, or into the `call` of your own layer. "
        "In such a layer, the operator receives arrays, and the next run of the rewriter rewrites the operator."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n"
            "inputs = tf.keras.Input(shape=(4,))\nhalves = tf.split(inputs, 2, axis=1)\n",
            "import tensorflow as tf\n"
            "import keras\n"
            "\n"
            "inputs = keras.Input(shape=(4,))\n"
            "# TJ341: tf.split: a symbolic tensor of Keras is not an array: put the operator "
            "into a layer, or into `keras.layers.Lambda`\n"
            "halves = tf.split(inputs, 2, axis=1)\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\n"
            "inputs = tf.keras.Input(shape=(4,))\noutputs = tf.nn.relu(inputs)\n",
            because="`keras.ops` has the function (TJ131)",
        ),
    ),
)

STEP = Rule(
    code="TJ342",
    name="training-step-by-hand",
    state=State.MANUAL,
    why=(
        "On JAX, `fit` of Keras 3 passes the whole training state to the `train_step` of a model, and `train_step` "
        "must return the new state. On TensorFlow, Keras calls `train_step(self, data)`. Also, Keras 3 has no "
        "`optimizer.minimize`."
    ),
    safety=(
        "The reported line is not changed; the code around the line is rewritten. If the step does the same as "
        "`compile` and `fit`, use these two methods instead. Otherwise move the training loop into a function "
        "outside of the class. The rewriter can rewrite a function that uses a tape and `apply_gradients` over the "
        "weights of a model, and the training steps stay the same. [Keras on JAX](../keras.md) shows such a "
        "function, and also a functional step; the tests run both examples."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n\nclass Net(tf.keras.Model):\n"
            "    def train_step(self, data):\n        return {'loss': self.compute_loss(*data)}\n",
            "import tensorflow as tf\n"
            "\n"
            "\n"
            "# TJ342: tf.keras.Model: on JAX, Keras 3 passes the training state to `train_step` and "
            "expects the new state as the result: write a function with a tape, or "
            "`stateless_compute_loss` with `jax.value_and_grad` (docs/keras.md)\n"
            "class Net(tf.keras.Model):\n"
            "    def train_step(self, data):\n"
            "        return {'loss': self.compute_loss(*data)}\n",
            runs=False,
        ),
        Leaves(
            "import tensorflow as tf\n\nmodel = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
            "model.compile(optimizer=tf.keras.optimizers.Adam(), loss='mse')\n",
            because="`compile` and `fit` are the same in Keras 3",
        ),
        Leaves(
            "import tensorflow as tf\n\n\n@tf.function\ndef step(model, optimizer, x, y):\n"
            "    with tf.GradientTape() as tape:\n"
            "        loss = tf.keras.losses.MeanSquaredError()(y, model(x))\n"
            "    gradients = tape.gradient(loss, model.trainable_variables)\n"
            "    optimizer.apply_gradients(zip(gradients, model.trainable_variables))\n",
            because="`shims.GradientTape` and `shims.function` track Keras variables",
        ),
    ),
)

REPEATED_ROWS = Rule(
    code="TJ235",
    name="keras-rows-of-a-table",
    state=State.REVIEW,
    why=(
        "The gradient of `Embedding` consists of one row for each id in the batch. If an id occurs twice in a "
        "batch, the gradient of the id's row is a sum of two terms. On TensorFlow, Keras 3 keeps the two terms "
        "apart, and an optimizer that squares gradients adds the squares of the terms. On JAX, the sum is squared, "
        "as the algorithm defines it."
    ),
    safety=(
        "The layer's outputs and gradients are the same, and so are the steps of `SGD`, `Lion` and `Adamax`. The "
        "steps of `Adam`, `AdamW`, `Nadam`, `RMSprop`, `Adagrad`, `Adadelta`, `Ftrl` and `Lamb` differ if a batch "
        "contains an id twice: compare the course of training, not each step. An embedding that is not trained gives "
        "the same results."
    ),
    examples=(
        Rewrites(
            "import tensorflow as tf\n\n"
            "table = tf.keras.layers.Embedding(5, 2, embeddings_initializer='ones')\n"
            "y = table(tf.constant([[1, 1, 3]]))\n",
            "import jax.numpy as jnp\nimport keras\n\n"
            "table = keras.layers.Embedding(5, 2, embeddings_initializer='ones')\n"
            "y = table(jnp.asarray([[1, 1, 3]]))\n",
        ),
        Leaves(
            "import tensorflow as tf\n\nlayer = tf.keras.layers.Dense(2)\n",
            because="the kernel of `Dense` is not indexed by ids",
        ),
    ),
)

REWRITTEN = (NAME, SYMBOLS)
REVIEWED = (BACKEND, OLD, STARRED, INSTALLED, MODULE, REPEATED_ROWS)
REFUSED = (GONE, NO_ARRAY, STEP)
