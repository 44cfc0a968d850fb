"""A small encoder in the manner of BERT: attention masks, masked words, the next sentence.

`gather_indexes` picks the positions of the masked words out of the flattened sequence. The optimizer
is a class of the program's own: Adam without correction of the bias, with weight decay, after a
warm-up of the rate.
"""

import re

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

VOCABULARY, WIDTH, HEADS, LAYERS, INNER = 24, 16, 2, 2, 32
LONGEST, MASKED, BATCH, MASK_WORD = 10, 2, 8, 1


def make_sentences(rng, count):
    """Rising or falling runs of words, with two of them masked; do both halves run alike?"""
    lengths = rng.randint(6, LONGEST + 1, size=count)
    ids = np.zeros([count, LONGEST], np.int32)
    segments = np.zeros([count, LONGEST], np.int32)
    positions = np.zeros([count, MASKED], np.int32)
    alike = rng.randint(2, size=count)
    for row, length in enumerate(lengths):
        half = length // 2
        first = 2 + (rng.randint(22) + np.arange(half)) % 22
        sign = 1 if alike[row] else -1
        second = 2 + (rng.randint(22) + sign * np.arange(length - half)) % 22
        ids[row, :length] = np.concatenate([first, second])
        segments[row, half:length] = 1
        positions[row] = np.sort(rng.choice(length, MASKED, replace=False))
    words = np.take_along_axis(ids, positions, axis=1)
    np.put_along_axis(ids, positions, MASK_WORD, axis=1)
    mask = (np.arange(LONGEST) < lengths[:, None]).astype(np.int32)
    return ids, mask, segments, positions, words, alike.astype(np.int32)


def create_initializer(seed):
    return tf.truncated_normal_initializer(stddev=0.1, seed=seed)


def layer_norm(inputs, name):
    with tf.variable_scope(name):
        gamma = tf.get_variable("gamma", [WIDTH], initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", [WIDTH], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(inputs, axes=[-1], keep_dims=True)
        return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, 1e-6)


def gelu(x):
    return x * 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))


def get_shape_list(tensor):
    """The static size of each dimension, or a tensor where there is none."""
    shape = tensor.shape.as_list()
    dynamic = tf.shape(tensor)
    return [dynamic[i] if size is None else size for i, size in enumerate(shape)]


def gather_indexes(sequence, positions):
    """The vectors at `positions` of each sequence: [batch * positions, width]."""
    batch, length, width = get_shape_list(sequence)
    offsets = tf.reshape(tf.range(0, batch, dtype=tf.int32) * length, [-1, 1])
    flat_positions = tf.reshape(positions + offsets, [-1])
    return tf.gather(tf.reshape(sequence, [batch * length, width]), flat_positions)


def embed(ids, segments):
    """Words by look-up, segments by a product with one-hot rows, positions by a slice."""
    with tf.variable_scope("embeddings"):
        table = tf.get_variable("word", [VOCABULARY, WIDTH], initializer=create_initializer(71))
        kinds = tf.get_variable("segment", [2, WIDTH], initializer=create_initializer(72))
        places = tf.get_variable("position", [16, WIDTH], initializer=create_initializer(73))
        batch, length = get_shape_list(ids)
        output = tf.gather(table, tf.reshape(ids, [-1]))
        output += tf.matmul(tf.one_hot(tf.reshape(segments, [-1]), depth=2), kinds)
        output = tf.reshape(output, [batch, length, WIDTH])
        with tf.control_dependencies([tf.assert_less_equal(length, 16)]):
            output += tf.expand_dims(tf.slice(places, [0, 0], [length, -1]), 0)
        return layer_norm(output, "LayerNorm"), table


def attention(x, mask):
    """Every position looks at all positions that the mask allows."""
    batch, length, _ = get_shape_list(x)

    def heads(name, seed):
        net = tf.layers.dense(x, WIDTH, name=name, kernel_initializer=create_initializer(seed))
        return tf.transpose(tf.reshape(net, [batch, length, HEADS, WIDTH // HEADS]), [0, 2, 1, 3])

    query, key, value = heads("query", 74), heads("key", 75), heads("value", 76)
    scores = tf.multiply(tf.matmul(query, key, transpose_b=True), (WIDTH // HEADS) ** -0.5)
    adder = (1.0 - tf.cast(tf.expand_dims(mask, axis=[1]), tf.float32)) * -10000.0
    context = tf.matmul(tf.nn.softmax(scores + adder), value)
    context = tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [batch, length, WIDTH])
    return tf.layers.dense(context, WIDTH, name="output", kernel_initializer=create_initializer(77))


def encoder(x, input_mask):
    """Layers of attention and of two dense maps, each with a way around it."""
    batch, length = get_shape_list(input_mask)
    ones = tf.ones(shape=[batch, length, 1], dtype=tf.float32)
    mask = ones * tf.cast(tf.reshape(input_mask, [batch, 1, length]), tf.float32)
    for index in range(LAYERS):
        with tf.variable_scope(f"layer_{index}"):
            with tf.variable_scope("attention"):
                x = layer_norm(x + attention(x, mask), "LayerNorm")
            inner = tf.layers.dense(
                x, INNER, activation=gelu, name="inner", kernel_initializer=create_initializer(78)
            )
            outer = tf.layers.dense(
                inner, WIDTH, name="outer", kernel_initializer=create_initializer(79)
            )
            x = layer_norm(x + outer, "LayerNorm")
    return x


def masked_word_loss(sequence, table, positions, words):
    with tf.variable_scope("cls/predictions"):
        net = layer_norm(gather_indexes(sequence, positions), "LayerNorm")
        bias = tf.get_variable("bias", [VOCABULARY], initializer=tf.zeros_initializer())
        logits = tf.nn.bias_add(tf.matmul(net, table, transpose_b=True), bias)
        log_probs = tf.nn.log_softmax(logits, axis=-1)
        target = tf.one_hot(tf.reshape(words, [-1]), depth=VOCABULARY, dtype=tf.float32)
        return tf.reduce_mean(-tf.reduce_sum(log_probs * target, axis=[-1]))


def next_sentence_loss(sequence, labels):
    first = tf.squeeze(sequence[:, 0:1, :], axis=1)
    pooled = tf.layers.dense(
        first, WIDTH, tf.tanh, name="pooler", kernel_initializer=create_initializer(80)
    )
    with tf.variable_scope("cls/seq_relationship"):
        weights = tf.get_variable("weights", [2, WIDTH], initializer=create_initializer(81))
        logits = tf.matmul(pooled, weights, transpose_b=True)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses)


class AdamWeightDecayOptimizer(tf.train.Optimizer):
    """Adam whose averages are not corrected, with decay for all but norms and biases."""

    def __init__(self, learning_rate, rate=0.01, name="AdamWeightDecayOptimizer"):
        super().__init__(False, name)
        self.learning_rate, self.rate = learning_rate, rate

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for grad, param in grads_and_vars:
            if grad is None or param is None:
                continue
            name = re.match("^(.*):\\d+$", param.name).group(1)
            zeros = {"shape": param.shape.as_list(), "dtype": tf.float32, "trainable": False}
            zeros["initializer"] = tf.zeros_initializer()
            m = tf.get_variable(name=name + "/adam_m", **zeros)
            v = tf.get_variable(name=name + "/adam_v", **zeros)
            next_m = tf.multiply(0.9, m) + tf.multiply(0.1, grad)
            next_v = tf.multiply(0.999, v) + tf.multiply(0.001, tf.square(grad))
            update = next_m / (tf.sqrt(next_v) + 1e-6)
            if not re.search("LayerNorm|bias", name):
                update += self.rate * param
            next_param = param - self.learning_rate * update
            assignments += [param.assign(next_param), m.assign(next_m), v.assign(next_v)]
        return tf.group(*assignments, name=name)


def create_optimizer(loss, warmup=5, steps=60):
    """The training step: warm-up, linear decay, clipped gradients."""
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(0.003, global_step, steps, end_learning_rate=0.0, power=1.0)
    done = tf.cast(global_step, tf.float32)
    warming = tf.cast(global_step < warmup, tf.float32)
    rate = (1.0 - warming) * rate + warming * 0.003 * done / warmup
    variables = tf.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.0)
    train = AdamWeightDecayOptimizer(rate).apply_gradients(zip(grads, variables), global_step)
    # The step counts after the rate was read: without an order TensorFlow may read either.
    with tf.control_dependencies([train]):
        return tf.assign_add(global_step, 1)


def main(steps=50):
    """Train; returns the losses and the variables by name."""
    tf.reset_default_graph()
    rng = np.random.RandomState(12)
    sentences = make_sentences(rng, 24)
    ids = tf.placeholder(tf.int32, [None, None], name="input_ids")
    mask = tf.placeholder(tf.int32, [None, None], name="input_mask")
    segments = tf.placeholder(tf.int32, [None, None], name="segment_ids")
    positions = tf.placeholder(tf.int32, [None, MASKED], name="masked_lm_positions")
    words = tf.placeholder(tf.int32, [None, MASKED], name="masked_lm_ids")
    alike = tf.placeholder(tf.int32, [None], name="next_sentence_labels")
    inputs = (ids, mask, segments, positions, words, alike)
    with tf.variable_scope("bert"):
        embedded, table = embed(ids, segments)
        with tf.variable_scope("encoder"):
            sequence = encoder(embedded, mask)
    word_loss = masked_word_loss(sequence, table, positions, words)
    loss = word_loss + next_sentence_loss(sequence, alike)
    train = create_optimizer(loss)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            pick = rng.randint(len(sentences[0]), size=BATCH)
            feed = dict(zip(inputs, (part[pick] for part in sentences)))
            _, value, for_words = sess.run([train, loss, word_loss], feed_dict=feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}, of it for masked words {for_words:.4f}")
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    return losses, results


if __name__ == "__main__":
    main()
