"""Modules that both libraries save and load."""


def everything(tf):
    """A module with variables in all places, and functions of all kinds of arguments; functions were called."""

    class Inner(tf.Module):
        def __init__(self):
            super().__init__()
            self.rate = tf.Variable(3.0, trainable=False, name="rate")

    class Outer(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)
            self.listed = [tf.Variable(1.0), tf.Variable([1, 2])]
            self.mixed = [1, tf.Variable(2.0)]
            self.named = {"a": tf.Variable(5.0), "n": 1}
            self.pair = (tf.Variable(1.0), 2)
            self.number, self.text, self.inner = 3, "text", Inner()
            self.constant = tf.constant([1.0, 2.0])
            self.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec(None)])

        @tf.function
        def scaled(self, x, training=False, scale=1.0):
            if training:
                return x * self.v * 10.0
            return x * self.v * scale

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def rows(self, x):
            return {"y": tf.matmul(x, tf.ones([2, 2])) * self.v, "n": tf.shape(x)[0]}

        @tf.function
        def never(self, x):
            return x

        @tf.function
        def grow(self, by):
            self.v.assign_add(by)
            return self.v

        @tf.function
        def nested(self, a, b):
            return a + b["x"], [a, {"z": b["y"][0]}]

        @tf.function
        def open_ended(self, x, *args, k=2.0, **named):
            return x * k + sum(args) + sum(named.values())

        @tf.function
        def captured(self, x):
            return x * self.constant * self.inner.rate

        def plain(self, x):
            return x

    module = Outer()
    x, one = tf.constant([1.0, 2.0]), tf.constant(1.0)
    module.scaled(x)
    module.scaled(x, training=True)
    module.scaled(x, True, 2.0)
    module.grow(1.0)
    module.grow(one)
    module.nested(one, {"y": [x], "x": one})
    module.open_ended(one, one, one, z=one)
    module.open_ended(one, k=3.0)
    module.captured(x)
    return module


# What is read from the loaded module, and how it is called.
CALLS = {
    "variable": lambda tf, m: (m.v, m.v.trainable, m.v.name),
    "trainable": lambda tf, m: (m.inner.rate.trainable, m.inner.rate.name),
    "list": lambda tf, m: list(m.listed),
    "mixed list": lambda tf, m: list(m.mixed),
    "dictionary": lambda tf, m: dict(m.named),
    "tuple": lambda tf, m: list(m.pair),
    "kinds": lambda tf, m: (isinstance(m, tf.Module), callable(m)),
    "number": lambda tf, m: hasattr(m, "number"),
    "text": lambda tf, m: hasattr(m, "text"),
    "constant": lambda tf, m: hasattr(m, "constant"),
    "method": lambda tf, m: hasattr(m, "plain"),
    "variables": lambda tf, m: hasattr(m, "variables"),
    "call": lambda tf, m: m.scaled(tf.constant([1.0, 2.0])),
    "keyword": lambda tf, m: m.scaled(tf.constant([1.0, 2.0]), training=True),
    "position": lambda tf, m: m.scaled(tf.constant([1.0, 2.0]), True),
    "two values": lambda tf, m: m.scaled(tf.constant([1.0, 2.0]), True, 2.0),
    "default": lambda tf, m: m.scaled(tf.constant([1.0, 2.0]), scale=1.0),
    "floats": lambda tf, m: m.scaled([1.0, 2.0]),
    "integers": lambda tf, m: m.scaled([1, 2]),
    "captured": lambda tf, m: m.captured(tf.constant([1.0, 2.0])),
    "rows": lambda tf, m: m.rows(tf.ones([3, 2])),
    "one row": lambda tf, m: m.rows([[1, 2]]),
    "no rows": lambda tf, m: m.rows(x=tf.ones([0, 2])),
    "any rank": lambda tf, m: [m.double(tf.ones([1] * rank)) for rank in range(6)],
    "nested": lambda tf, m: m.nested(
        tf.constant(1.0), {"x": tf.constant(2.0), "y": [tf.constant([1.0, 2.0])]}
    ),
    "open ended": lambda tf, m: m.open_ended(
        tf.constant(1.0), tf.constant(2.0), tf.constant(3.0), z=tf.constant(4.0)
    ),
    "keyword only": lambda tf, m: m.open_ended(2.0, k=3.0),
    "assignment": lambda tf, m: (m.grow(1.0), m.grow(tf.constant(5.0)), m.v),
    "signatures": lambda tf, m: list(m.signatures),
    "specs": lambda tf, m: str(m.rows.input_signature),
    "no specs": lambda tf, m: m.scaled.input_signature,
}

# Calls that fail: the same class of error in both libraries.
REFUSED = {
    "never called": lambda tf, m: m.never(tf.constant(1.0)),
    "shape": lambda tf, m: m.scaled(tf.constant([1.0, 2.0, 3.0])),
    "dtype": lambda tf, m: m.scaled(tf.constant([1, 2])),
    "value": lambda tf, m: m.scaled(tf.constant([1.0, 2.0]), False, 3.0),
    "structure": lambda tf, m: m.nested(tf.constant(1.0), {"x": tf.constant(2.0)}),
    "shape of the signature": lambda tf, m: m.rows(tf.ones([3, 3])),
    "dtype of the signature": lambda tf, m: m.rows(tf.ones([3, 2], tf.int32)),
    "missing": lambda tf, m: m.rows(),
    "too many": lambda tf, m: m.rows(1, 2),
    "unknown name": lambda tf, m: m.scaled(tf.constant([1.0, 2.0]), no_such=1),
}
