"""Implement the original: the encoder of BERT's base model, with a pooler."""

import tensorflow as tf

LAYERS, WIDTH, HEADS = 12, 768, 12


def dense(params, name, x):
    return tf.matmul(x, params[name + "/kernel"]) + params[name + "/bias"]


def layer_norm(params, name, x):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    scale, offset = params[name + "/scale"], params[name + "/offset"]
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-12)


def heads(x):
    rows, length = tf.shape(x)[0], tf.shape(x)[1]
    return tf.transpose(tf.reshape(x, [rows, length, HEADS, WIDTH // HEADS]), [0, 2, 1, 3])


def attention(params, name, x, hidden):
    query = heads(dense(params, name + "/query", x))
    key = heads(dense(params, name + "/key", x))
    value = heads(dense(params, name + "/value", x))
    scores = tf.matmul(query, key, transpose_b=True) * (WIDTH // HEADS) ** -0.5
    weights = tf.nn.softmax(scores + hidden)
    context = tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3])
    context = tf.reshape(context, tf.shape(x))
    return dense(params, name + "/attended", context)


def layer(params, name, x, hidden):
    x = layer_norm(params, name + "/norm_attended", x + attention(params, name, x, hidden))
    inner = tf.nn.gelu(dense(params, name + "/inner", x))
    return layer_norm(params, name + "/norm_outer", x + dense(params, name + "/outer", inner))


def encode(params, words, mask, kinds):
    x = tf.gather(params["embeddings/word"], words)
    x += tf.gather(params["embeddings/type"], kinds)
    x += params["embeddings/position"][: tf.shape(words)[1]]
    x = layer_norm(params, "embeddings/norm", x)
    hidden = (1.0 - tf.cast(mask, tf.float32))[:, tf.newaxis, tf.newaxis, :] * -10000.0
    for index in range(LAYERS):
        x = layer(params, f"layer_{index}", x, hidden)
    return x, tf.tanh(dense(params, "pooler", x[:, 0]))
