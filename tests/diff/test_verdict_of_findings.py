"""The verdict, from findings that are written out: which comes first, and with which reasons."""

import types

import numpy as np
import pytest

from tf2jax_port.diff.closeness.explain import DIFFERENT, EQUAL, KNIFE_EDGE, UNSTEADY
from tf2jax_port.diff.judge.judge import NOT_COVERED, RAISED, Finding, _graph_disagrees
from tf2jax_port.diff.judge.vacuity import Vacuity
from tf2jax_port.diff.judge.verdict import decide, rank, what_is_wrong
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import FORWARD, ONES, Quantity
from tf2jax_port.diff.vocabulary.lanes import LANES
from tf2jax_port.diff.vocabulary.reasons import Reason

OUTPUT, GRADIENT = Quantity("output", "output"), Quantity("gradient", "x", ONES)
NOTHING = Vacuity()


def finding(outcome, case=0, lane="jax-eager", quantity=OUTPUT, stage=None, ratio=1.0, **more):
    comparison = types.SimpleNamespace(
        problem="it is wrong",
        worst=more.pop("worst", None),
        closeness=types.SimpleNamespace(ratio=ratio),
        note=more.pop("note", ""),
    )
    return Finding(case, quantity, lane, "tf-eager", outcome, stage, comparison, **more)


def fact(case=0, failing=(), frozen=(), reference=None, draws=None):
    def lane(name):
        outputs = Failure("error", f"no {name}") if name in failing else {"output": 1}
        return types.SimpleNamespace(
            outputs=outputs, ran=name not in failing, frozen=name in frozen
        )

    lanes = {one.id: lane(one.id) for one in LANES}
    return types.SimpleNamespace(lanes=lanes, case=case, reference=reference, draws=draws)


def verdict(findings, facts=None, skipped=(), vacuous=NOTHING):
    return decide([fact()] if facts is None else facts, findings, skipped, vacuous)


def texts(found):
    return [(r.what, r.why, r.cases) for r in found.reasons]


def test_nothing_to_compare():
    assert decide([], [], [], NOTHING).verdict == "inconclusive"
    skipped = [Reason("case 0", "it raises")]
    found = decide([], [], skipped, NOTHING)
    assert (found.verdict, found.headline, found.reasons) == (
        "error",
        "No case could be run",
        (skipped[0],),
    )
    assert (
        verdict([finding(NOT_COVERED, because="why")]).headline
        == "Cannot tell: comparison: nothing was compared"
    )


def test_a_side_that_never_runs():
    for side, lanes in (("original", ("tf-eager", "tf-graph")), ("port", ("jax-eager", "jax-jit"))):
        found = verdict([finding(EQUAL)], [fact(failing=lanes), fact(1, failing=lanes)])
        assert (found.verdict, found.headline) == ("error", f"The {side} fails in every lane")
        assert [(why, cases) for _, why, cases in texts(found)] == [
            (f"no {n}", (0, 1)) for n in lanes
        ]
        assert verdict([finding(EQUAL)], [fact(failing=lanes), fact(1)]).verdict != "error"
        assert verdict([finding(EQUAL)], [fact(failing=lanes[:1])]).verdict != "error"


def test_equal():
    found = verdict([finding(EQUAL), finding(EQUAL, lane="jax-jit")])
    assert (found.verdict, found.headline) == ("equal", "Equal in every output and every gradient")
    found = verdict([finding(EQUAL)], [fact(), fact(1, draws=object())])
    assert found.headline == "Equal in the distribution of every output and every gradient"


def test_what_the_headline_of_equal_results_says():
    absent = finding(EQUAL, quantity=GRADIENT, note="None against zeros")
    found = verdict([finding(EQUAL), absent])
    assert found.headline == "Equal in every output; the original has no gradients"
    found = verdict([finding(EQUAL), absent, finding(EQUAL, quantity=GRADIENT)])
    assert found.headline == "Equal in every output and every gradient"
    edge = finding(KNIFE_EDGE, because="as in TF graph")
    found = verdict([finding(EQUAL), edge])
    assert found.verdict == "limited"
    assert "everything was compared, and rounding decides" in found.headline
    found = verdict([finding(EQUAL), edge, finding(NOT_COVERED, because="why")])
    assert "some results were not compared" in found.headline


def test_a_difference_comes_before_all_other_reasons():
    worse = finding(DIFFERENT, 1, stage="values", ratio=9.0)
    others = [
        finding(DIFFERENT, 1, stage="values", ratio=2.0),
        finding(DIFFERENT, 0, stage="gradients", quantity=GRADIENT),
        finding(DIFFERENT, 1, "jax-jit", stage="values", ratio=99.0),
        finding(UNSTEADY, because="it varies"),
        finding(EQUAL),
    ]
    found = verdict([*others, worse], vacuous=Vacuity(fatal=(Reason("all", "zeros"),)))
    assert (found.verdict, found.stage, found.culprit) == ("different", "values", worse)
    assert texts(found) == [("output", "it is wrong", (1,)), ("d/d x (ones)", "it is wrong", (0,))]
    assert sorted([*others[:3], worse], key=rank) == [worse, others[0], others[2], others[1]]


def test_a_port_that_raises_in_some_cases():
    raised = [
        finding(DIFFERENT, n, quantity=RAISED, stage="interface", because="it fails")
        for n in (0, 1)
    ]
    other = finding(DIFFERENT, 2, "jax-jit", RAISED, "interface", because="it fails")
    found = verdict([*raised, raised[0], other], [fact(n) for n in range(3)])
    assert found.headline == "Fails in JAX eager in 2 of 3 cases: it fails"


@pytest.mark.parametrize(
    ("vacuous", "findings"),
    [
        (NOTHING, [finding(EQUAL), finding(UNSTEADY, because="it varies")]),
        (Vacuity(fatal=(Reason("output", "it varies", (0,)),)), [finding(EQUAL)]),
    ],
    ids=["unsteady", "vacuous"],
)
def test_what_makes_a_verdict_inconclusive(vacuous, findings):
    found = verdict(findings, vacuous=vacuous)
    assert (found.verdict, texts(found)) == ("inconclusive", [("output", "it varies", (0,))])


def limits(*findings, facts=None, **more):
    found = verdict([finding(EQUAL), *findings], facts, **more)
    assert found.verdict == "limited"
    return texts(found)


def test_limits():
    assert limits(skipped=[Reason("case 1", "skipped")]) == [("case 1", "skipped", ())]
    assert limits(vacuous=Vacuity(limiting=(Reason("output", "zeros"),))) == [
        ("output", "zeros", ())
    ]
    ((what, why, cases),) = limits(finding(KNIFE_EDGE, 3, because="a tie"))
    assert (what, why, cases) == ("output", "knife edge in JAX eager: a tie", (3,))
    frozen = limits(facts=[fact(frozen=("jax-jit",)), fact(1, frozen=("tf-graph",))])
    assert [(what, cases) for what, _, cases in frozen] == [("JAX jit", (0,))]


def test_what_is_not_covered_in_one_usual_lane_limits():
    missing = finding(NOT_COVERED, 1, quantity=GRADIENT, because="why")
    assert limits(missing) == [("the gradients in JAX eager", "why", (1,))]
    for case in (0, 1):
        assert verdict([finding(EQUAL, case, "jax-jit", GRADIENT), missing]).verdict == "limited"
    requested = finding(NOT_COVERED, 1, "jax-vmap", because="why")
    assert limits(finding(EQUAL, 1), requested) == [("JAX vmap", "why", (1,))]


def test_a_stand_in_for_the_original_is_named():
    ((what, why, cases),) = limits(facts=[fact(), fact(1, ("tf-eager",), reference="tf-graph")])
    assert (what, why, cases) == (
        "TF eager",
        "no tf-eager; the port is compared with TF graph instead",
        (1,),
    )
    ((_, why, _),) = limits(facts=[fact(), fact(1, ("tf-eager",))])
    assert why == "no tf-eager; the port returns a result"
    failing = ("tf-eager", "jax-eager", "jax-jit")
    assert verdict([finding(EQUAL)], [fact(), fact(1, failing)]).verdict == "equal"


def test_ill_conditioned_in_every_case():
    noisy = [finding(EQUAL, n, quantity=GRADIENT, ill_conditioned=True) for n in (0, 1)]
    ((what, why, _),) = limits(*noisy)
    assert (what, "ill-conditioned" in why) == ("d/d x (ones)", True)
    telling = finding(EQUAL, 2, quantity=GRADIENT)
    assert verdict([finding(EQUAL), *noisy, telling]).verdict == "equal"


def test_what_is_wrong_in_words():
    def worst(new, old, index=(0,)):
        return types.SimpleNamespace(new=new, old=old, index=index, place=f"index {index}")

    assert what_is_wrong(finding(DIFFERENT)) == "output: it is wrong"
    wrong = finding(DIFFERENT, worst=worst(1.0, 2.0))
    assert what_is_wrong(wrong) == "output is 1, should be 2 at index (0,)"
    wrong = finding(DIFFERENT, quantity=GRADIENT, worst=worst(1.0, 2.0, ()))
    assert what_is_wrong(wrong) == "the gradient for x is 1, should be 2"
    close = what_is_wrong(finding(DIFFERENT, worst=worst(1.0, 1.0000001)))
    assert close.split(" is ")[1].split(", ")[0] != close.split("should be ")[1].split(" at")[0]


@pytest.mark.parametrize("dtype", ["int32", "int64", "bool"])
def test_an_original_whose_graph_gives_other_numbers(dtype):
    """It is unsteady if most elements differ, in 64 bits as well."""

    def disagrees(graph, frozen=()):
        facts = fact(frozen=frozen)
        facts.lanes["tf-eager"].outputs = {"output": np.zeros(4, dtype)}
        facts.lanes["tf-graph"].outputs = {"output": np.asarray(graph).astype(dtype)}
        facts.gauge = lambda quantity: None
        return _graph_disagrees(facts, OUTPUT)

    assert disagrees([1, 1, 1, 0])
    assert not disagrees([1, 1, 0, 0])
    assert not disagrees([0, 0, 0, 0])
    assert not disagrees([1, 1, 1, 1], frozen=("tf-graph",))


def test_other_quantities_have_their_titles():
    worst = types.SimpleNamespace(new=1.0, old=2.0, index=(), place="")
    forward = finding(DIFFERENT, quantity=Quantity("gradient", "x", FORWARD), worst=worst)
    assert what_is_wrong(forward) == "d x (forward) is 1, should be 2"


@pytest.mark.parametrize(
    ("cases", "text"),
    [
        ((), "a: b"),
        ((7,), "a: b (case 7)"),
        ((1, 2), "a: b (cases 1, 2)"),
        ((1, 2, 3, 4), "a: b (cases 1, 2, 3, 4)"),
        ((1, 2, 3, 4, 5), "a: b (cases 1, 2, 3, 4 and 1 more)"),
        ((1, 2, 3, 4, 5, 6), "a: b (cases 1, 2, 3, 4 and 2 more)"),
    ],
)
def test_the_cases_of_a_reason(cases, text):
    assert Reason("a", "b", cases).text == text
