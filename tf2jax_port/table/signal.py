"""Define the table rows of `tf.signal`."""

from __future__ import annotations

from tf2jax_port.table.families import native, shim
from tf2jax_port.table.inputs import INF, NAN, Draw, Values, draw, draw_ints, empty, f32, i32
from tf2jax_port.table.row import Case, Row, case

_COMPLEX = Values(((1 + 2j, 0j, -1 - 1j, 2.5 + 0j), (0.5j, 3 + 0j, 1 - 1j, -2 + 1j)), "complex64")
_EMPTY = Draw((2, 0), "complex64")
# The number of rows may be symbolic, the size of the transformed axis may not.
_ROWS = (("input", 0),)
_REAL_ROWS = (("input_tensor", 0),)
_LENGTH = "input_tensor, fft_length=None, name=None"


def _fft(name: str, expression: str, count: int) -> Row:
    """Build the table row of a complex Fourier transform over the last `count` axes."""
    three = Values(tuple(_COMPLEX.values for _ in range(2)), "complex64")
    full = three if count == 3 else _COMPLEX
    pad = {1: _ROWS, 2: (), 3: ()}[count]
    return native(
        f"signal.{name}",
        "input, name=None",
        expression,
        own="signal.fourier",
        tensors=("input",),
        inputs=(
            case("rows", input=full, pad=pad),
            case("more", input=three, pad=_ROWS if count < 3 else ()),
            case("empty", input=Draw((1,) * (count - 1) + (0,), "complex64")),
            case("float32", raises="InvalidArgumentError", input=draw(2, 2, 2)),
        ),
        note="JAX rejects empty arrays, and also accepts real numbers",
        tolerance=5e-6,
        takes="complex",
    )


def _rfft(name: str, shape: tuple[int, ...], length: list[int]) -> Row:
    """Build the table row of a real Fourier transform over the last axes."""
    pad = _REAL_ROWS if len(shape) > len(length) else ()
    return shim(
        f"signal.{name}",
        _LENGTH,
        "signal.fourier",
        tensors=("input_tensor",),
        inputs=(
            case("all", input_tensor=draw(*shape), pad=pad, gradient=()),
            case("cut", input_tensor=draw(*shape), fft_length=length, pad=pad, gradient=()),
            case(
                "filled",
                input_tensor=draw(*shape),
                fft_length=[n + 5 for n in length],
                pad=pad,
                gradient=(),
            ),
        ),
        tolerance=5e-6,
        takes="float32 float64",
    )


def _irfft(name: str, shape: tuple[int, ...], length: list[int]) -> Row:
    """Build the table row of an inverse real Fourier transform."""
    number = 0.5 + 0.25j
    values: object = tuple(number * k for k in range(1, shape[-1] + 1))
    for size in shape[-2::-1]:
        values = tuple(values for _ in range(size))
    spectrum = Values(values, "complex64")
    pad = _REAL_ROWS if len(shape) > len(length) else ()
    return shim(
        f"signal.{name}",
        _LENGTH,
        "signal.fourier",
        tensors=("input_tensor",),
        inputs=(
            case("all", input_tensor=spectrum, pad=pad),
            case("odd", input_tensor=spectrum, fft_length=length, pad=pad),
            case("filled", input_tensor=spectrum, fft_length=[n + 4 for n in length], pad=pad),
        ),
        tolerance=5e-6,
        takes="complex",
    )


def _shift(name: str) -> Row:
    """Build the table row of `fftshift` or `ifftshift`."""
    return native(
        f"signal.{name}",
        "x, axes=None, name=None",
        f"jnp.fft.{name}({{x}}, axes={{axes}})",
        own="signal.fourier",
        optional=("axes",),
        tensors=("x",),
        inputs=(
            case("all", x=draw(3, 5)),
            case("axis", x=draw(3, 4), axes=1),
            case("axes", x=draw_ints(2, 3, 4), axes=[0, -1]),
            case("empty", x=empty(0, 2)),
        ),
    )


def _window(name: str, params: str, *cases: Case) -> Row:
    """Build the table row of a window function such as `tf.signal.hann_window`."""
    return shim(
        f"signal.{name}",
        f"window_length, {params}dtype=tf.float32, name=None",
        "signal.window_functions",
        inputs=(
            case("one", window_length=1),
            case("odd", window_length=5),
            case("even", window_length=6),
            case("float64", window_length=4, dtype="float64"),
            case("int32", raises="ValueError", window_length=4, dtype="int32"),
            *cases,
        ),
        tolerance=2e-6,
    )


_NOTHING = case("nothing", window_length=0)
_TYPES = (
    *(case(f"type{t}", input=draw(2, 6), type=t, pad=_ROWS) for t in (2, 1, 3, 4)),
    *(case(f"type{t}-ortho", input=draw(2, 6), type=t, norm="ortho", pad=_ROWS) for t in (2, 3, 4)),
    case("cut", input=draw(2, 6), n=4, pad=_ROWS),
    case("filled", input=draw(2, 6), n=8, pad=_ROWS),
    case("type1-ortho", raises="ValueError", input=draw(6), type=1, norm="ortho"),
    case("type5", raises="ValueError", input=draw(6), type=5),
    case("axis", raises="NotImplementedError", input=draw(6), axis=0),
    case("one", raises="ValueError", input=draw(1), type=1),
)
_SIGNALS = draw(2, 20)
_FRAMES = "signals, frame_length, frame_step, fft_length=None, "
_STFTS = Values(
    tuple(tuple((0.5 + 0.25j) * (k + j) for k in range(5)) for j in range(3)), "complex64"
)

ROWS: tuple[Row, ...] = (
    _fft("fft", "jnp.fft.fft({input})", 1),
    _fft("ifft", "jnp.fft.ifft({input})", 1),
    _fft("fft2d", "jnp.fft.fft2({input})", 2),
    _fft("ifft2d", "jnp.fft.ifft2({input})", 2),
    _fft("fft3d", "jnp.fft.fftn({input}, axes=(-3, -2, -1))", 3),
    _fft("ifft3d", "jnp.fft.ifftn({input}, axes=(-3, -2, -1))", 3),
    _rfft("rfft", (3, 6), [4]),
    _rfft("rfft2d", (2, 3, 6), [2, 4]),
    _rfft("rfft3d", (2, 3, 4), [1, 2, 3]),
    _irfft("irfft", (2, 4), [5]),
    _irfft("irfft2d", (2, 3, 4), [2, 5]),
    _irfft("irfft3d", (2, 3, 4), [1, 2, 5]),
    _shift("fftshift"),
    _shift("ifftshift"),
    shim(
        "signal.frame",
        "signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None",
        "signal.framing",
        tensors=("signal",),
        inputs=(
            case("vector", signal=draw(9), frame_length=4, frame_step=2),
            case("rows", signal=draw(2, 6), frame_length=3, frame_step=2, pad=(("signal", 1),)),
            case(
                "padded",
                signal=f32([1, NAN, 3, INF, 5, 6, 7]),
                frame_length=4,
                frame_step=3,
                pad_end=True,
                pad_value=9,
            ),
            case("gaps", signal=i32([1, 2, 3, 4, 5, 6, 7]), frame_length=2, frame_step=3),
            case("axis0", signal=draw(5, 2), frame_length=2, frame_step=1, axis=0),
            case(
                "axis0-padded",
                signal=draw(5, 2),
                frame_length=3,
                frame_step=2,
                pad_end=True,
                axis=0,
            ),
            case("too-short", signal=draw(3), frame_length=5, frame_step=2),
            case("empty", signal=empty(2, 0), frame_length=2, frame_step=1),
        ),
    ),
    shim(
        "signal.overlap_and_add",
        "signal, frame_step, name=None",
        "signal.framing",
        tensors=("signal",),
        inputs=(
            case("overlap", signal=draw(3, 4), frame_step=2),
            case("apart", signal=draw(3, 4), frame_step=5),
            case("uneven", signal=draw(2, 3, 4), frame_step=3, pad=(("signal", 1),)),
            case("int32", signal=draw_ints(3, 4), frame_step=1),
            case("empty", signal=empty(0, 4), frame_step=2),
            case("vector", raises="ValueError", signal=draw(4), frame_step=2),
        ),
        takes="number",
    ),
    _window(
        "hann_window", "periodic=True, ", _NOTHING, case("still", window_length=4, periodic=False)
    ),
    _window(
        "hamming_window",
        "periodic=True, ",
        _NOTHING,
        case("still", window_length=4, periodic=False),
    ),
    _window("kaiser_window", "beta=12.0, ", case("beta", window_length=5, beta=3.0)),
    _window("kaiser_bessel_derived_window", "beta=12.0, ", case("beta", window_length=6, beta=3.0)),
    _window("vorbis_window", "", _NOTHING),
    shim(
        "signal.stft",
        f"{_FRAMES}window_fn=tf.signal.hann_window, pad_end=False, name=None",
        "signal.short_time",
        tensors=("signals",),
        inputs=(
            case(
                "rows",
                signals=_SIGNALS,
                frame_length=8,
                frame_step=4,
                pad=(("signals", 1),),
                gradient=(),
            ),
            case("uneven", signals=draw(20), frame_length=6, frame_step=4, gradient=()),
            case(
                "padded",
                signals=draw(20),
                frame_length=8,
                frame_step=4,
                fft_length=10,
                pad_end=True,
                gradient=(),
            ),
            case(
                "cut",
                signals=draw(20),
                frame_length=8,
                frame_step=4,
                fft_length=6,
                window_fn=None,
                gradient=(),
            ),
        ),
        tolerance=5e-6,
        takes="float32 float64",
    ),
    shim(
        "signal.inverse_stft",
        "stfts, frame_length, frame_step, fft_length=None, window_fn=tf.signal.hann_window, name=None",
        "signal.short_time",
        tensors=("stfts",),
        inputs=(
            case("frames", stfts=_STFTS, frame_length=8, frame_step=4),
            case("shorter", stfts=_STFTS, frame_length=6, frame_step=4, fft_length=8),
            case("longer", stfts=_STFTS, frame_length=10, frame_step=4, fft_length=8),
            case("bare", stfts=_STFTS, frame_length=8, frame_step=3, window_fn=None),
        ),
        tolerance=5e-6,
        takes="complex",
    ),
    shim(
        "signal.inverse_stft_window_fn",
        "frame_step, forward_window_fn=tf.signal.hann_window, name=None",
        "signal.short_time",
        tests="tests/signal",
        gives="a function of sizes",
    ),
    *(
        shim(
            f"signal.{name}",
            "input, type=2, n=None, axis=-1, norm=None, name=None",
            "signal.cosine_transforms",
            tensors=("input",),
            inputs=_TYPES,
            tolerance=1e-5,
            takes="float32 float64",
        )
        for name in ("dct", "idct")
    ),
    shim(
        "signal.mdct",
        "signals, frame_length, window_fn=tf.signal.vorbis_window, pad_end=False, norm=None, name=None",
        "signal.cosine_transforms",
        tensors=("signals",),
        inputs=(
            case("rows", signals=_SIGNALS, frame_length=8, pad=(("signals", 1),)),
            case("padded", signals=draw(18), frame_length=8, pad_end=True, norm="ortho"),
            case("bare", signals=draw(16), frame_length=8, window_fn=None),
            case("six", raises="ValueError", signals=draw(18), frame_length=6),
        ),
        tolerance=1e-5,
        takes="float32 float64",
    ),
    shim(
        "signal.inverse_mdct",
        "mdcts, window_fn=tf.signal.vorbis_window, norm=None, name=None",
        "signal.cosine_transforms",
        tensors=("mdcts",),
        inputs=(
            case("frames", mdcts=draw(3, 4)),
            case("ortho", mdcts=draw(2, 3, 4), norm="ortho"),
            case("bare", mdcts=draw(3, 4), window_fn=None),
        ),
        tolerance=1e-5,
        takes="float32 float64",
    ),
    shim(
        "signal.linear_to_mel_weight_matrix",
        "num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0, "
        "upper_edge_hertz=3800.0, dtype=tf.float32, name=None",
        "signal.mel",
        inputs=(
            case("few", num_mel_bins=5, num_spectrogram_bins=9),
            case(
                "wide",
                num_mel_bins=8,
                num_spectrogram_bins=33,
                sample_rate=16000,
                lower_edge_hertz=80.0,
                upper_edge_hertz=7600.0,
            ),
            case("float64", num_mel_bins=5, num_spectrogram_bins=9, dtype="float64"),
            case("no-bands", raises="ValueError", num_mel_bins=0),
            case("no-rate", raises="ValueError", sample_rate=0),
            case("below", raises="ValueError", lower_edge_hertz=-1.0),
            case("crossed", raises="ValueError", lower_edge_hertz=500.0, upper_edge_hertz=400.0),
            case("above", raises="ValueError", upper_edge_hertz=5000.0),
        ),
        tolerance=1e-5,
    ),
    shim(
        "signal.mfccs_from_log_mel_spectrograms",
        "log_mel_spectrograms, name=None",
        "signal.mel",
        tensors=("log_mel_spectrograms",),
        inputs=(
            case("rows", log_mel_spectrograms=draw(3, 5), pad=(("log_mel_spectrograms", 0),)),
            case("vector", log_mel_spectrograms=draw(6), pad=()),
            case("nothing", raises="ValueError", log_mel_spectrograms=empty(2, 0)),
        ),
        tolerance=5e-6,
        takes="float32 float64",
    ),
)
