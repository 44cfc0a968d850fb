"""Names that shims does not have say what to write in their place."""

import pytest

import shims
from shims._src.facade import missing

NAMES = {
    "math.special.bessel_j0": "scipy.special",
    "signal.fftnd": "jnp.fft.fftn",
    "nn.approx_min_k": "approx_max_k",
    "nn.fixed_unigram_candidate_sampler": "sampled_values",
    "random.learned_unigram_candidate_sampler": "sampled_values",
    "nn.fractional_max_pool": "avg_pool",
    "quantization.quantize": "quantize_and_dequantize_v2",
    "ragged.cross": "ragged.cross_hashed",
    "linalg.experimental": "sparse.linalg.cg",
    "image.decode_webp": "keep using TensorFlow",
    "experimental.ExtensionType": "registered dataclasses",
    "experimental.numpy.no_such_name": "jax.numpy",
    "saved_model.experimental": "saved_model.save",
    "summary.graph": "make_jaxpr",
    "summary.experimental.write_raw_pb": "summary.write",
    "load_op_library": "jax.ffi",
    "distribute.ParameterServerStrategy": "jax.sharding",
    "train.CheckpointOptions": "without such options",
    "train.Coordinator": "shims.compat.v1.train.Coordinator",
    "train.ClusterSpec": "jax.sharding",
    "queue": "queue.Queue",
    "autograph.trace": "delete it",
    "test.compute_gradient": "numpy.testing",
    "conv": "nn.convolution",
}


@pytest.mark.parametrize("name", NAMES)
def test_what_to_write_is_named(name):
    *parts, last = name.split(".")
    module = shims
    for part in parts:
        module = getattr(module, part)
    assert not hasattr(module, last)
    with pytest.raises(AttributeError) as raised:
        getattr(module, last)
    head, _, do = str(raised.value).partition("\n  Do:       ")
    assert head == f"module {'.'.join(['shims', *parts])!r} has no attribute {last!r}."
    assert NAMES[name] in do


@pytest.mark.parametrize("module", [shims, shims.nn, shims.math.special])
def test_of_a_typing_error_nothing_is_said(module):
    name = "reduce_summ"
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'$"):
        getattr(module, name)
    assert not hasattr(module, "__wrapped__")


def test_what_is_there_needs_no_replacement():
    named = {n for names, _ in missing._INSTEAD for n in names}
    assert {n for n in named if _found(n.rstrip("._$"))} <= {
        "quantization.",
        "debugging.",
        "config.",
        "data.",
        "distribute.",
        "experimental.",
        "experimental.numpy.",
        "summary.",
        "summary.experimental.",
        "test.",
        "io.",
        "profiler.",
        "saved_model.",
        "version.",
    }


def _found(name):
    module = shims
    for part in name.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True
