"""The programs of this folder, and how near to TensorFlow each must come after 50 steps."""

import dataclasses
import fnmatch

# The largest value that counts as rounding, in variables that hold nothing else.
ROUNDING = 1e-5

_ORDER = "in fifty steps of float32 arithmetic, the two libraries add the terms of sums in different orders"


@dataclasses.dataclass(frozen=True)
class Program:
    """One file of this folder."""

    name: str
    what: str
    needs_keras: bool = False  # has layers or cells, which TensorFlow delegates to tf_keras
    tolerance: float = 1e-4
    reason: str = _ORDER
    rounding: str = ""

    def is_rounding(self, variable):
        """Whether a variable's gradient is zero in exact arithmetic, so that only rounding moves it."""
        return bool(self.rounding) and fnmatch.fnmatch(variable, self.rounding)


PROGRAMS = (
    Program(
        "linear_regression", "a line and a plane that are fitted by gradient descent with momentum"
    ),
    Program("logistic_regression", "hand-written softmax, `metrics.accuracy`, a confusion matrix"),
    Program("boolean_mask", "data-dependent numbers of rows, gradients of the selected rows"),
    Program("mlp", "dropout, learning rate decay, summaries, `Saver`"),
    Program("autoencoder", "a variational autoencoder, noise inside the graph, a shared decoder"),
    Program("skip_gram", "sampled softmax, sparse gradients, Adagrad"),
    Program("gcn", "`sparse_placeholder`, sparse products, sparse dropout"),
    Program("text_cnn", "raw convolutions and pooling, a sparse gradient under Adam"),
    Program("cnn", "`tf.layers`, batch normalization, `UPDATE_OPS`", needs_keras=True),
    Program(
        "gan", "two optimizers over two scopes, a network that is used twice", needs_keras=True
    ),
    Program("dqn", "a target network that a group of assignments updates", needs_keras=True),
    Program(
        "dynamic_rnn", "an LSTM with peepholes, sequences of varying lengths", needs_keras=True
    ),
    Program(
        "char_rnn",
        "`MultiRNNCell`, `static_rnn`, a state that is fed back as a nested tuple",
        needs_keras=True,
    ),
    Program(
        "bilstm_crf",
        "a bidirectional LSTM, a CRF that is written with `scan` and `while_loop`",
        needs_keras=True,
    ),
    Program("seq2seq", "greedy decoding in a loop with a growing result", needs_keras=True),
    Program(
        "bert",
        "attention masks, `gather_indexes`, a custom optimizer",
        needs_keras=True,
        reason=f"{_ORDER}. Softmax does not depend on the bias of the keys, so only rounding errors change this "
        "bias. The test checks that the bias stays below 1e-5",
        rounding="*/attention/key/bias*",
    ),
    Program("monitored", "`MonitoredTrainingSession`, hooks, Ftrl, moving averages"),
)
BY_NAME = {program.name: program for program in PROGRAMS}
