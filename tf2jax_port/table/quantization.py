"""Define the table rows of `tf.quantization`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, empty, f32
from tf2jax_port.table.row import Case, Row, case, case_of

_EDGES = (-7, -6, -5.99, -0.02, 0, 0.013, 0.5, 2.51, 6, 6.1, INF, -INF)
_ROWS = f32([[-7, -1, 0], [0.5, 0.013, 3], [6, 2.5, 1]])
_LOWS, _HIGHS = f32([-6, -1, 0]), f32([6, 2, 1])
_BITS = "num_bits=8, narrow_range=False, name=None"

_TIE = "differs: a zero point at a tie is rounded to the other side"
_NAN_IS_LOW = "differs: NaN becomes the smallest number"
_NO_RANGE = "differs: NaN for an empty range, and 0 for the upper end of a crossed range"
_NO_FLOW = "differs: the gradient with respect to an empty range is 0"
# Differences of XLA, by row and case.
_XLA = {
    "vars": {
        "edges": _TIE,
        "nan": _NAN_IS_LOW,
        "nothing": _NO_RANGE,
        "crossed": _NO_RANGE,
    },
    "vars_gradient": {"edges": _TIE, "nothing": _NO_FLOW},
    "vars_per_channel": {"channels": _TIE, "few-bits": _TIE, "empty-ranges": _NO_RANGE},
    "vars_per_channel_gradient": {"channels": _TIE, "few-bits": _TIE, "empty-ranges": _NO_FLOW},
}


def _make_arguments(*values: float, backward: bool) -> dict[str, object]:
    """Return the arrays to quantize; with `backward`, also the incoming gradients."""
    upstream = {"gradients": f32([1.0 + i for i in range(len(values))])} if backward else {}
    return {**upstream, "inputs": f32(values)}


def _make_cases(of: str, *, backward: bool) -> tuple[Case, ...]:
    """Build the test cases with a fixed range, with a range as arrays, or with a range per channel."""
    if of == "vars_per_channel":
        lows, highs = f32([0, -1, 2]), f32([0, 2, 1])
        before = {"gradients": f32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])} if backward else {}
        given: dict[str, object] = {**before, "inputs": _ROWS}
        cases = (
            case_of("channels", {**given, "min": _LOWS, "max": _HIGHS}),
            case_of("few-bits", {**given, "min": _LOWS, "max": _HIGHS, "num_bits": 3}),
            case_of("uneven", {**given, "min": f32([-5, -1, 0]), "max": _HIGHS}),
            case_of("empty-ranges", {**given, "min": lows, "max": highs}),
            case_of(
                "sizes",
                {**given, "min": f32([-6, -1]), "max": f32([6, 2])},
                raises="InvalidArgumentError",
            ),
        )
        return tuple(_by_rows(c, (*before, "inputs")) for c in cases)
    number = f32 if of == "vars" else float
    given = _make_arguments(*_EDGES, backward=backward)
    more: tuple[Case, ...] = ()
    if of == "vars":
        more = (
            case_of("nothing", {**given, "min": f32(0.0), "max": f32(0.0)}),
            case_of("crossed", {**given, "min": f32(2.0), "max": f32(1.0)}),
        )
    else:
        more = (
            case_of("crossed", {**given, "min": 2.0, "max": 1.0}, raises="InvalidArgumentError"),
        )
    ranges = {"min": number(-6.0), "max": number(6.0)}
    return (
        case_of("edges", {**given, **ranges}),
        case_of("nan", {**_make_arguments(NAN, 0.5, backward=backward), **ranges}),
        case_of("narrow", {**given, **ranges, "num_bits": 4, "narrow_range": True}),
        case_of("uneven", {**given, "min": number(-1.0), "max": number(2.0)}),
        case_of("positive", {**given, "min": number(0.1), "max": number(2.0)}),
        case_of("negative", {**given, "min": number(-3.0), "max": number(-1.0)}),
        case_of("one-bit", {**given, **ranges, "num_bits": 1}, raises="InvalidArgumentError"),
        *more,
    )


def _fake_quantization(of: str, ends: str, takes: str) -> tuple[Row, Row]:
    """Build the table rows of a fake quantization and its gradient."""
    name = f"quantization.fake_quant_with_min_max_{of}"
    return (
        shim(
            name,
            f"inputs, {ends}, {_BITS}",
            "quantization.fake_quantization",
            inputs=_add_xla_notes(of, _make_cases(of, backward=False)),
            takes=f"{takes}: float32",
        ),
        shim(
            f"{name}_gradient",
            f"gradients, inputs, {ends}, {_BITS}",
            "quantization.fake_quantization",
            inputs=_add_xla_notes(
                f"{of}_gradient", map(_without_gradient, _make_cases(of, backward=True))
            ),
            takes=f"gradients {takes}: float32",
        ),
    )


def _add_xla_notes(of: str, cases: Iterable[Case]) -> tuple[Case, ...]:
    """Return the test cases with notes on how TensorFlow's XLA differs."""
    notes = _XLA.get(of, {})
    return tuple(dataclasses.replace(c, xla=notes.get(c.id, "")) for c in cases)


def _without_gradient(case: Case) -> Case:
    """Return a test case without derivatives, for operators that are gradients themselves."""
    return dataclasses.replace(case, gradient=())


def _by_rows(case: Case, arrays: tuple[str, ...]) -> Case:
    """Return a test case in which the padding tests pad only rows, since channels are static."""
    return dataclasses.replace(case, pad=tuple((name, 0) for name in arrays))


_QUANTIZE = (
    "input, input_min, input_max, signed_input=True, num_bits=8, range_given=False, "
    "round_mode='HALF_TO_EVEN', name=None, narrow_range=False, axis=None"
)
_NUMBERS = f32([-7, -1.5, -0.02, 0, 0.013, 0.5, 2.51, 6])
_RANGE: dict[str, object] = {"input": _NUMBERS, "input_min": f32(-1.0), "input_max": f32(2.0)}
_CASES = (
    case_of("own-range", _RANGE),
    case_of("given", {**_RANGE, "range_given": True}),
    case_of("low-decides", {**_RANGE, "input_min": f32(-4.0), "range_given": True}),
    case_of("unsigned", {**_RANGE, "signed_input": False, "range_given": True}),
    case_of("few-bits", {**_RANGE, "num_bits": 3, "narrow_range": True, "range_given": True}),
    case_of("half-up", {**_RANGE, "round_mode": "HALF_UP"}),
    case(
        "nan",
        xla=_NAN_IS_LOW,
        input=f32([NAN, 1, 2]),
        input_min=f32(-1.0),
        input_max=f32(2.0),
        range_given=True,
    ),
    case_of(
        "rows",
        {"input": _ROWS, "input_min": f32([-1, -2, -3]), "input_max": f32([1, 2, 3]), "axis": 0},
    ),
    case_of("empty", {**_RANGE, "input": empty(0)}),
    case_of(
        "crossed",
        {**_RANGE, "input_min": f32(3.0), "range_given": True},
        raises="InvalidArgumentError",
    ),
)

ROWS: tuple[Row, ...] = (
    *_fake_quantization("args", "min=-6, max=6", "inputs"),
    *_fake_quantization("vars", "min, max", "inputs min max"),
    *_fake_quantization("vars_per_channel", "min, max", "inputs min max"),
    *(
        shim(
            f"quantization.{name}",
            _QUANTIZE,
            "quantization.quantization",
            tensors=("input", "input_min", "input_max"),
            inputs=_CASES,
            takes="float32 float64",
        )
        for name in ("quantize_and_dequantize", "quantize_and_dequantize_v2")
    ),
)
