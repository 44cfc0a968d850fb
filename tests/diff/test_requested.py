"""What a comparison does on request: lanes, forward mode, steps of training, bfloat16, distributions."""

from __future__ import annotations

import json
import sys

import jax
import jax.numpy as jnp
import jsonschema
import numpy as np
import pytest
import tensorflow as tf
from click.testing import CliRunner

import shims
from tf2jax_port.cli.diff import diff
from tf2jax_port.diff.closeness import distribution
from tf2jax_port.diff.functions.loading import named
from tf2jax_port.diff.lanes.jax_lanes import JaxLanes
from tf2jax_port.diff.lanes.requested_lanes import RequestedLane
from tf2jax_port.diff.report.as_json import to_data
from tf2jax_port.diff.sessions.run import Request, compare_functions
from tf2jax_port.diff.values.arguments import bind
from tf2jax_port.diff.vocabulary.extras import NOTHING, Extras

from .test_json import VALIDATOR

X = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)


def cases():
    yield (X,)


def compared(old, new, extras, source=cases):
    return compare_functions(Request(named(old), named(new), "", x64=False, extras=extras), source)


def leaves(report):
    return {leaf.title: leaf.state for leaf in report.leaves}


def old(x):
    return tf.nn.softmax(x)


@pytest.fixture(scope="module")
def all_of_it():
    extras = Extras(lanes=("vmap", "cpu"), forward=True, steps=2, rate=0.1)
    return compared(old, lambda x: jax.nn.softmax(x), extras)


def test_lanes_forward_mode_and_training_of_a_right_port(all_of_it):
    assert all_of_it.verdict == "equal"
    lanes = {lane.lane: (lane.values, lane.gradients) for lane in all_of_it.lanes}
    assert lanes["jax-vmap"] == lanes["jax-cpu"] == (1, 1)
    assert {"d output (forward)", "x after training"} <= set(leaves(all_of_it))
    assert "--lane vmap --lane cpu --forward --steps 2 --rate 0.1" in all_of_it.reproduce
    assert all_of_it.terms["requested_lanes"] == ["vmap", "cpu"]


def test_the_schema_knows_it(all_of_it):
    VALIDATOR.validate(to_data(all_of_it))
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({**to_data(all_of_it), "stage": "dreaming"})


def test_a_port_that_mixes_the_rows_of_a_batch():
    def port(x):
        batched = "Batch" in type(x).__name__ or "Batch" in type(getattr(x, "val", x)).__name__
        return jax.nn.softmax(2 * x if batched else x)

    report = compared(old, port, Extras(lanes=("vmap",)))
    assert (report.verdict, report.culprit.lane) == ("different", "jax-vmap")


def test_a_fault_of_a_compiled_program_is_not_cleared_by_the_eager_one_in_double_precision():
    calls = iter(range(10**6))
    report = compared(
        old,
        lambda x: jax.nn.softmax(jnp.where(next(calls) * 0 == 0, x, x) * _twice_if_traced(x)),
        NOTHING,
    )
    assert (report.verdict, report.culprit.lane) == ("different", "jax-jit")


def _twice_if_traced(x):
    # A trace for gradients is eager, too.
    return 2.0 if "Jaxpr" in type(x).__name__ or "Dynamic" in type(x).__name__ else 1.0


def test_a_derivative_that_is_wrong_in_forward_mode_and_in_training():
    @jax.custom_jvp
    def tanh(x):
        return jnp.tanh(x)

    tanh.defjvp(lambda p, t: (jnp.tanh(p[0]), 1.5 * t[0] * (1 - jnp.tanh(p[0]) ** 2)))
    report = compared(tf.tanh, tanh, Extras(forward=True, steps=1))
    found = leaves(report)
    assert found["output"] == "equal"
    assert found["d output (forward)"] == found["x after training"] == "different"
    assert report.stage == "gradients"


@pytest.mark.long
def test_forward_mode_that_the_port_lacks():
    @jax.custom_vjp
    def tanh(x):
        return jnp.tanh(x)

    tanh.defvjp(lambda x: (jnp.tanh(x), x), lambda x, ct: (ct * (1 - jnp.tanh(x) ** 2),))
    report = compared(tf.tanh, tanh, Extras(forward=True))
    assert report.verdict == "limited"
    assert leaves(report)["d output (forward)"] == "not covered"


@pytest.mark.long
def test_bfloat16():
    assert compared(old, lambda x: jax.nn.softmax(x), Extras(bfloat16=True)).verdict == "equal"
    wide = compared(old, lambda x: jax.nn.softmax(x.astype(jnp.float32)), Extras(bfloat16=True))
    assert wide.culprit.comparison.problem == "dtype bfloat16 against float32"


@pytest.mark.long
def test_an_original_that_refuses_bfloat16_is_compared_as_given():
    def single(x):
        return tf.constant([1.0, 2.0, 3.0]) * x

    report = compared(single, lambda x: x * jnp.array([1.0, 2.0, 3.0]), Extras(bfloat16=True))
    assert report.verdict == "limited"
    (reason,) = report.reasons
    assert reason.what == "bfloat16"
    assert reason.why.startswith("the original does not run in it, InvalidArgumentError: ")
    assert report.cases[0].inputs == ("x float32[4, 3]",)
    wrong = compared(single, lambda x: x * jnp.array([1.0, 2.0, 4.0]), Extras(bfloat16=True))
    assert wrong.verdict == "different"
    assert reason in wrong.notes


@pytest.mark.long
def test_an_original_that_never_runs_has_nothing_to_do_with_bfloat16():
    def broken(x):
        return tf.reshape(x, [5, 5])

    report = compared(broken, lambda x: x, Extras(bfloat16=True))
    assert report.verdict == "error"
    assert {reason.what for reason in report.reasons} == {"TF eager", "TF graph", "TF XLA"}


def test_what_is_not_there_is_said():
    lanes = JaxLanes(jnp.tanh, 0)
    case = bind(0, (X,), lambda x: x)
    words = {
        "jax-gpu": "JAX has no gpu on this machine; its devices are cpu",
        "jax-sharded": "JAX has only one device",
    }
    for lane, why in words.items():
        with pytest.raises(Exception, match=why):
            RequestedLane(lane, lanes).outputs(case)


@pytest.mark.long
def test_sharded_over_eight_devices_of_a_cpu(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "old.py").write_text("import tensorflow as tf\ndef f(x): return tf.nn.softmax(x)\n")
    (tmp_path / "new.py").write_text(
        "import jax\ndef f(x): return (1 + (jax.device_count() == 8)) * jax.nn.softmax(x)\n"
    )
    np.savez("cases.npz", x=np.resize(X, (8, 3)))
    words = ("old.py:f", "new.py:f", "--inputs", "cases.npz", "--lane", "sharded")
    done = CliRunner().invoke(diff, ("--no-isolate", *words, "--json", "out.json"))
    assert done.exit_code == 1, done.output
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["leaves"][0]["worst"]["lanes"] == ["tf-eager", "jax-sharded"]


def dropout(x):
    return tf.nn.dropout(x, 0.3)


@pytest.mark.long
@pytest.mark.parametrize(("rate", "verdict"), [(0.3, "equal"), (0.6, "different")])
def test_random_functions_in_distribution(rate, verdict):
    extras = Extras(draws=100)
    report = compared(dropout, lambda x: shims.nn.dropout(x, rate), extras)
    assert report.verdict == verdict
    assert "distribution" in (report.culprit.comparison.problem if rate > 0.5 else report.headline)


@pytest.mark.long
def test_a_key_that_depends_on_no_seed_and_one_that_is_given():
    def with_key(x, seed=0):
        kept = jax.random.bernoulli(jax.random.key(seed), 0.7, x.shape)
        return jnp.where(kept, x / 0.7, 0)

    report = compared(dropout, with_key, Extras(draws=100))
    assert "because the key does not depend on a seed" in report.culprit.comparison.problem
    report = compared(
        lambda x, seed: dropout(x), with_key, Extras(draws=100), lambda: [(X, np.int32(3))]
    )
    assert report.verdict == "equal"


def test_how_often_equal_distributions_are_taken_for_others():
    rng = np.random.default_rng(0)
    seen = []
    for _ in range(60):
        # Heavy tails, ties and rounding: what a bound of moments would stumble over.
        heavy, ties = rng.standard_cauchy((2, 100, 5)), rng.integers(0, 2, (2, 100, 5)) / 0.7
        for old, new in (heavy, ties * (1 + 1e-7 * rng.random(ties.shape))):
            found = distribution.distance(list(old), list(new))
            seen.append(found.largest / found.allowed)
    assert max(seen) < 1
    # The largest of 25 distances of 100 draws is about half of what is allowed.
    assert np.median(seen) > 0.3


def test_a_mask_that_rows_share_is_another_distribution():
    rng = np.random.default_rng(0)
    each = list(rng.integers(0, 2, (200, 30, 4)) + 0.0)
    shared = [np.broadcast_to(a, (30, 4)) for a in rng.integers(0, 2, (200, 1, 4)) + 0.0]
    assert "the distribution of" in distribution.distance(each, shared).words
