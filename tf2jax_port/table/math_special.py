"""Define the table rows of the special functions of `tf.math`."""

from __future__ import annotations

from tf2jax_port.table import standard
from tf2jax_port.table.families import shim, unary
from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32
from tf2jax_port.table.row import Case, Row, case

_SIZES = (case("empty", x=empty(0, 3)), case("scalar", x=f32(0.3)))
_POSITIVE = f32([0.0, NAN, INF, 1, 0.5, 2, 1.5, 2.5, 30, 1e-3, 0.1, 5])


def _special(name: str, module: str, *cases: Case, inner: bool = True, **options: object) -> Row:
    """Build the table row of a special function of one array that `jax.lax` lacks."""
    return shim(
        f"math.special.{name}" if inner else f"math.{name}",
        "x, name=None",
        module,
        tensors=("x",),
        inputs=(*cases, *options.pop("sizes", _SIZES)),  # type: ignore[misc]
        **options,
    )


def _pair(name: str, params: str, *cases: Case, tolerance: float = 1e-5, **options: object) -> Row:
    """Build the table row of a special function of two arrays, with broadcasting."""
    first, second = params.split(", ")
    return shim(
        f"math.{name}",
        f"{params}, name=None",
        "math.incomplete",
        tensors=(first, second),
        inputs=cases,
        tolerance=tolerance,
        **options,
    )


_CANCELLED = "differs: only three digits are exact, because `2 x - 1` is rounded first"


def _gamma_cases(xla: str) -> tuple[Case, ...]:
    """Build the test cases of the incomplete gamma functions; `xla` is the note on boundary values."""
    return (
        case("normal", a=draw(5, low=0.5, high=4.0), x=draw(5, low=0.1, high=6.0), gradient=("x",)),
        case("slopes", a=f32([0.5, 1, 2, 5, 30]), x=f32([0.1, 2, 1, 7, 20])),
        case("broadcast", a=f32([[1], [2]]), x=f32([2, 3]), gradient=("x",)),
        case("edges", gradient=(), a=f32([1, 1, 2, NAN]), x=f32([0, INF, NAN, 1])),
        case(
            "border",
            xla=xla,
            gradient=(),
            a=f32([0, 0, 0, INF, 1, -1]),
            x=f32([0, 1, INF, 1, -1, 1]),
        ),
        case("empty", a=empty(0), x=empty(0), gradient=()),
    )


ROWS: tuple[Row, ...] = (
    _special(
        "ndtri",
        "elementwise.named_integrals",
        *standard.of_floats("x", (0, 1, 0.5, NAN, -1, 2))[:2],
        case("tail", xla=_CANCELLED, x=f32([1e-6])),
        inner=False,
        tolerance=2e-6,
        takes="float32 float64",
    ),
    _special(
        "erfcinv",
        "elementwise.named_integrals",
        case("normal", x=draw(6, low=0.1, high=1.9)),
        case("edges", x=f32([0, 1, 2, 1.999, -0.1, 2.1, NAN])),
        case("tail", xla=_CANCELLED, x=f32([1e-6])),
        inner=False,
        tolerance=2e-6,
        takes="float32 float64",
    ),
    _special(
        "lbeta",
        "math.incomplete",
        case("rows", x=draw(3, 4, low=0.1, high=3.0)),
        case("edges", x=f32([[0, 1, INF], [NAN, 1, 2]])),
        case("nothing", x=empty(2, 0)),
        case("scalar", raises="InvalidArgumentError", x=f32(2.0)),
        sizes=(),
        inner=False,
        takes="floating -bfloat16",
    ),
    _pair(
        "igamma",
        "a, x",
        *_gamma_cases("differs: NaN at (0, 0) and at an infinite `a`"),
        takes="float32 float64",
    ),
    _pair(
        "igammac",
        "a, x",
        *_gamma_cases("differs: 1 outside the domain, NaN at an infinite `a`"),
        takes="float32 float64",
    ),
    shim(
        "math.betainc",
        "a, b, x, name=None",
        "math.incomplete",
        tensors=("a", "b", "x"),
        inputs=(
            case(
                "normal",
                a=f32([0.5, 1, 2, 5, 30]),
                b=f32([0.5, 2, 1, 7, 20]),
                x=f32([0.1, 0.2, 0.3, 0.7, 0.6]),
            ),
            case("scalars", a=f32([1, 2]), b=f32(2.0), x=f32([0.5, 0.3])),
            case(
                "edges",
                gradient=(),
                a=f32([0, -1, NAN, 1, 1, 1, 1, 2]),
                b=f32([1, 1, 1, 1, 1, 1, 0, 2]),
                x=f32([0.5, 0.5, 0.5, 0, 1, 2, 0.5, -0.1]),
            ),
            case(
                "huge",
                gradient=(),
                a=f32([1e30]),
                b=f32([1e30]),
                x=f32([0.5]),
            ),
            case("empty", a=empty(0), b=empty(0), x=empty(0)),
            case(
                "shapes",
                raises="InvalidArgumentError",
                a=f32([[1], [2]]),
                b=f32([2, 3]),
                x=f32([0.1, 0.2]),
            ),
        ),
        note="in float32, few digits are correct above 1e5 in both libraries",
        tolerance=1e-5,
        takes="float32 float64",
    ),
    _pair(
        "zeta",
        "x, q",
        case("normal", x=f32([2, 3, 1.5, 4.5]), q=f32([1, 0.5, 2, 3])),
        case(
            "edges",
            x=f32([2, 3, 4, 2.5, 2, 3, 1, 0.5, INF, NAN, 2]),
            q=f32([0, 0, -1, 0, -0.5, -0.5, 1, 1, 0.5, 1, NAN]),
        ),
        case("infinite", xla="differs: NaN instead of 0", x=f32([2, INF]), q=f32([INF, 2])),
        case("empty", x=empty(0), q=empty(0)),
        takes="float32 float64",
    ),
    _pair(
        "polygamma",
        "a, x",
        case("normal", a=f32([0, 1, 2, 3]), x=f32([1, 0.5, 2, 1.5])),
        case(
            "edges",
            a=f32([1, 2, 0.5, 1, 0, 1, -1, 0, 2, 1, NAN, 0]),
            x=f32([-1.5, -1.5, 1, 0, 0, -1, 1, -1, -2, -INF, 1, INF]),
        ),
        case("infinite", xla="differs: NaN instead of 0", a=f32([1]), x=f32([INF])),
        case("empty", a=empty(0), x=empty(0)),
        takes="float32 float64",
    ),
    unary(
        "math.bessel_i0e",
        "jax.lax.bessel_i0e({x})",
        aliases=("math.special.bessel_i0e",),
        takes="floating -bfloat16",
    ),
    unary(
        "math.bessel_i1e",
        "jax.lax.bessel_i1e({x})",
        aliases=("math.special.bessel_i1e",),
        inputs=(
            *standard.of_floats("x", tuple(e for e in standard.EDGES if e == e)),
            case(
                "nan",
                x=f32([NAN]),
                differs="gradient: the gradient is NaN in TensorFlow and 0.5 in JAX",
            ),
        ),
        note="at NaN, TensorFlow's gradient is NaN and JAX's gradient is 0.5",
        takes="floating -bfloat16",
    ),
    _special(
        "bessel_i0",
        "elementwise.bessel",
        case("normal", x=draw(6, low=-9.0, high=9.0)),
        case("edges", x=f32([0.0, -0.0, NAN, 1, -1, 8, 12, 30])),
        inner=False,
        aliases=("math.special.bessel_i0",),
        xla="unsupported: no kernel",
        takes="floating -bfloat16",
    ),
    _special(
        "bessel_i1",
        "elementwise.bessel",
        case("normal", x=draw(6, low=-9.0, high=9.0)),
        case("edges", x=f32([0.0, -0.0, NAN, 1, -1, 8, 12, 30])),
        inner=False,
        aliases=("math.special.bessel_i1",),
        xla="unsupported: no kernel",
        takes="floating -bfloat16",
    ),
    _special(
        "expint",
        "elementwise.named_integrals",
        case("normal", x=draw(6, low=0.1, high=9.0)),
        case("edges", x=f32([0.0, -0.0, NAN, INF, -1, 30])),
        tolerance=2e-6,
        xla="unsupported: no kernel",
        takes="float32 float64",
    ),
    _special(
        "spence",
        "elementwise.named_integrals",
        case("edges", x=_POSITIVE),
        case("below", x=f32([-1, -INF])),
        xla="unsupported: no kernel",
        takes="float32 float64",
    ),
    _special(
        "dawsn",
        "elementwise.named_integrals",
        *standard.of_floats("x")[:2],
        case("more", x=f32([1e-3, 0.04, 0.06, 3, 9.5, 100, 1e4, -1e6])),
        tolerance=2e-6,
        xla="unsupported: no kernel",
        takes="float32 float64",
    ),
    _special(
        "fresnel_sin",
        "elementwise.named_integrals",
        *standard.of_floats("x")[:2],
        tolerance=2e-6,
        xla="unsupported: no kernel",
        takes="float32 float64",
    ),
    _special(
        "fresnel_cos",
        "elementwise.named_integrals",
        *standard.of_floats("x")[:2],
        tolerance=2e-6,
        xla="unsupported: no kernel",
        takes="float32 float64",
    ),
    shim(
        "math.sobol_sample",
        "dim, num_results, skip=0, dtype=tf.float32, name=None",
        "math.sobol",
        inputs=(
            case("few", dim=3, num_results=5),
            case("skipped", dim=2, num_results=9, skip=6),
            case("float64", dim=2, num_results=3, dtype="float64"),
            case("nowhere", raises="InvalidArgumentError", dim=0, num_results=2),
            case("none", raises="InvalidArgumentError", dim=2, num_results=0),
        ),
    ),
)
