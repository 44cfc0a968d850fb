"""Keras 3 on JAX: loaded when asked for, refused clearly, trained through sizes that data decide."""

import os
import subprocess
import sys
import textwrap

import pytest


def run(program, **environment):
    """The output of a program in a fresh process without TensorFlow's choice of a backend."""
    kept = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env={**kept, "TF_CPP_MIN_LOG_LEVEL": "3", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_but_its_name_loads_keras():
    found = run(
        """
        import inspect, pydoc, sys, warnings
        import shims
        warnings.simplefilter("ignore")
        inspect.getmembers(shims), inspect.getmembers(shims.compat.v1), pydoc.render_doc(shims)
        print("keras" in sys.modules, "keras" in dir(shims))
        import shims.keras
        print("keras" in dir(shims), shims.losses is shims.keras.losses)
        """
    )
    assert found == "False False\nTrue True"


def test_it_is_keras_itself_with_jax():
    found = run(
        """
        import shims.keras
        from shims.keras import layers
        import keras, shims
        print(shims.keras is keras, layers is keras.layers, keras.backend.backend())
        """
    )
    assert found == "True True jax"


REFUSED = {
    "no keras": (
        "import sys; sys.meta_path.insert(0, type('No', (), {'find_spec': lambda *a, **k: None}))\n"
        "import importlib.util; importlib.util.find_spec = lambda name: None",
        "",
        [
            "keras: Keras 3 is not installed.",
            "  Do:       install Keras: `pip install keras`",
        ],
    ),
    "another backend": (
        "",
        "numpy",
        [
            "keras: Keras does not use the JAX back end.",
            "  Required: KERAS_BACKEND=jax in the environment before Keras is imported",
            "  Received: backend numpy",
            (
                "  Do:       import `shims.keras` before Keras and TensorFlow, or set "
                "KERAS_BACKEND=jax"
            ),
        ],
    ),
    "an old version": (
        "import sys, types, importlib.machinery\n"
        "old = types.ModuleType('keras'); old.__version__ = '2.15.0'\n"
        "old.__spec__ = importlib.machinery.ModuleSpec('keras', None)\n"
        "sys.modules['keras'] = old",
        "",
        [
            "keras: this version of Keras computes with TensorFlow only.",
            "  Required: Keras 3",
            "  Received: Keras 2.15.0",
        ],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    before, backend, lines = REFUSED[name]
    program = (
        f"{before}\nimport shims\n"
        "try:\n    shims.keras\nexcept ImportError as error:\n    print(error)\n"
    )
    environment = {"KERAS_BACKEND": backend} if backend else {}
    found = [line for line in run(program, **environment).splitlines() if "At:" not in line]
    assert found == lines


TRAINING = """
    import jax
    import numpy as np
    import shims
    from shims import keras


    class Centered(keras.layers.Layer):
        def __init__(self, units):
            super().__init__()
            self.dense = keras.layers.Dense(units)

        def call(self, x):
            kept = shims.boolean_mask(x, shims.reduce_any(x > 0, axis=-1))
            return self.dense(x - shims.reduce_mean(kept, axis=0))


    class MeanOfPositive(keras.layers.Layer):
        def call(self, x):
            @shims.dynamic
            def of_row(row):
                positive = shims.boolean_mask(row, row > 0)
                count = shims.cast(shims.size(positive) + 1, shims.float32)
                return shims.reduce_sum(positive * positive) / count

            return shims.expand_dims(jax.vmap(of_row)(x), 1)


    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.Input((4,)), Centered(8), MeanOfPositive(), keras.layers.Dense(1)]
    )
    model.compile(optimizer=keras.optimizers.Adam(0.05), loss="mse")
    x = np.random.default_rng(0).normal(size=(60, 4)).astype("float32")
    y = np.maximum(x, 0).sum(1, keepdims=True)
    losses = model.fit(x, y, epochs=20, batch_size=32, verbose=0).history["loss"]
    print(losses[-1] < 0.5 * losses[0], model.predict(x[:5], verbose=0).shape, model(x[:7]).shape)
"""


@pytest.mark.long
def test_a_model_trains_through_sizes_that_data_decide():
    assert run(TRAINING) == "True (5, 1) (7, 1)"


def test_modules_that_tensorflow_has_at_the_top_and_names_that_keras_lacks():
    found = run(
        """
        import sys
        import shims.compat.v2 as tf
        assert tf.compat.v2 is tf
        for name in ("initializers", "losses", "metrics", "optimizers"):
            assert getattr(tf, name) is getattr(tf.keras, name) and name in dir(tf)
        loss = tf.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.SUM)
        print(float(loss(tf.ones([2, 3]), tf.zeros([2, 3]))), "tensorflow" in sys.modules)
        """
    )
    assert found.split() == ["2.0", "False"]


def test_generators_of_images_are_there():
    found = run(
        """
        import numpy as np, shims
        make = shims.keras.preprocessing.image.ImageDataGenerator(rescale=0.5, horizontal_flip=True)
        x, y = next(make.flow(np.ones([4, 3, 3, 1]), np.arange(4), batch_size=2, shuffle=False))
        print(x.shape, float(x.max()), y.tolist(), hasattr(shims.keras.preprocessing, "text"))
        """
    )
    assert found == "(2, 3, 3, 1) 0.5 [0, 1] True"


def test_layers_take_sparse_tensors_and_their_weights_are_variables():
    found = run(
        """
        import jax
        import numpy as np
        import shims
        from shims import keras

        class Aggregate(keras.layers.Layer):
            def build(self, shapes):
                self.shapes = shapes
                self.kernel = self.add_weight(shape=(shapes[0][-1], 1), initializer="ones")
            def call(self, inputs):
                x, a = inputs
                return shims.sparse.sparse_dense_matmul(a, x @ self.kernel)

        a = shims.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
        layer = Aggregate()
        print(layer([np.eye(2, dtype="float32"), a]).tolist(), layer.shapes)
        try:
            layer([np.eye(2), object()])
        except ValueError as error:
            print(str(error)[:40])
        low = keras.layers.Identity(dtype="float16")(a)
        print(type(low) is shims.SparseTensor, low.dtype, isinstance(a, shims.SparseTensor), a.ndim)

        norm = keras.layers.BatchNormalization(momentum=0.5)
        norm.build((None, 1))
        step = jax.jit(shims.stateless(lambda x: norm(x, training=True), norm.variables))
        _, values = step([v.value for v in norm.variables], np.float32([[2], [4]]))
        print(values[2].tolist(), norm.moving_mean.value.tolist())
        """
    )
    assert found.splitlines() == [
        "[[2.0], [3.0]] [(2, 2), (2, 2)]",
        "Only input tensors may be passed as posi",
        "True float16 True 2",
        "[1.5] [0.0]",
    ]


def test_operators_on_symbolic_tensors():
    found = run(
        """
        import keras, numpy as np, shims
        x, i = np.float32([[1, -2, 3], [-4, 5, 6]]), keras.Input((3,))
        scaled = i * shims.cast(shims.shape(i)[0], shims.float32)
        print(np.array_equal(keras.Model(i, scaled)(x), 2 * x))
        try:
            shims.boolean_mask(i, i > 0)
        except shims.errors.UnimplementedError as error:
            print("write a layer whose `call`" in str(error))

        class Decorated(keras.layers.Layer):
            @shims.function
            def call(self, v):
                return shims.reduce_sum(shims.boolean_mask(v, v > 0))[None]

        print(keras.Model(i, Decorated()(i))(x), Decorated()(x))
        """,
        KERAS_BACKEND="jax",
    )
    assert found == "True\nTrue\n[15.] [15.]"
