"""Q-learning with a target network that is a copy of the other, made now and then.

The world is a corridor with a treasure at one end. Experience goes into a memory, batches are drawn
from it, and the copy is a group of assignments.
"""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

CELLS, ACTIONS, HIDDEN, BATCH = 6, 2, 16, 12
DISCOUNT, COPY_EVERY = 0.9, 10


class Corridor:
    """Start on the left; a step to the right end pays 1 and ends the game."""

    def reset(self):
        self.cell = 0
        return self.observe()

    def observe(self):
        view = np.full(CELLS, 0.1, np.float32)
        view[self.cell] = 1.0
        return view

    def step(self, action):
        self.cell = max(0, self.cell + (1 if action == 1 else -1))
        done = self.cell == CELLS - 1
        return self.observe(), 1.0 if done else -0.01, done


class Agent:
    """Two networks of one shape; only the first is trained."""

    def __init__(self):
        self.state = tf.placeholder(tf.float32, [None, CELLS], name="s")
        self.next_state = tf.placeholder(tf.float32, [None, CELLS], name="s_")
        self.action = tf.placeholder(tf.int32, [None], name="a")
        self.reward = tf.placeholder(tf.float32, [None], name="r")
        self.done = tf.placeholder(tf.float32, [None], name="done")
        self.q = self.network(self.state, "eval_net")
        q_next = self.network(self.next_state, "target_net", trainable=False)
        with tf.variable_scope("q_target"):
            target = self.reward + DISCOUNT * (1 - self.done) * tf.reduce_max(q_next, axis=1)
            target = tf.stop_gradient(target)
        with tf.variable_scope("q_eval"):
            rows = tf.range(tf.shape(self.action)[0], dtype=tf.int32)
            chosen = tf.gather_nd(self.q, tf.stack([rows, self.action], axis=1))
        self.loss = tf.losses.huber_loss(target, chosen, delta=0.5)
        self.train = tf.train.AdamOptimizer(0.02).minimize(self.loss)
        mine = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="eval_net")
        copy = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="target_net")
        mine = [v for v in mine if "Adam" not in v.name]
        self.replace = tf.group(*[tf.assign(old, new) for old, new in zip(copy, mine)])

    @staticmethod
    def network(state, name, trainable=True):
        """Action values by way of a dueling head: [batch, actions]."""
        glorot = tf.glorot_uniform_initializer(seed=51)
        with tf.variable_scope(name, initializer=glorot):
            net = tf.layers.dense(
                state,
                HIDDEN,
                tf.nn.relu,
                bias_initializer=tf.constant_initializer(0.1),
                trainable=trainable,
            )
            value = tf.layers.dense(net, 1, trainable=trainable, name="value")
            advantage = tf.layers.dense(net, ACTIONS, trainable=trainable, name="advantage")
            return value + advantage - tf.reduce_mean(advantage, axis=1, keepdims=True)

    def choose(self, sess, view, rng, epsilon):
        if rng.rand() < epsilon:
            return rng.randint(ACTIONS)
        return int(np.argmax(sess.run(self.q, {self.state: view[np.newaxis, :]})))

    def learn(self, sess, batch):
        states, actions, rewards, following, done = (np.array(part) for part in zip(*batch))
        feed = {self.state: states, self.action: actions, self.reward: rewards}
        feed.update({self.next_state: following, self.done: done})
        return sess.run([self.loss, self.train], feed)[0]


def main(steps=50):
    """Train; returns the losses, the variables by name and the action values of each cell."""
    tf.reset_default_graph()
    rng = np.random.RandomState(10)
    world, agent = Corridor(), Agent()
    memory = collections.deque(maxlen=200)

    losses, views = [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(agent.replace)
        view = world.reset()
        while len(losses) < steps:
            action = agent.choose(sess, view, rng, epsilon=0.5)
            following, reward, done = world.step(action)
            memory.append((view, action, reward, following, float(done)))
            view = world.reset() if done else following
            if len(memory) >= 2 * BATCH:
                picked = rng.randint(len(memory), size=BATCH)
                losses.append(agent.learn(sess, [memory[i] for i in picked]))
                if len(losses) % COPY_EVERY == 0:
                    sess.run(agent.replace)
                    print(f"step {len(losses)}: loss {losses[-1]:.5f}")
        for world.cell in range(CELLS - 1):
            views.append(world.observe())
        values = agent.q.eval({agent.state: np.array(views)})
        print("best actions", np.argmax(values, axis=1))
        results = {v.name: sess.run(v) for v in tf.global_variables()}
    results["values"] = values
    return losses, results


if __name__ == "__main__":
    main()
