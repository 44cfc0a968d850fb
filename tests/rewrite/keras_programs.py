"""Programs that use `tf.keras`, by what they use, and what runs them in a process of their own.

    python -m tests.rewrite.keras_programs JOBS.json RESULTS.npz

runs each program of a list and stores what it assigned to `y`. Which back end Keras has is decided
once in a process, so the programs before and after the rewrite run in two.
"""

import json
import pathlib
import sys

import numpy as np

_RANDOM = np.random.default_rng(7)
ARRAYS = {
    "x": np.array([[0.25, -1.5, 2.0], [1.0, 0.75, -0.5]], np.float32),
    "image": _RANDOM.standard_normal((2, 6, 6, 3)).astype(np.float32),
    "volume": _RANDOM.standard_normal((1, 4, 4, 4, 2)).astype(np.float32),
    "sequence": _RANDOM.standard_normal((2, 6, 3)).astype(np.float32),
    "frames": _RANDOM.standard_normal((2, 3, 5, 5, 2)).astype(np.float32),
    "ids": np.array([[1, 2, 0, 4], [3, 0, 1, 1]], np.int32),
    "p": np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.0, 1.0, 0.0]], np.float32),
    "t": np.array([[0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 0]], np.float32),
    "labels": np.array([1, 2, 2, 1], np.int32),
    "g": np.array([0.5, -1e-7, 3.0], np.float32),
}
_FILL = (
    "weights = [np.cos(np.arange(w.size)).reshape(w.shape) for w in layer.get_weights()]\n"
    "layer.set_weights([np.abs(w).astype(np.float32) for w in weights])\n"
)
_HEAD = "import numpy as np\nimport tensorflow as tf\n\n"


def _layer(made, arguments):
    call = f"layer({arguments})"
    return f"{_HEAD}layer = tf.keras.layers.{made}\n{call}\n{_FILL}y = {call}\n"


_LAYERS = {
    "x": (
        *("Dense(4)", "Dense(units=2, activation='softmax', use_bias=False)", "Activation('tanh')"),
        *("Dense(2, activation=tf.nn.leaky_relu)", "Dropout(0.5)", "GaussianNoise(0.3)"),
        *("ActivityRegularization(l2=0.1)", "BatchNormalization()", "LayerNormalization()"),
        *("BatchNormalization(scale=False, epsilon=1e-5)", "UnitNormalization()", "ReLU(1.5)"),
        *("ELU()", "LeakyReLU()", "LeakyReLU(alpha=0.1)", "PReLU()", "Softmax()", "Flatten()"),
        *("Reshape((3, 1))", "RepeatVector(2)", "Lambda(lambda v: v * 2.0)", "Identity()"),
        *("Lambda(tf.square)", "Rescaling(0.5, offset=1.0)", "GaussianDropout(0.2)"),
        *("Lambda(lambda v: tf.reduce_sum(v, axis=1))", "EinsumDense('ab,bc->ac', 4)"),
        "Normalization(mean=1.0, variance=4.0)",
    ),
    "image": (
        *("Conv2D(4, 3)", "Conv2D(2, (3, 2), strides=2, padding='same', activation='relu')"),
        *("Conv2D(2, 3, dilation_rate=2)", "Conv2DTranspose(2, 3, strides=2, padding='same')"),
        *("Conv2DTranspose(3, 2)", "SeparableConv2D(4, 3)", "DepthwiseConv2D(3, padding='same')"),
        *("MaxPooling2D()", "MaxPool2D(3, strides=1, padding='same')", "AveragePooling2D(2)"),
        *("AveragePooling2D(3, strides=2, padding='same')", "GlobalAveragePooling2D()"),
        *("GlobalMaxPooling2D(keepdims=True)", "UpSampling2D()", "ZeroPadding2D(1)"),
        *("UpSampling2D(2, interpolation='bilinear')", "Cropping2D(((1, 2), (0, 1)))"),
        *("Permute((3, 1, 2))", "GroupNormalization(groups=3)", "SpatialDropout2D(0.5)"),
        *("Resizing(3, 4)", "CenterCrop(4, 4)"),
        *("GlobalMaxPool2D()", "BatchNormalization(axis=1)"),
    ),
    "image, training=False": ("RandomFlip()", "RandomRotation(0.1)", "Dropout(0.5)"),
    "image, training=True": ("BatchNormalization(momentum=0.8)",),
    "sequence": (
        *("Conv1D(4, 3)", "Conv1D(2, 3, padding='causal', dilation_rate=2)", "MaxPooling1D(2)"),
        *("AveragePooling1D(2, padding='same')", "GlobalAveragePooling1D()", "ZeroPadding1D(1)"),
        *("GlobalMaxPooling1D()", "UpSampling1D(2)", "Cropping1D(1)", "SimpleRNN(4)", "LSTM(3)"),
        *("LSTM(2, return_sequences=True, unit_forget_bias=False)", "SeparableConv1D(3, 2)"),
        *("LSTM(2, return_state=True, implementation=1)", "GRU(3)", "GRU(2, reset_after=False)"),
        *(
            "GRU(2, return_sequences=True, go_backwards=True)",
            "Masking(0.0)",
            "Conv1DTranspose(2, 3)",
        ),
        *(
            "RNN(tf.keras.layers.LSTMCell(3))",
            "RNN([tf.keras.layers.GRUCell(2), tf.keras.layers.SimpleRNNCell(3)])",
        ),
        *("Bidirectional(tf.keras.layers.LSTM(2))", "TimeDistributed(tf.keras.layers.Dense(2))"),
        *("Bidirectional(tf.keras.layers.GRU(2, return_sequences=True), merge_mode='sum')",),
        *("SpatialDropout1D(0.3)", "Conv1D(2, 2, strides=2, data_format='channels_last')"),
    ),
    "volume": (
        *("Conv3D(2, 2)", "Conv3DTranspose(2, 2, strides=2)", "MaxPooling3D()", "MaxPool3D(2)"),
        *("AveragePooling3D(2)", "UpSampling3D(2)", "ZeroPadding3D(1)", "GlobalAveragePooling3D()"),
        *("Cropping3D(1)", "GlobalMaxPooling3D()"),
    ),
    "frames": ("ConvLSTM2D(2, 2)",),
    "ids": ("Embedding(5, 3)", "Embedding(5, 2, mask_zero=True, input_length=4)"),
    "[x, x]": (
        *("Add()", "Average()", "Concatenate()", "Concatenate(axis=0)", "Maximum()", "Minimum()"),
        *("Multiply()", "Subtract()", "Dot(axes=1)", "Dot(1, normalize=True)"),
    ),
    "[sequence, sequence]": ("Attention()", "AdditiveAttention()"),
    "sequence, sequence": ("MultiHeadAttention(num_heads=2, key_dim=3)",),
}
_LOSSES = (
    *("BinaryCrossentropy()", "BinaryCrossentropy(from_logits=True)", "BinaryFocalCrossentropy()"),
    *("CategoricalCrossentropy(label_smoothing=0.1)", "CategoricalHinge()", "CosineSimilarity()"),
    *("CategoricalCrossentropy(from_logits=True, reduction='sum')", "Hinge()", "Huber(0.3)"),
    *("KLDivergence()", "LogCosh()", "MeanAbsoluteError()", "MeanAbsolutePercentageError()"),
    *("MeanSquaredError()", "MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)"),
    *("MeanSquaredLogarithmicError()", "Poisson()", "SquaredHinge()", "Dice()", "Tversky()"),
    *("MeanSquaredError(reduction=tf.keras.losses.Reduction.SUM)",),
)
_LOSS_FUNCTIONS = (
    *("MSE", "mae", "mape", "MSLE", "kld", "binary_crossentropy", "categorical_crossentropy"),
    *("hinge", "squared_hinge", "categorical_hinge", "poisson", "cosine_similarity", "logcosh"),
    "huber",
)
_OF_LABELS = ("SparseCategoricalCrossentropy()", "SparseCategoricalCrossentropy(from_logits=True)")
_METRICS = (
    *("AUC()", "Accuracy()", "BinaryAccuracy()", "BinaryCrossentropy()", "CategoricalAccuracy()"),
    *("CategoricalCrossentropy()", "CosineSimilarity()", "FalseNegatives()", "FalsePositives()"),
    *("MeanAbsoluteError()", "MeanSquaredError()", "Precision()", "Recall(thresholds=0.3)"),
    *("RootMeanSquaredError()", "TopKCategoricalAccuracy(k=2)", "TrueNegatives()", "Hinge()"),
    *("TruePositives()", "MeanIoU(num_classes=2)", "KLDivergence()", "R2Score()", "F1Score()"),
)
_METRICS_OF_LABELS = ("SparseCategoricalAccuracy()", "SparseTopKCategoricalAccuracy(k=2)")
_ACTIVATIONS = (
    *("elu", "exponential", "gelu", "hard_sigmoid", "leaky_relu", "linear", "log_softmax", "mish"),
    *(
        "relu",
        "relu6",
        "selu",
        "sigmoid",
        "silu",
        "softmax",
        "softplus",
        "softsign",
        "swish",
        "tanh",
    ),
)
_OPTIMIZERS = (
    *("SGD(0.1)", "SGD(0.1, momentum=0.9)", "SGD(0.1, momentum=0.9, nesterov=True)", "Adam(0.1)"),
    *("Adam(learning_rate=0.1, beta_1=0.5, epsilon=1e-4)", "Adam(0.1, amsgrad=True)", "AdamW(0.1)"),
    *("Adamax(0.1)", "Nadam(0.1)", "RMSprop(0.1)", "RMSprop(0.1, momentum=0.5, centered=True)"),
    *("Adagrad(0.1)", "Adadelta(1.0)", "Ftrl(0.1)", "Lion(0.1)", "Adam(0.1, clipnorm=0.5)"),
    *("Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))", "Lamb(0.1)"),
)
_SCHEDULES = (
    *("ExponentialDecay(0.1, 7, 0.5)", "ExponentialDecay(0.1, 7, 0.5, staircase=True)"),
    *("PolynomialDecay(0.1, 20, 0.01, power=2.0)", "PolynomialDecay(0.1, 15, cycle=True)"),
    *("PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.1])", "InverseTimeDecay(0.1, 5, 0.3)"),
    *("CosineDecay(0.1, 30, alpha=0.1)", "CosineDecay(0.0, 30, warmup_target=0.1, warmup_steps=5)"),
    *("CosineDecayRestarts(0.1, 10, t_mul=2.0, m_mul=0.5)",),
)
_DECAYS = (
    *("exponential_decay(0.1, step, 7, 0.5)", "exponential_decay(0.1, step, 7, 0.5, True)"),
    *("inverse_time_decay(0.1, step, 5, decay_rate=0.3, name='d')", "cosine_decay(0.1, step, 30)"),
    *("polynomial_decay(0.1, step, 20)", "polynomial_decay(0.1, step, 15, 0.01, 2.0, cycle=True)"),
    *("cosine_decay(0.1, step, 30, alpha=0.1)", "inverse_time_decay(0.1, step, 5, 0.3, True)"),
    *("piecewise_constant(step, [10, 20], [1.0, 0.5, 0.1])",),
    *("piecewise_constant_decay(step, boundaries=[3], values=[1.0, 0.5])",),
)
_CONFIGURED = (
    *("GlorotNormal()", "GlorotUniform(seed=1)", "HeNormal()", "HeUniform()", "LecunNormal()"),
    *("LecunUniform()", "Orthogonal(0.5)", "RandomNormal(stddev=0.1)", "RandomUniform(-1, 1)"),
    *("TruncatedNormal(stddev=0.02)", "VarianceScaling(2.0, mode='fan_out')"),
)
_VALUES = {
    "initializer": "tf.keras.initializers.{}((2, 3))",
    "regularizer": "tf.keras.regularizers.{}(x)",
    "constraint": "tf.keras.constraints.{}(x)",
    "utility": "tf.keras.utils.{}",
    "function": "tf.keras.{}",
}
_OF_VALUES = {
    "initializer": ("Zeros()", "Ones()", "Constant(0.3)"),
    "regularizer": ("L1(0.1)", "L2(0.1)", "l2(0.2)", "L1L2(0.1, 0.2)"),
    "constraint": ("MaxNorm(1.0)", "NonNeg()", "UnitNorm(axis=1)", "MinMaxNorm(0.2, 0.9)"),
    "utility": (
        "to_categorical([0, 2, 1])",
        "normalize([[1.0, 2.0]])",
        "pad_sequences([[1], [2, 3]])",
    ),
    "function": (
        *("preprocessing.sequence.pad_sequences([[1], [2, 3]], maxlen=3, padding='post')",),
        *("initializers.get('ones')((2,))", "activations.get('relu')(x)", "layers.add([x, x])"),
        *(
            "layers.concatenate([x, x], axis=0)",
            "layers.multiply([x, x])",
            "losses.get('mse')(x, x)",
        ),
        *("applications.imagenet_utils.preprocess_input(image, mode='tf')", "ops.softmax(x)"),
    ),
}
_BACKEND = (
    *("abs(x)", "all(x > 0, axis=1)", "any(x > 1)", "arange(1, 5, 2)", "argmax(x)", "argmin(x, 0)"),
    *("batch_flatten(image)", "bias_add(image, p[0])", "cast(x, 'int32')", "clip(x, -0.5, 0.5)"),
    *(
        "concatenate([x, x])",
        "constant([1, 2])",
        "cos(x)",
        "cumprod(x, 1)",
        "cumsum(x)",
        "dtype(x)",
    ),
    *("dot(x, tf.transpose(x))", "elu(x, 0.5)", "epsilon()", "equal(x, 1.0)", "exp(x)", "eye(2)"),
    *(
        "expand_dims(x)",
        "flatten(x)",
        "floatx()",
        "gather(x, labels - 1)",
        "get_value(x)",
        "max(x)",
    ),
    *(
        "greater(x, 0.0)",
        "hard_sigmoid(x)",
        "image_data_format()",
        "int_shape(image)",
        "log(x * x)",
    ),
    *("l2_normalize(x, axis=1)", "less_equal(x, 1.0)", "maximum(x, 0.5)", "mean(x, axis=-1)"),
    *(
        "mean(x, [0, 1], keepdims=True)",
        "min(x, 1)",
        "minimum(x, 0.5)",
        "ndim(image)",
        "ones((2, 2))",
    ),
    *("not_equal(x, 1.0)", "one_hot(ids, 5)", "ones_like(ids)", "permute_dimensions(x, (1, 0))"),
    *("pow(x, 2)", "prod(x, 0)", "relu(x)", "repeat(x, 2)", "repeat_elements(x, 2, 1)", "round(x)"),
    *("reshape(x, (3, -1))", "reverse(x, 1)", "sigmoid(x)", "sign(x)", "softmax(x)", "softplus(x)"),
    *("sqrt(x)", "square(x)", "squeeze(x[:1], 0)", "stack([x, x])", "std(x, 0)", "sum(x, axis=1)"),
    *(
        "stop_gradient(x)",
        "tanh(x)",
        "temporal_padding(sequence)",
        "tile(x, (1, 2))",
        "transpose(x)",
    ),
    *("var(x)", "zeros((2, 3), dtype='int32')", "zeros_like(x, dtype='int32')", "softsign(x)"),
    *("conv2d(image, volume[0, :2, :2, :3, :])", "in_top_k(p, labels, 2)"),
)
# Operators between the layers of a functional model: `h` is symbolic after the rewrite, and what
# it stands for is computed by TensorFlow before it.
SYMBOLIC = (
    *("tf.abs(h)", "tf.exp(h)", "tf.negative(h)", "tf.round(h)", "tf.sigmoid(h)", "tf.sign(h)"),
    *("tf.square(h)", "tf.tanh(h)", "tf.sqrt(tf.abs(h))", "tf.math.log(tf.exp(h))", "tf.cos(h)"),
    *("tf.math.rsqrt(tf.exp(h))", "tf.logical_not(h > 0.5)", "tf.math.ceil(h)", "tf.floor(h)"),
    *(
        "tf.add(h, h)",
        "tf.subtract(h, 1.0)",
        "tf.multiply(x=h, y=h)",
        "tf.divide(h, 2.0)",
        "tf.sin(h)",
    ),
    *("tf.truediv(h, 3.0)", "tf.maximum(h, 0.3)", "tf.minimum(h, 0.3)", "tf.equal(h, 2.0)"),
    *("tf.not_equal(h, 2.0)", "tf.greater(h, 0.2)", "tf.greater_equal(h, 0.25)", "tf.less(h, 0.2)"),
    *(
        "tf.less_equal(h, 0.25)",
        "tf.logical_and(h > 0.0, h < 1.0)",
        "tf.logical_or(h > 1.0, h < 0.0)",
    ),
    *("tf.nn.elu(h)", "tf.nn.relu(h)", "tf.nn.relu6(h)", "tf.nn.selu(h)", "tf.nn.softplus(h)"),
    *("tf.nn.softsign(h)", "tf.reduce_all(h > 0.0, 1)", "tf.reduce_any(h > 0.0, axis=1)"),
    *(
        "tf.reduce_max(h, 1)",
        "tf.reduce_mean(h, axis=-1, keepdims=True)",
        "tf.reduce_min(h, axis=[1])",
    ),
    *("tf.reduce_prod(h, 1)", "tf.reduce_sum(h, 1, name='s')", "tf.math.reduce_std(h, 1)"),
    *("tf.math.reduce_variance(h, 1)", "tf.cast(h, tf.int32)", "tf.clip_by_value(h, -0.5, 0.5)"),
    *("tf.concat([h, h], 1)", "tf.concat(axis=-1, values=[h, h])", "tf.cumsum(h, axis=1)"),
    *("tf.expand_dims(h, 1)", "tf.gather(h, [2, 0], axis=1)", "tf.gather(h, [1, 0])"),
    *(
        "tf.matmul(h, np.ones((3, 2), np.float32))",
        "tf.nn.gelu(h)",
        "tf.nn.gelu(h, approximate=True)",
    ),
    *("tf.nn.leaky_relu(h)", "tf.nn.leaky_relu(h, alpha=0.1)", "tf.nn.silu(h)", "tf.nn.softmax(h)"),
    *("tf.nn.softmax(h, axis=0)", "tf.one_hot(tf.cast(h > 0.0, tf.int32), 2)", "tf.ones_like(h)"),
    *("tf.pow(h, 2.0)", "tf.reshape(h, [-1, 1])", "tf.squeeze(tf.expand_dims(h, 1), axis=1)"),
    *("tf.stack([h, h], axis=1)", "tf.stack([h, h])", "tf.stop_gradient(h)", "tf.tile(h, [1, 2])"),
    *("tf.transpose(h)", "tf.transpose(h, [1, 0])", "tf.where(h > 0.0, h, -h)"),
    *("tf.zeros_like(h, dtype=tf.int32)", "tf.image.resize(tf.reshape(h, [2, 3, 1, 1]), [4, 2])"),
    "tf.image.resize(tf.reshape(h, [2, 3, 1, 1]), [2, 2], method='nearest')",
)
_MODEL = f"""{_HEAD}inputs = tf.keras.Input(shape=(3,))
hidden = tf.keras.layers.Dense(4, activation="tanh")(inputs)
outputs = tf.keras.layers.Dense(1)(tf.keras.layers.Concatenate()([inputs, hidden]))
layer = tf.keras.Model(inputs=inputs, outputs=outputs)
{_FILL}"""
_SUBCLASS = f"""{_HEAD}

@tf.keras.utils.register_keras_serializable(package="Tests")
class Scale(tf.keras.layers.Layer):
    def build(self, shape: tf.TensorShape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale")
        self.kernel = self.add_weight(shape=(shape[-1], 3), name="kernel")
        self.bias = self.add_weight(shape=(3,), name="bias")

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        y = tf.nn.bias_add(tf.matmul(a=inputs, b=self.kernel), bias=self.bias)
        z = tf.reduce_max(self.bias) + tf.reduce_mean(inputs)
        return tf.nn.relu(tf.multiply(y, self.scale)) + tf.add_n([z, tf.reduce_min(y)])


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.scale = Scale()
        self.dense = tf.keras.layers.Dense(2)

    def call(self, inputs, training=None):
        return self.dense(tf.concat([self.scale(inputs), tf.square(inputs)], axis=-1))


layer = Net()
layer(x)
{_FILL}assert isinstance(layer.scale, tf.keras.layers.Layer)
y = layer(x)
"""
_TRAINED = (
    "layer.compile(optimizer=tf.keras.optimizers.SGD(0.05, momentum=0.9), loss='mse', "
    "metrics=[tf.keras.metrics.MeanAbsoluteError()])\n"
    "batch, target = np.tile(x, (4, 1)), np.arange(8.0)[:, None]\n"
    "layer.fit(batch, target, epochs=3, batch_size=4, shuffle=False, verbose=0)\n"
    "y = [*layer.get_weights(), *layer.evaluate(batch, target, verbose=0)]\n"
)
_SAVED = (
    "import os\nimport tempfile\n\npath = os.path.join(tempfile.mkdtemp(), 'model.keras')\n"
    "layer.save(path)\ny = tf.keras.models.load_model(path).predict(np.asarray(x), verbose=0)\n"
)
_LABELED = (
    "from tensorflow.keras import Sequential\nfrom tensorflow.keras import layers as L\n"
    "from tensorflow.keras.layers import (\n    Dense,  # twice\n    Flatten,\n)\n"
    "import numpy as np\n\nlayer = Sequential([L.InputLayer((3,)), Dense(3), Flatten()])\n"
)


def programs():
    """`{id: program}`; each assigns `y`."""
    found = {}
    for arguments, layers in _LAYERS.items():
        for made in layers:
            found[f"layer {made}"] = _layer(made, arguments)
    lines = {
        **{f"loss {m}": f"y = tf.keras.losses.{m}(t, p)" for m in _LOSSES},
        **{f"loss {m}": f"y = tf.keras.losses.{m}(t, p)" for m in _LOSS_FUNCTIONS},
        **{f"loss {m}": f"y = tf.keras.losses.{m}(labels, p)" for m in _OF_LABELS},
        **{f"metric {m}": _metric(m, "t") for m in _METRICS},
        **{f"metric {m}": _metric(m, "labels") for m in _METRICS_OF_LABELS},
        "metric Mean()": "m = tf.keras.metrics.Mean()\nm.update_state(x)\ny = m.result()",
        "metric Sum()": "m = tf.keras.metrics.Sum()\nm.update_state(x)\ny = m.result()",
        **{f"activation {n}": f"y = tf.keras.activations.{n}(x)" for n in _ACTIVATIONS},
        **{f"optimizer {m}": _optimizer(m) for m in _OPTIMIZERS},
        **{f"by hand {m}": _by_hand(m) for m in _OPTIMIZERS},
        **{f"schedule {m}": _schedule(m) for m in _SCHEDULES},
        **{f"decay {m}": f"y = [tf.train.{m} for step in range(50)]" for m in _DECAYS},
        **{f"initializer {m}": _configured(m) for m in _CONFIGURED},
        **{f"backend {m}": f"y = tf.keras.backend.{m}" for m in _BACKEND},
    }
    for kind, made in _OF_VALUES.items():
        lines.update({f"{kind} {m}": "y = " + _VALUES[kind].format(m) for m in made})
    found.update({name: f"{_HEAD}{text}\n" for name, text in lines.items()})
    for name in lines:
        if name.startswith("decay "):
            found[name] = found[name].replace("import tensorflow", "import tensorflow.compat.v1")
    found["model functional"] = _MODEL + "y = layer(x)\n"
    found["model trained"] = _MODEL + _TRAINED
    found["model saved"] = _MODEL + _SAVED
    found["model subclassed"] = _SUBCLASS
    found["model imports"] = f"{_LABELED}{_FILL}y = layer(x)\n"
    return found


def symbolic_programs():
    """`{id: (program that TensorFlow runs, program to rewrite)}`."""
    start = f"{_HEAD}h = tf.keras.Input(batch_shape=(2, 3))\n"
    return {
        f"symbolic {text}": (
            f"{_HEAD}h = x\ny = {text}\n",
            f"{start}y = tf.keras.Model(h, {text})(x)\n",
        )
        for text in SYMBOLIC
    }


def _metric(made, target):
    first = f"m = tf.keras.metrics.{made}\nm.update_state({target}, p)\n"
    return f"{first}m.update_state({target}, 0.5 * p)\ny = m.result()"


def _optimizer(made):
    loop = "for step in range(25):\n    optimizer.apply_gradients([(g * (step + 1.0), w)])\n"
    start = f"optimizer = tf.keras.optimizers.{made}\nw = tf.keras.Variable([1.0, -2.0, 0.5])\n"
    return f"{start}{loop}y = np.asarray(w)"


def _by_hand(made):
    """An optimizer over variables that are no weights of Keras."""
    return (
        f"optimizer = tf.optimizers.{made}\n"
        "w, v = tf.Variable([1.0, -2.0, 0.5], name='w'), tf.Variable([[2.0]])\n"
        "for step in range(4):\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = tf.reduce_sum(tf.square(w) * g * v)\n"
        "    gradients = tape.gradient(loss, [w, v])\n"
        "    optimizer.apply_gradients(zip(gradients, [w, v]))\n"
        "y = [w.numpy(), v.numpy(), int(optimizer.iterations)]"
    )


def _schedule(made):
    return f"rate = tf.keras.optimizers.schedules.{made}\ny = [rate(step) for step in range(50)]"


def _configured(made):
    return f"y = str(sorted(tf.keras.initializers.{made}.get_config().items()))"


def _leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _leaves(part)]
    # A decay of version 1 is a function in TensorFlow's eager mode.
    return [np.asarray(value() if callable(value) else value)]


def _run_all(jobs, convert):
    """`{name/index: array}` of what the programs assigned to `y`, or the text of what they raised."""
    results = {}
    for name, code in jobs.items():
        namespace = {key: convert(array) for key, array in ARRAYS.items()}
        try:
            exec(compile(code, name, "exec"), namespace)
            leaves = _leaves(namespace["y"])
        except Exception as error:  # noqa: BLE001, any of them is told to whoever compares
            leaves = [np.asarray(f"{type(error).__name__}: {str(error)[:300]}")]
        for index, leaf in enumerate(leaves):
            results[f"{name}/{index}"] = leaf
    return results


def main(jobs, results):
    """Runs the programs of a file in the back end that the environment names."""
    import keras

    if keras.backend.backend() == "jax":
        import jax.numpy as jnp

        convert = jnp.asarray
    else:
        import tensorflow as tf

        convert = tf.constant
    found = _run_all(json.loads(pathlib.Path(jobs).read_text()), convert)
    np.savez(
        results, names=np.array(list(found)), **{f"r{i}": a for i, a in enumerate(found.values())}
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
