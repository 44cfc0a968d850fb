"""Score visitors of a shop by what they did: a program for TensorFlow 1, with a session and a Saver."""

import sys

import tensorflow.compat.v1 as tf
from cases import batches


def dense(x, units, name):
    """Return a layer of a network, whose weights stand in a scope."""
    with tf.variable_scope(name):
        start = tf.random_uniform_initializer(-0.5, 0.5, seed=3)
        kernel = tf.get_variable("kernel", [x.shape.as_list()[1], units], initializer=start)
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, kernel) + bias


def scores(events, lengths):
    """Return a score for each visitor.

    Args:
      events: what visitors did, padded: [visitors, events, 3].
      lengths: how many events each of them has.
    """
    real = tf.sequence_mask(lengths, tf.shape(events)[1])
    kept = tf.boolean_mask(events, real)
    owners = tf.boolean_mask(tf.cumsum(tf.ones_like(real, tf.int32), axis=0) - 1, real)
    with tf.variable_scope("model"):
        hidden = tf.nn.relu(dense(kept, 8, "events"))
        visitors = tf.segment_max(hidden, owners)
        return tf.squeeze(dense(visitors, 1, "visitors"), axis=1)


def loss_of(found, bought):
    """Return the mean loss of the scores."""
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=bought, logits=found)
    return tf.reduce_mean(losses)


def graph():
    """Build the graph; return its inputs and outputs by name."""
    events = tf.placeholder(tf.float32, [None, None, 3], name="events")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    bought = tf.placeholder(tf.float32, [None], name="bought")
    found = tf.identity(scores(events, lengths), name="scores")
    loss = loss_of(found, bought)
    step = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_or_create_global_step())
    named = {"events": events, "lengths": lengths, "bought": bought}
    return {**named, "scores": found, "loss": loss, "step": step}


def fed(tensors, batch):
    """Return what a session is fed."""
    return {tensors[name]: value for name, value in batch.items()}


def train(path, steps=20):
    """Train from the start, and save."""
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = graph()
        session.run(tf.global_variables_initializer())
        for batch in batches(steps):
            session.run(tensors["step"], fed(tensors, batch))
        step = tf.train.get_global_step()
        return tf.train.Saver().save(session, path, step, write_meta_graph=False)


def continued(path, steps=3):
    """Train on from a checkpoint; return the loss before each step, and the weights after all."""
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = graph()
        tf.train.Saver().restore(session, path)
        wanted = [tensors["loss"], tensors["step"]]
        losses = [session.run(wanted, fed(tensors, batch))[0] for batch in batches(steps, seed=1)]
        weights = tf.trainable_variables()
        return losses, dict(zip([w.op.name for w in weights], session.run(weights)))


def served(path, batch):
    """Return the scores of a batch, and the gradient of their sum with respect to the events."""
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = graph()
        slopes = tf.gradients(tf.reduce_sum(tensors["scores"]), tensors["events"])[0]
        tf.train.Saver().restore(session, path)
        return session.run([tensors["scores"], slopes], fed(tensors, batch))


if __name__ == "__main__":
    train(sys.argv[1])
