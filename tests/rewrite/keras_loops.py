"""Training loops of one's own over models of Keras, before the rewrite; each assigns `y`."""

HEAD = """import numpy as np
import tensorflow as tf


def fill(model, shift=0.0):
    arrays = model.get_weights()
    model.set_weights([np.cos(np.arange(w.size) + shift).reshape(w.shape) for w in arrays])


def small(*layers):
    model = tf.keras.Sequential([tf.keras.Input((3,)), *layers, tf.keras.layers.Dense(1)])
    fill(model)
    return model


rows = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)
sums = rows.sum(axis=1, keepdims=True)
mse = tf.keras.losses.MeanSquaredError()
"""

# The loop of the first tutorial: metrics, penalties, averages of batches, all in one function.
_TUTORIAL = """
model = small(
    tf.keras.layers.Dense(4, "tanh", kernel_regularizer="l2"), tf.keras.layers.BatchNormalization()
)
optimizer = tf.keras.optimizers.Adam(0.05)
mean = tf.keras.metrics.Mean()
error = tf.keras.metrics.MeanAbsoluteError()


@tf.function
def train_step(model, x, y):
    with tf.GradientTape() as tape:
        predictions = model(x, training=True)
        loss = mse(y, predictions) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    mean(loss)
    error(y, predictions)
    return loss


losses = [train_step(model, rows, sums) for _ in range(25)]
y = [*losses, *model.get_weights(), mean.result(), error.result(), int(optimizer.iterations)]
"""

# The model is built by its first call, in the block; the loop is a method.
_CLASSES = """

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(4, "tanh", kernel_initializer="ones")
        self.out = tf.keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs):
        return self.out(self.hidden(inputs))


class Trainer:
    def __init__(self):
        rate = tf.keras.optimizers.schedules.CosineDecay(0.1, 20)
        self.model = Net()
        self.optimizer = tf.keras.optimizers.SGD(rate, momentum=0.9, global_clipnorm=0.5)

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = mse(y, self.model(x))
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss


trainer = Trainer()
y = [trainer.step(rows[:n], sums[:n]) for n in [8, 5, 8, 3] * 6]
y += trainer.model.get_weights()
"""

# Two players, two optimizers, two tapes; the gradient by the inputs is part of one loss.
_ADVERSARIES = """
one, two = small(tf.keras.layers.Dense(3, "tanh")), small(tf.keras.layers.Dense(2, "sigmoid"))
fill(two, 1.0)
first, second = tf.keras.optimizers.RMSprop(0.01), tf.keras.optimizers.Adam(0.02, beta_1=0.5)


@tf.function
def step(x):
    with tf.GradientTape() as tape_one, tf.GradientTape() as tape_two:
        made = x * one(x)
        with tf.GradientTape() as inner:
            inner.watch(made)
            judged = two(made)
        slopes = inner.gradient(judged, made)
        penalty = tf.reduce_mean(tf.square(tf.norm(slopes, axis=1) - 1.0))
        loss_one = -tf.reduce_mean(judged)
        loss_two = tf.reduce_mean(judged) - tf.reduce_mean(two(x)) + 10.0 * penalty
    by_one = tape_one.gradient(loss_one, one.trainable_variables)
    by_two = tape_two.gradient(loss_two, two.trainable_variables)
    first.apply_gradients(zip(by_one, one.trainable_variables))
    second.apply_gradients(zip(by_two, two.trainable_variables))
    return loss_one, loss_two


y = [loss for _ in range(25) for loss in step(rows)]
y += [*one.get_weights(), *two.get_weights()]
"""

# A copy of a model holds the arrays of the model: its weights have no gradient of the other's.
_TARGET = """
model, target, slow = small(), small(), tf.keras.Variable(1.0)
for ours, theirs in zip(target.variables, model.variables):
    ours.assign(theirs)
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_mean(model(rows) * target(rows))
    other = tf.reduce_mean(tf.square(model(rows)))
y = [*tape.gradient(loss, model.trainable_variables), *tape.gradient(loss, target.weights)]
model.trainable_variables[0].assign(model.trainable_variables[0] * 2.0)
y += tape.gradient(other, model.trainable_variables)
y += [len(tape.watched_variables()), tape.gradient(loss, slow) is None]
"""

# Rows of a table (each once: TJ235), loops over time, and a frozen layer.
_SEQUENCES = """
model = tf.keras.Sequential(
    [
        tf.keras.Input((5,), dtype="int32"),
        tf.keras.layers.Embedding(6, 3),
        tf.keras.layers.LSTM(3, return_sequences=True),
        tf.keras.layers.GRU(2),
        tf.keras.layers.Dense(2, trainable=False),
        tf.keras.layers.Dense(1),
    ]
)
fill(model)
optimizer = tf.keras.optimizers.Adagrad(0.1)
ids, wanted = np.array([[3, 1, 0, 5, 2]]), np.array([[-1.0]], np.float32)
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = mse(wanted, model(ids, training=True))
    gradients = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(gradients, model.trainable_weights))
y = [loss, *model.get_weights()]
"""

# Variables that are no weights of Keras, an optimizer of Keras, and a function around both.
_OWN_VARIABLES = """
w, v = tf.Variable([1.0, -2.0, 0.5], name="w"), tf.Variable([[2.0]])
optimizer = tf.optimizers.AdamW(0.1)


@tf.function
def step(scale):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(w) * g * v) * scale
    optimizer.apply_gradients(zip(tape.gradient(loss, [w, v]), [w, v]))
    return loss


y = [step(tf.constant(1.0 + i)) for i in range(25)]
y += [w.numpy(), v.numpy(), int(optimizer.iterations)]
"""

# What is assigned by hand, and a number that the optimizer reads anew.
_BY_HAND = """
model, slow = small(tf.keras.layers.Dense(2, "relu")), small(tf.keras.layers.Dense(2, "relu"))
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = mse(y, model(x))
    for variable, gradient in zip(
        model.trainable_variables, tape.gradient(loss, model.trainable_variables)
    ):
        variable.assign_sub(optimizer.learning_rate * tf.clip_by_norm(gradient, 0.3))
    for ours, theirs in zip(slow.variables, model.variables):
        ours.assign(0.9 * ours + 0.1 * theirs)
    return loss


y = []
for rate in np.linspace(0.2, 0.01, 25):
    optimizer.learning_rate.assign(rate)
    y.append(step(rows, sums))
y += [*model.get_weights(), *slow.get_weights()]
model.compile(optimizer="sgd", loss="mse")
y += [model.evaluate(rows, sums, verbose=0), *model.get_weights()]
"""

LOOPS = {
    "loop tutorial": HEAD + _TUTORIAL,
    "loop classes": HEAD + _CLASSES,
    "loop adversaries": HEAD + _ADVERSARIES,
    "loop target": HEAD + _TARGET,
    "loop sequences": HEAD + _SEQUENCES,
    "loop own variables": HEAD + _OWN_VARIABLES,
    "loop by hand": HEAD + _BY_HAND,
}
