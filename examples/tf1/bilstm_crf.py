"""A tagger: embeddings, a bidirectional LSTM, and a linear chain CRF written with `tf.scan`.

The partition function walks forward over the sequence, and the best path comes from a `while_loop`
over back pointers. Padding never counts.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WORDS, TAGS, EMBEDDING, HIDDEN, BATCH = 20, 3, 8, 8, 8


def make_sentences(rng, examples, longest=9):
    """Words, lengths and tags; odd words have a tag of their own, even ones the next tag."""
    lengths = rng.randint(2, longest + 1, size=examples).astype(np.int32)
    words = np.zeros([examples, longest], np.int32)
    tags = np.zeros([examples, longest], np.int32)
    for row, length in enumerate(lengths):
        words[row, :length] = rng.randint(1, WORDS, size=length)
        for i in range(length):
            changes = i > 0 and words[row, i] % 2 == 0
            tags[row, i] = (tags[row, i - 1] + 1) % TAGS if changes else words[row, i] // 7
    return words, lengths, tags


def emissions(words, lengths, keep):
    """A score for each word and tag: [batch, steps, tags]."""
    with tf.variable_scope("encoder"):
        table = tf.get_variable(
            "embedding", [WORDS, EMBEDDING], initializer=tf.random_normal_initializer(0, 0.3, 21)
        )
        inputs = tf.nn.dropout(tf.nn.embedding_lookup(table, words), keep, seed=23)
        glorot = tf.glorot_uniform_initializer(seed=22)
        forward = tf.nn.rnn_cell.LSTMCell(HIDDEN, initializer=glorot)
        backward = tf.nn.rnn_cell.LSTMCell(HIDDEN, initializer=glorot)
        (left, right), _ = tf.nn.bidirectional_dynamic_rnn(
            forward, backward, inputs, sequence_length=lengths, dtype=tf.float32
        )
        both = tf.reshape(tf.concat([left, right], axis=-1), [-1, 2 * HIDDEN])
    with tf.variable_scope("projection", initializer=tf.glorot_uniform_initializer(seed=24)):
        scores = tf.nn.xw_plus_b(
            both,
            tf.get_variable("w", [2 * HIDDEN, TAGS]),
            tf.get_variable("b", [TAGS], initializer=tf.zeros_initializer()),
        )
    return tf.reshape(scores, [-1, tf.shape(words)[1], TAGS])


def path_score(scores, tags, transitions, mask):
    """What the given tags score in sum: [batch]."""
    unary = tf.reduce_sum(scores * tf.one_hot(tags, TAGS), axis=2)
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], axis=2)
    binary = tf.gather_nd(transitions, pairs)
    return tf.reduce_sum(unary * mask, 1) + tf.reduce_sum(binary * mask[:, 1:], 1)


def log_partition(scores, transitions, mask):
    """The logarithm of the sum over all paths: [batch]."""

    def forward(alpha, step):
        emission, valid = step
        moved = tf.reduce_logsumexp(tf.expand_dims(alpha, 2) + transitions, axis=1)
        return tf.where(tf.tile(valid[:, None] > 0, [1, TAGS]), moved + emission, alpha)

    by_step = tf.transpose(scores, [1, 0, 2])
    steps = (by_step[1:], tf.transpose(mask)[1:])
    alphas = tf.scan(forward, steps, initializer=by_step[0])
    final = tf.concat([by_step[:1], alphas], axis=0)[-1]
    return tf.reduce_logsumexp(final, axis=1)


def best_path(scores, transitions):
    """The best tags of one sentence: scores [steps, tags] to [steps]."""
    length = tf.shape(scores)[0]
    pointers = tf.TensorArray(tf.int32, size=length, clear_after_read=False)

    def forward(i, best, pointers):
        moved = tf.expand_dims(best, 1) + transitions
        pointers = pointers.write(i, tf.argmax(moved, axis=0, output_type=tf.int32))
        return i + 1, tf.reduce_max(moved, axis=0) + scores[i], pointers

    _, best, pointers = tf.while_loop(
        lambda i, *_: i < length, forward, [tf.constant(1), scores[0], pointers]
    )
    last = tf.argmax(best, output_type=tf.int32)

    def backward(i, tag, path):
        before = pointers.read(i)[tag]
        return i - 1, before, tf.concat([[before], path], axis=0)

    _, _, path = tf.while_loop(
        lambda i, *_: i > 0,
        backward,
        [length - 1, last, last[None]],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([]), tf.TensorShape([None])],
    )
    return path


def main(steps=50):
    """Train; returns the losses, the variables by name and the tags of one sentence."""
    tf.reset_default_graph()
    rng = np.random.RandomState(5)
    sentences, all_lengths, all_tags = make_sentences(rng, 64)

    words = tf.placeholder(tf.int32, [None, None], name="words")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    tags = tf.placeholder(tf.int32, [None, None], name="tags")
    keep = tf.placeholder_with_default(1.0, [], name="keep")
    scores = emissions(words, lengths, keep)
    transitions = tf.get_variable(
        "transitions", [TAGS, TAGS], initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=25)
    )
    mask = tf.sequence_mask(lengths, tf.shape(words)[1], dtype=tf.float32)
    likelihood = path_score(scores, tags, transitions, mask) - log_partition(
        scores, transitions, mask
    )
    loss = tf.reduce_mean(-likelihood)
    optimizer = tf.train.AdamOptimizer(0.05)
    clipped = [(tf.clip_by_value(g, -5.0, 5.0), v) for g, v in optimizer.compute_gradients(loss)]
    train = optimizer.apply_gradients(clipped)
    decoded = best_path(scores[0, : lengths[0]], transitions)

    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(steps):
            pick = rng.randint(len(sentences), size=BATCH)
            width = all_lengths[pick].max()
            feed = {words: sentences[pick, :width], tags: all_tags[pick, :width]}
            feed.update({lengths: all_lengths[pick], keep: 0.9})
            _, value = sess.run([train, loss], feed_dict=feed)
            losses.append(value)
            if step % 10 == 0:
                print(f"step {step}: loss {value:.4f}")
        path = sess.run(decoded, {words: sentences[:1], lengths: all_lengths[:1]})
        print("tags", path, "should be", all_tags[0, : all_lengths[0]])
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results["path"] = path
    return losses, results


if __name__ == "__main__":
    main()
