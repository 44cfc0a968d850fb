"""What the cases of an equal verdict could have caught, and the search for cases that catch more."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff.functions.loading import named
from tf2jax_port.diff.report.as_text import render
from tf2jax_port.diff.sessions.run import Request, compare_functions
from tf2jax_port.diff.strength import kinds
from tf2jax_port.diff.strength.planting import Planter, measured
from tf2jax_port.diff.strength.reached import EMPTY, ONE, unreached_lines, unreached_sizes
from tf2jax_port.diff.strength.strength import Missed, Strength, lines
from tf2jax_port.diff.strength.strengthen import strengthened
from tf2jax_port.diff.values.arguments import bind

F = np.float32
# For each kind: a port, an input that does not notice it, and one that does.
KINDS = {
    "`>=` in place of `>`": (lambda x: jnp.sum(jnp.where(x > 1, x, 0.0)), F([0.5, 2]), F([1, 2])),
    "`>` in place of `>=`": (lambda x: jnp.sum(jnp.where(x >= 1, x, 0.0)), F([0.5, 2]), F([1, 2])),
    "`<=` in place of `<`": (lambda x: jnp.sum(jnp.where(x < 1, x, 0.0)), F([0.5, 2]), F([1, 2])),
    "`<` in place of `<=`": (lambda x: jnp.sum(jnp.where(x <= 1, x, 0.0)), F([0.5, 2]), F([1, 2])),
    "a lower bound left out": (lambda x: jnp.maximum(x, 0.5), F([1, 2]), F([0.1, 2])),
    "an upper bound left out": (lambda x: jnp.minimum(x, 5.0), F([1, 2]), F([1, 7])),
    "halves rounded away from zero": (lambda x: jnp.round(x), F([1.2, 2.6]), F([2.5, 2])),
    "rounding toward zero": (lambda x: jnp.floor(x), F([1.2, 2.6]), F([-1.5, 2])),
    "0 as the result of a division by zero": (lambda x: x / (x - 1), F([2, 3]), F([1, 3])),
    "an integer division that rounds the other way": (
        lambda x: jnp.asarray(x, jnp.int32) // 2,
        np.int32([3, 5]),
        None,
    ),
    "the last of equal maxima": (lambda x: jnp.argmax(x), F([1, 3, 2]), F([3, 1, 3])),
    "the last of equal minima": (lambda x: jnp.argmin(x), F([1, 3, 2]), F([1, 3, 1])),
    "equal elements in the other order": (lambda x: jnp.argsort(x), F([1, 3, 2]), F([1, 3, 1])),
    "the condition always holds": (lambda x: jnp.where(x[0] > 1, x, -x), F([2, 3]), F([0, 3])),
    "the condition never holds": (lambda x: jnp.where(x[0] > 1, x, -x), F([0, 3]), F([2, 3])),
    "a maximum that is not subtracted": (
        lambda x: jnp.log(jnp.sum(jnp.exp(x - jnp.max(x)))) + jnp.max(x),
        F([1, 3]),
        F([1, 300]),
    ),
    "an exponential that does not overflow": (lambda x: jnp.exp(x), F([1, 3]), F([1, 300])),
    "an epsilon in a logarithm": (lambda x: jnp.log(x), F([1.5, 3]), F([0, 3])),
}


def planted(port, *inputs):
    planter = Planter(port, 0, 60.0)
    measured(planter, [bind(i, (x,), port) for i, x in enumerate(inputs)])
    return planter


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_missed_without_and_noticed_with_its_input(kind):
    port, without, telling = KINDS[kind]
    missed = planted(port, without).missed.values()
    assert kind in {one.kind for one in missed}
    if telling is not None:
        planter = planted(port, without, telling)
        assert kind in {key[3] for key in planter.noticed}
        assert kind not in {one.kind for one in planter.missed.values()}


def test_every_kind_with_a_need_is_tried_here_or_by_its_sibling():
    needy = {kind for rows in kinds._KINDS.values() for kind, needs, _ in rows if needs}
    assert needy - KINDS.keys() == {
        "bounds left out",
        "a remainder with the other sign",
        "another rule for indices out of bounds",
    }


def branching(x):
    if x.shape[0] == 77:
        return x * 2.0
    return x


def test_sizes_and_lines_that_no_case_reaches():
    cases = [bind(0, (F([1, 2]),), branching)]
    assert unreached_sizes(cases) == [EMPTY, ONE]
    assert unreached_sizes([*cases, bind(1, (F([]),), branching)]) == [ONE]
    said = unreached_lines(branching, [(F([1, 2]),)])
    assert [line.rpartition(": ")[2] for line in said] == ["return x * 2.0"]
    assert unreached_lines(branching, [(F([1, 2]),), (np.zeros(77, F),)]) == []


def best(x):
    return tf.argmax(x, -1), tf.reduce_sum(tf.maximum(x, 0.5))


def best_of_port(x):
    return jnp.argmax(x, -1), jnp.sum(jnp.maximum(x, 0.5))


def last_best(x):
    size = x.shape[-1]
    return size - 1 - jnp.argmax(x[..., ::-1], -1), jnp.sum(jnp.maximum(x, 0.5))


def some():
    rng = np.random.default_rng(0)
    return [((0.6 + rng.random((n, 3))).astype(F),) for n in (4, 5)]


def original(case):
    i, total = best(tf.constant(case.arrays[0]))
    return {"output[0]": i.numpy(), "output[1]": total.numpy()}


def test_the_search_adds_cases_that_notice_more_and_meets_faults():
    cases = [bind(i, call, best) for i, call in enumerate(some())]
    planter = Planter(best_of_port, 0, 60.0)
    measured(planter, cases)
    before = {one.kind for one in planter.missed.values()}
    assert {"the last of equal maxima", "a lower bound left out"} <= before
    added = strengthened(cases, planter, original)
    assert not {"the last of equal maxima", "a lower bound left out"} & {
        one.kind for one in planter.missed.values()
    }
    assert [case.index for case in added] == list(range(2, 2 + len(added)))
    assert any(0 in case.arrays[0].shape for case in added)
    # A wrong port meets the case at which it is wrong.
    planter = Planter(last_best, 0, 60.0)
    measured(planter, cases)
    (*_, last) = strengthened(cases, planter, original)
    x = last.arrays[0]
    assert any(np.argmax(row) != 2 - np.argmax(row[::-1]) for row in x)


def test_the_report_says_what_the_cases_could_have_caught():
    request = Request(named(best), named(best_of_port), "", x64=False, strengthen=True)
    report = compare_functions(request, some)
    assert report.verdict == "equal"
    found = report.strength
    assert found.noticed <= found.planted
    assert found.added
    assert report.more_inputs is not None
    assert render(report)


def test_the_lines_of_a_result():
    missed = tuple(Missed("a kind", f"f.py:{n}", "x > 0", "a tie") for n in range(3))
    told = lines(Strength(5, 2, missed, (EMPTY,), 4, 0), most=2)
    assert told[0] == "2 of 5 planted faults change the output of at least one case"
    assert told[1:3] == ["not noticed: a kind; to detect it, a case needs a tie", "  f.py:0  x > 0"]
    assert told[5:] == [
        "and 1 more that no case detects",
        EMPTY,
        "4 more were not planted, because the time limit was reached",
        "the search added 0 cases",
    ]
