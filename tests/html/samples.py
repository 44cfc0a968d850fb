"""The pages that are looked at: one of each kind, of inputs that do not change with the rewriter."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
from pathlib import Path

from tests.diff.made_proof import made_proof, write_root
from tests.diff.reports import report
from tf2jax_port.diff.locate.result.located import Located, Spot
from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.proofs import as_html as proof_pages
from tf2jax_port.diff.report import as_html as diff_page
from tf2jax_port.migration import as_html as plan_page
from tf2jax_port.migration.steps import Step
from tf2jax_port.rewrite.findings.findings import Finding, Outcome, State
from tf2jax_port.rewrite.findings.ledger import Choice, Entry, Ledger, Skipped
from tf2jax_port.scanning import as_html as scan_page

OLD = '''\
"""A loss over tokens, where only some count."""

import tensorflow as tf


@tf.function
def loss(scores, targets, lengths):
    """Return the mean loss of the tokens that count, and how far their scores spread."""
    steps = tf.range(tf.shape(scores)[1])
    mask = tf.cast(steps[None, :] < lengths[:, None], tf.float32)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=scores)
    spread = tf.math.reduce_std(scores, axis=-1)
    count = tf.maximum(tf.reduce_sum(mask), 1.0)
    return tf.reduce_sum(each * mask) / count, spread
'''
NEW = '''\
"""A loss over tokens, where only some count."""

import jax.numpy as jnp
import optax


def loss(scores, targets, lengths):
    """Return the mean loss of the tokens that count, and how far their scores spread."""
    steps = jnp.arange(scores.shape[1])
    mask = (steps[None, :] < lengths[:, None]).astype(jnp.float32)
    each = optax.softmax_cross_entropy_with_integer_labels(scores, targets)
    spread = jnp.std(scores, axis=-1, ddof=1)
    count = jnp.maximum(jnp.sum(mask), 1.0)
    return jnp.sum(each * mask) / count, spread
'''
MODEL = '''\
import tensorflow as tf

HIDDEN = 128


class Encoder(tf.Module):
    """Encode a batch of images."""

    def __init__(self, name="<script>alert(1)</script>"):
        super().__init__(name=name)
        self.first = tf.Variable(tf.zeros([3, HIDDEN]))
        self.steps = 0

    def reset(self):
        """Begin anew."""
        self.steps = 0
        self.seen = []
        self.best = None

    @tf.function
    def __call__(self, images, training=False):
        self.steps += 1
        hidden = tf.nn.relu(tf.linalg.matmul(tf.reshape(images, [-1, 3]), self.first), name="a_name_that_is_quite_long")
        largest = tf.reduce_max(hidden, axis=-1)
        tf.print("largest & smallest", largest)
        return tf.py_function(lambda x: x.numpy() > 0, [largest], tf.bool)
'''
FOLDER = "project/models"


def _finding(
    text: str, name: str, state: State, code: str, message: str, after: str = ""
) -> Finding:
    at = text.index(name)
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return Finding(line, column, name, state, code, message, before=name, after=after)


def _entry(path: str, text: str, *findings: Finding, choice: Choice | None = None) -> Entry:
    ordered = tuple(sorted(findings, key=lambda f: (f.line, f.column)))
    return Entry(path, text.encode(), Outcome(b"", ordered, len(ordered)), choice=choice)


def ledger() -> Ledger:
    """A code base with a finding of each state."""
    counts = {"manual": 2, "review": 1, "shim": 1, "kept": 1, "rewritten": 2}
    choice = Choice(
        "jax",
        "with JAX, 2 references need manual work (the minimum)",
        dict.fromkeys(("jax", "shims", "graph"), counts),
    )
    model = _entry(
        f"{FOLDER}/encoder/images.py",
        MODEL,
        _finding(MODEL, "tf.Module", State.SHIM, "TJ101", "the class of `shims`", "shims.Module"),
        _finding(
            MODEL,
            "tf.zeros",
            State.REWRITTEN,
            "TJ101",
            "JAX has the same operator",
            "jnp.zeros",
        ),
        _finding(
            MODEL,
            "tf.reduce_max",
            State.REVIEW,
            "TJ201",
            "the gradient at a tie is `jnp.max`'s",
            "jnp.max",
        ),
        _finding(MODEL, "tf.print", State.KEPT, "TJ501", "it prints"),
        _finding(
            MODEL,
            "tf.py_function",
            State.MANUAL,
            "TJ301",
            "Python runs once, while `jit` traces: write <b>jax.pure_callback</b>",
        ),
        _finding(MODEL, "tf.bool", State.MANUAL, "TJ301", "it belongs to the call"),
        choice=choice,
    )
    loss = _entry(
        f"{FOLDER}/a_folder_with_a_long_name/loss_over_tokens_of_different_lengths.py",
        OLD,
        _finding(
            OLD,
            "tf.range",
            State.REWRITTEN,
            "TJ101",
            "JAX has the same operator",
            "jnp.arange",
        ),
        _finding(
            OLD,
            "tf.math.reduce_std",
            State.REVIEW,
            "TJ201",
            "the gradient at zero is NaN",
            "jnp.std",
        ),
        choice=choice,
    )
    done = _entry(
        f"{FOLDER}/ops.py",
        "import tensorflow as tf\nx = tf.exp(1.0)\n",
        _finding(
            "import tensorflow as tf\nx = tf.exp(1.0)\n",
            "tf.exp",
            State.REWRITTEN,
            "TJ101",
            "JAX has the same operator",
            "jnp.exp",
        ),
    )
    return Ledger(
        "jax",
        (model, loss, done),
        (Skipped(f"{FOLDER}/broken.py", "TJ901", "line 2: invalid syntax"),),
    )


def large_ledger(findings: int) -> Ledger:
    """A code base with so many findings, fifty in each file."""
    lines = [
        f"    y{n} = tf.reduce_max(x, axis={n % 3})  # the largest of a row" for n in range(250)
    ]
    text = "import tensorflow as tf\n\ndef f(x):\n" + "\n".join(lines) + "\n"
    states = (State.MANUAL, State.REVIEW, State.REWRITTEN, State.SHIM)
    found = tuple(
        Finding(
            4 + 5 * n,
            9,
            "tf.reduce_max",
            states[n % 4],
            "TJ201",
            "the gradient at a tie differs",
            f"tf.reduce_max(x, axis={n % 3})",
            "jnp.max(x)",
        )
        for n in range(50)
    )
    entries = tuple(
        Entry(f"project/part{n // 10}/file{n}.py", text.encode(), Outcome(b"", found, 50))
        for n in range(findings // 50)
    )
    return Ledger("jax", entries, ())


def steps() -> tuple[Step, ...]:
    """A plan with a choice by work, one by name, a circle, and a step that had to wait."""
    rows = (
        ((f"{FOLDER}/ops.py",), 12, 0, 0, ()),
        ((f"{FOLDER}/shapes.py",), 3, 0, 0, ()),
        (
            (f"{FOLDER}/a_folder_with_a_long_name/loss_over_tokens_of_different_lengths.py",),
            9,
            3,
            1,
            (1,),
        ),
        ((f"{FOLDER}/encoder/images.py", f"{FOLDER}/encoder/texts.py"), 4, 1, 6, (1, 2)),
        (("project/train.py",), 7, 0, 2, (1, 3, 4)),
        (("project/<b>&.py",), 1, 1, 0, (1, 3, 4, 5)),
    )
    return tuple(
        Step(
            number=number,
            files=files,
            targets=("jax",) * len(files),
            lines=100 * number,
            automatic=done,
            review=review,
            manual=manual,
            blockers=(("tf.py_function", manual),) if manual else (),
            needs=needs,
            unlocks=tuple(n for n, row in enumerate(rows, 1) if max(row[4], default=0) == number),
        )
        for number, (files, done, review, manual, needs) in enumerate(rows, 1)
    )


def _different(folder: Path) -> str:
    (folder / "loss_tf.py").write_text(OLD)
    (folder / "loss.py").write_text(NEW)

    def spot(name: str, text: str, part: str, operation: str) -> Spot:
        line = text.count("\n", 0, text.index(part)) + 1
        place = Place(str(folder / name), line, "loss")
        return Spot(place, operation, ("scores", "Mean, line 12"), ("Mean, line 14",))

    located = Located(
        "value",
        0,
        spot("loss_tf.py", OLD, "tf.math.reduce_std", "Sqrt"),
        spot("loss.py", NEW, "jnp.std", "sqrt"),
        cause="population and sample variance are confused",
        confirmed=True,
    )
    made = dataclasses.replace(
        report("different"), located=located, old="loss_tf.py:loss", new="loss.py:loss"
    )
    return (
        diff_page.to_html(made)
        .replace(f"{folder.as_posix()}/", "")
        .replace("/<wbr>".join(f"{folder.as_posix()}/".split("/")), "")
    )


@functools.cache
def pages() -> dict[str, str]:
    """The text of each page, by its name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        proof = made_proof(write_root(folder / "proof"))
        found = proof_pages.to_pages(dataclasses.replace(proof, root=proof.root))
        (file,) = (text for key, text in found.items() if key != proof_pages.INDEX)
        return {
            "scan": scan_page.to_html(ledger(), "project"),
            "plan": plan_page.to_html(steps(), "project"),
            "diff": _different(folder),
            "diff-equal": diff_page.to_html(report("equal")),
            "prove": found[proof_pages.INDEX].replace(str(proof.root), "port"),
            "prove-file": file,
        }
