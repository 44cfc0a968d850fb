"""Rows of `tf.quantization`."""

from __future__ import annotations

import dataclasses

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, Descriptor, empty, f32
from tf2jax_port.table.row import Case, Row, case_of

_EDGES = f32([-7, -6, -5.99, -0.02, 0, 0.013, 0.5, 2.51, 6, 6.1, NAN, INF, -INF])
_ROWS = f32([[-7, -1, 0], [0.5, 0.013, 3], [6, 2.5, 1]])
_LOWS, _HIGHS = f32([-6, -1, 0]), f32([6, 2, 1])
_BITS = "num_bits=8, narrow_range=False, name=None"


def _cases(of: str, before: dict[str, Descriptor]) -> tuple[Case, ...]:
    """Cases of a range that is fixed, of one, or of one for each channel; `before` is put first."""
    if of == "vars_per_channel":
        lows, highs = f32([0, -1, 2]), f32([0, 2, 1])
        given = {**before, "inputs": _ROWS}
        cases = (
            case_of("channels", {**given, "min": _LOWS, "max": _HIGHS}),
            case_of("few-bits", {**given, "min": _LOWS, "max": _HIGHS, "num_bits": 3}),
            case_of("empty-ranges", {**given, "min": lows, "max": highs}),
            case_of(
                "sizes",
                {**given, "min": f32([-6, -1]), "max": f32([6, 2])},
                raises="InvalidArgumentError",
            ),
        )
        return tuple(_by_rows(c, (*before, "inputs")) for c in cases)
    number = f32 if of == "vars" else float
    given = {**before, "inputs": _EDGES}
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
        case_of("narrow", {**given, **ranges, "num_bits": 4, "narrow_range": True}),
        case_of("uneven", {**given, "min": number(-1.0), "max": number(2.0)}),
        case_of("positive", {**given, "min": number(0.1), "max": number(2.0)}),
        case_of("negative", {**given, "min": number(-3.0), "max": number(-1.0)}),
        case_of("one-bit", {**given, **ranges, "num_bits": 1}, raises="InvalidArgumentError"),
        *more,
    )


def _fake(of: str, ends: str, takes: str) -> tuple[Row, Row]:
    """The rounding and its gradient."""
    name = f"quantization.fake_quant_with_min_max_{of}"
    upstream = f32([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    if of == "vars_per_channel":
        upstream = f32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    return (
        shim(
            name,
            f"inputs, {ends}, {_BITS}",
            "fake_quantization",
            inputs=_cases(of, {}),
            takes=f"{takes}: float32",
        ),
        shim(
            f"{name}_gradient",
            f"gradients, inputs, {ends}, {_BITS}",
            "fake_quantization",
            inputs=tuple(_plain(c) for c in _cases(of, {"gradients": upstream})),
            takes=f"gradients {takes}: float32",
        ),
    )


def _plain(case: Case) -> Case:
    """The case without derivatives, of which TensorFlow has none."""
    return dataclasses.replace(case, gradient=())


def _by_rows(case: Case, arrays: tuple[str, ...]) -> Case:
    """The case with an unknown number of rows; that of the channels is known."""
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
    case_of("nan", {**_RANGE, "input": f32([NAN, 1, 2]), "range_given": True}),
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
    *_fake("args", "min=-6, max=6", "inputs"),
    *_fake("vars", "min, max", "inputs min max"),
    *_fake("vars_per_channel", "min, max", "inputs min max"),
    *(
        shim(
            f"quantization.{name}",
            _QUANTIZE,
            "quantization",
            tensors=("input", "input_min", "input_max"),
            inputs=_CASES,
            takes="float32 float64",
        )
        for name in ("quantize_and_dequantize", "quantize_and_dequantize_v2")
    ),
)
