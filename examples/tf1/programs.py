"""The programs of this folder, and how near to TensorFlow each must come after 50 steps."""

import dataclasses
import fnmatch

# The largest value that counts as rounding, in variables that hold nothing else.
ROUNDING = 1e-5


@dataclasses.dataclass(frozen=True)
class Program:
    """One file of this folder."""

    name: str
    what: str
    needs_keras: bool = False  # has layers or cells, which TensorFlow delegates to tf_keras
    tolerance: float = 1e-4
    reason: str = "fifty steps of float32 arithmetic, summed in another order"
    rounding: str = ""

    def is_rounding(self, variable):
        """Whether a variable's gradient is zero in exact arithmetic, so that only rounding moves it."""
        return bool(self.rounding) and fnmatch.fnmatch(variable, self.rounding)


PROGRAMS = (
    Program("linear_regression", "fits a line and a plane, gradient descent and momentum"),
    Program("logistic_regression", "hand-written softmax, `metrics.accuracy`, confusion matrix"),
    Program("boolean_mask", "data-dependent numbers of rows, gradients through them"),
    Program("mlp", "dropout, learning rate decay, summaries, `Saver`"),
    Program("autoencoder", "variational: noise inside the graph, shared decoder"),
    Program("skip_gram", "sampled softmax, sparse gradients, Adagrad"),
    Program("gcn", "`sparse_placeholder`, sparse products, sparse dropout"),
    Program("text_cnn", "raw convolutions and pooling, a sparse gradient under Adam"),
    Program("cnn", "`tf.layers`, batch normalization, `UPDATE_OPS`", needs_keras=True),
    Program("gan", "two optimizers over two scopes, a network used twice", needs_keras=True),
    Program("dqn", "a target network copied by a group of assignments", needs_keras=True),
    Program("dynamic_rnn", "LSTM with peepholes, sequences of varying lengths", needs_keras=True),
    Program(
        "char_rnn",
        "`MultiRNNCell`, `static_rnn`, state fed back as a nested tuple",
        needs_keras=True,
    ),
    Program(
        "bilstm_crf",
        "bidirectional LSTM, a CRF written with `scan` and `while_loop`",
        needs_keras=True,
    ),
    Program("seq2seq", "greedy decoding in a loop with a growing result", needs_keras=True),
    Program(
        "bert",
        "attention masks, `gather_indexes`, a custom optimizer",
        needs_keras=True,
        reason="fifty steps of float32 arithmetic; softmax does not depend on the bias of the keys, so only "
        "rounding changes this bias; the test checks that the bias stays below 1e-5",
        rounding="*/attention/key/bias*",
    ),
    Program("monitored", "`MonitoredTrainingSession`, hooks, Ftrl, moving averages"),
)
BY_NAME = {program.name: program for program in PROGRAMS}
