"""Skip-gram word vectors with a sampled softmax; the gradients of the table are sparse.

Only the rows that a batch looks up are moved. At the end the nearest neighbors of some words come
from the cosine of their vectors.
"""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

VOCABULARY, EMBEDDING, SAMPLED, BATCH, WINDOW = 40, 12, 8, 16, 2


def make_text(rng, words=600):
    """Word numbers, commonest first, in which neighbors come from the same group of ten."""
    text, group = [], 0
    for _ in range(words):
        if rng.rand() < 0.1:
            group = rng.randint(4)
        text.append(group + 4 * min(int(rng.exponential(2.5)), 9))
    return text


def skip_grams(text):
    """Pairs of a word and one of its neighbors, for ever."""
    window = collections.deque(maxlen=2 * WINDOW + 1)
    while True:
        for word in text:
            window.append(word)
            if len(window) == window.maxlen:
                middle = window[WINDOW]
                yield from ((middle, other) for i, other in enumerate(window) if i != WINDOW)


def next_batch(pairs):
    batch = [next(pairs) for _ in range(BATCH)]
    words, contexts = zip(*batch)
    return np.array(words, np.int32), np.array(contexts, np.int32).reshape(BATCH, 1)


def build(words, contexts):
    """The loss, its step, and the vectors at length one."""
    with tf.name_scope("embeddings"), tf.device("/cpu:0"):
        embeddings = tf.Variable(
            tf.random_uniform([VOCABULARY, EMBEDDING], -1.0, 1.0, seed=41), name="table"
        )
        embed = tf.nn.embedding_lookup(embeddings, words)
    with tf.name_scope("softmax"):
        weights = tf.Variable(
            tf.truncated_normal([VOCABULARY, EMBEDDING], stddev=0.3, seed=42), name="weights"
        )
        biases = tf.Variable(tf.zeros([VOCABULARY]), name="biases")
    loss = tf.reduce_mean(
        tf.nn.sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=contexts,
            inputs=embed,
            num_sampled=SAMPLED,
            num_classes=VOCABULARY,
            seed=43,
        )
    )
    optimizer = tf.train.AdagradOptimizer(0.5)
    pairs = optimizer.compute_gradients(loss)
    print("gradients", [type(gradient).__name__ for gradient, _ in pairs])
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    return loss, optimizer.apply_gradients(pairs), embeddings / norm


def main(steps=50):
    """Train; returns the losses, the variables by name and the neighbors of some words."""
    tf.reset_default_graph()
    rng = np.random.RandomState(7)
    pairs = skip_grams(make_text(rng))

    words = tf.placeholder(tf.int32, shape=[BATCH])
    contexts = tf.placeholder(tf.int32, shape=[BATCH, 1])
    loss, train, normalized = build(words, contexts)
    asked = tf.constant(rng.choice(12, 4, replace=False), dtype=tf.int32)
    asked_vectors = tf.nn.embedding_lookup(normalized, asked)
    similarity = tf.matmul(asked_vectors, normalized, transpose_b=True)
    _, nearest = tf.nn.top_k(similarity, k=4)

    losses, total = [], 0.0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            some, others = next_batch(pairs)
            _, value = sess.run([train, loss], feed_dict={words: some, contexts: others})
            losses.append(value)
            total += value
            if (step + 1) % 10 == 0:
                print(f"step {step}: mean loss {total / 10:.4f}")
                total = 0.0
        neighbors = nearest.eval()
        for row in neighbors:
            print(f"nearest to {row[0]}: {row[1:]}")
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results["neighbors"] = neighbors
    return losses, results


if __name__ == "__main__":
    main()
