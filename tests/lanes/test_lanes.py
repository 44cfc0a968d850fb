"""Every written case in every lane of the scorecard, which is filled from these tests."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.table.compare import differences, expected_dtype
from tests.table.test_poison import FILLINGS, bits

from . import ours, reference
from .case import VERDICT, Case, parameters
from .cases import CASES


def each(lane):
    return pytest.mark.parametrize("case", parameters(CASES, lane))


def arrays_of(results) -> list[np.ndarray]:
    return list(map(np.asarray, results))


def report(found) -> None:
    """Fails with all that went wrong, call by call."""
    assert not any(found), "\n".join(f"call {i}: {text}" for i, text in enumerate(found) if text)


@each("eager")
def test_eager(case: Case, record_property):
    if case.graph_only:
        with pytest.raises(RuntimeError):
            case.program(tf, *case.calls()[0])
        record_property(VERDICT, f"differs: TensorFlow refuses the eager call: {case.graph_only}")
    found = [
        differences(arrays_of(ours.outputs(case, arrays)), want, case.tolerance)
        for arrays, want in zip(case.calls(), reference.eager(case), strict=True)
    ]
    report(found)


@each("function")
def test_function(case: Case):
    found = [
        differences(arrays_of(got), want, case.tolerance)
        for (got, _), want in zip(ours.function(case), reference.graph(case), strict=True)
    ]
    report(found)


@each("gradient")
def test_gradient(case: Case, record_property):
    if case.no_gradient:
        with pytest.raises((LookupError, TypeError)):
            reference.gradients(case)
        record_property(VERDICT, f"none: {case.no_gradient}")
        return
    want = reference.gradients(case)
    inside = [slopes for _, slopes in ours.function(case)]
    found = [
        different
        for got, traced, right in zip(ours.taped(case), inside, want, strict=True)
        for different in (slopes_apart(case, got, right), traced_apart(case, traced, right))
    ]
    report(found)
    if all(slope is None for slopes in want for slope in slopes):
        record_property(VERDICT, "none: no floating-point result depends on a floating-point one")


def slopes_apart(case, got, want) -> str:
    """What differs between the gradients of two tapes, `None`s among them."""
    if [g is None for g in got] != [w is None for w in want]:
        return f"gradients {got}, should be {want}"
    pairs = [(np.asarray(g), w) for g, w in zip(got, want, strict=True) if w is not None]
    return differences(*map(list, zip(*pairs, strict=True)), 5 * case.tolerance) if pairs else ""


def traced_apart(case, got, want) -> str:
    """What differs from `jax.grad` inside a function, where a gradient that is `None` is 0."""
    right = [np.zeros(np.shape(g), np.float32) if w is None else w for g, w in zip(got, want)]
    return differences(arrays_of(got), right, 5 * case.tolerance)


@pytest.mark.long  # compiles anew
@each("vmap")
def test_vmap(case: Case):
    arrays = case.calls()[0]
    floats = [arrays[i] for i in case.floats()]
    variants = [floats, [array / 2 for array in floats]]
    found = []
    for variant, got in zip(variants, ours.mapped(case, variants), strict=True):
        given = list(arrays)
        for place, array in zip(case.floats(), variant, strict=True):
            given[place] = array
        found.append(differences(arrays_of(got), reference.of(case, given), case.tolerance))
    report(found)


@pytest.mark.long  # compiles anew
@each("poison")
def test_poison(case: Case, record_property):
    run = ours.poisoned(case)
    if case.unbounded:
        with pytest.raises(shims.errors.CapacityError):
            run(0)
        record_property(VERDICT, "n/a: no case of an unknown size that the inputs bound")
        return
    first = run(0)
    found = [differences(arrays_of(ours.exact(first[0])), reference.eager(case)[0], case.tolerance)]
    for number in range(1, len(FILLINGS["f"])):
        again = run(number)
        for what, a, b in zip(("results", "slopes"), first, again, strict=True):
            left, right = (arrays_of(jax.tree.leaves(ours.exact(x))) for x in (a, b))
            same = bits(left) == bits(right)
            found.append("" if same else f"{what}, filling {number}: {right}, should be {left}")
    report(found)


@pytest.mark.long  # what TensorFlow says of itself changes with TensorFlow, not with us
@each("jit_compile")
def test_jit_compile(case: Case, record_property):
    state, _, why = case.xla.partition(": ")
    if state == "differs":
        record_property(VERDICT, f"differs: TensorFlow's XLA {case.xla}")
    if state == "unsupported":
        with pytest.raises((tf.errors.OpError, ValueError, TypeError)) as raised:
            reference.compiled(case)
        found = reference.refusal(raised.value)
        assert found.startswith(why)
        record_property(VERDICT, f"differs: TensorFlow's XLA unsupported: {found}")
        return
    got, want = reference.compiled(case), reference.eager(case)[0]
    narrow = lambda arrays: [a.astype(expected_dtype(a.dtype)) for a in arrays]
    different = differences(narrow(got), narrow(want), case.tolerance)
    if state == "differs":
        assert different, f"nothing differs, although: {case.xla}"
    else:
        assert not different, different
