"""Every written case in every lane of the scorecard, which is filled from these tests.

Only fillings are compared bit by bit: one compiled program gives them all, whatever a processor fuses.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness import jax_side, tensorflow_side
from tests.harness.compare import Dtypes, differences, report
from tests.harness.flatten import arrays as arrays_of
from tests.harness.flatten import unpadded
from tests.harness.padding import FILLINGS, bits

from . import runs
from .case import VERDICT, Case, parameters
from .cases import CASES


def each(lane):
    return pytest.mark.parametrize("case", parameters(CASES, lane))


def report_calls(found) -> None:
    """Fail with all that went wrong, call by call."""
    report({f"call {i}": text for i, text in enumerate(found)})


@each("eager")
def test_eager(case: Case, record_property):
    if case.graph_only:
        with pytest.raises(RuntimeError):
            case.program(tf, *case.calls()[0])
        record_property(VERDICT, f"differs: TensorFlow refuses the eager call: {case.graph_only}")
    found = [
        differences(runs.eager(case, arrays), want, case.tolerance)
        for arrays, want in zip(case.calls(), runs.tensorflow_eager(case), strict=True)
    ]
    report_calls(found)


@each("function")
def test_function(case: Case):
    graph = runs.tensorflow_graph(case)
    found = [
        differences(got.outputs, arrays_of(graph(*arrays)), case.tolerance)
        for got, arrays in zip(runs.function(case), case.calls(), strict=True)
    ]
    report_calls(found)


@each("gradient")
def test_gradient(case: Case, record_property):
    if case.no_gradient:
        with pytest.raises((LookupError, TypeError)):
            runs.tensorflow_gradients(case)
        record_property(VERDICT, f"none: {case.no_gradient}")
        return
    want = runs.tensorflow_gradients(case)
    inside = [slopes for _, slopes in runs.function(case)]
    found = [
        different
        for got, traced, right in zip(runs.taped(case), inside, want, strict=True)
        for different in (
            differences(got, right, 5 * case.tolerance),
            differences(traced, zeros_for_none(right, traced), 5 * case.tolerance),
        )
    ]
    report_calls(found)
    if all(slope is None for slopes in want for slope in slopes):
        record_property(
            VERDICT, "none: no floating-point result depends on a floating-point argument"
        )


def zeros_for_none(slopes, found):
    """Write the gradients as `jax.grad` has them."""
    return [np.zeros(np.shape(g), np.float32) if w is None else w for g, w in zip(found, slopes)]


@pytest.mark.long  # compiles anew
@each("vmap")
def test_vmap(case: Case):
    arrays = case.calls()[0]
    floats = [arrays[i] for i in case.floats()]
    variants = [floats, [array / 2 for array in floats]]
    program = lambda *given: arrays_of(case.program(shims, *given))
    results = jax_side.mapped(program, arrays, case.floats(), variants)
    found = []
    for variant, got in zip(variants, results, strict=True):
        given = list(arrays)
        for place, array in zip(case.floats(), variant, strict=True):
            given[place] = array
        want = arrays_of(runs.tensorflow_result(case, given))
        found.append(differences(got, want, case.tolerance))
    report_calls(found)


@pytest.mark.long  # compiles anew
@each("poison")
def test_poison(case: Case, record_property):
    run = runs.poisoned(case)
    if case.unbounded:
        with pytest.raises(shims.errors.CapacityError):
            run(0)
        record_property(VERDICT, "n/a: no case of an unknown size that the inputs bound")
        return
    first = unpadded(run(0))
    want = arrays_of(runs.tensorflow_eager(case)[0])
    found = [differences(first.outputs, want, case.tolerance)]
    for number in range(1, len(FILLINGS["f"])):
        again = unpadded(run(number))
        for what, a, b in zip(first._fields, first, again, strict=True):
            left, right = (list(map(np.asarray, jax.tree.leaves(x))) for x in (a, b))
            same = bits(left) == bits(right)
            found.append("" if same else f"{what}, filling {number}: {right}, should be {left}")
    report_calls(found)


@pytest.mark.long  # what TensorFlow says of itself changes with TensorFlow, not with us
@each("jit_compile")
def test_jit_compile(case: Case, record_property):
    state, _, why = case.xla.partition(": ")
    compiled = tensorflow_side.graph(case.program, jit_compile=True)
    if state == "differs":
        record_property(VERDICT, f"differs: TensorFlow's XLA {case.xla}")
    if state == "unsupported":
        with pytest.raises((tf.errors.OpError, ValueError, TypeError)) as raised:
            compiled(*case.calls()[0])
        found = tensorflow_side.refusal(raised.value)
        assert found.startswith(why)
        record_property(VERDICT, f"differs: TensorFlow's XLA unsupported: {found}")
        return
    got, want = compiled(*case.calls()[0]), runs.tensorflow_eager(case)[0]
    different = differences(got, want, case.tolerance, Dtypes.SAME)
    if state == "differs":
        assert different, f"nothing differs, although: {case.xla}"
    else:
        assert not different, different
