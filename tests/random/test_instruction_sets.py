"""What is promised to the bit holds for every instruction set of this processor, and of TensorFlow's.

XLA is told which instructions it may use. The processor itself decides which ones TensorFlow and the C
library take; oneDNN, which computes some of TensorFlow's operators, is on or off.
"""

import os
import pathlib
import subprocess
import sys

import pytest

# XLA's names, and what /proc/cpuinfo must name for each.
INSTRUCTION_SETS = {
    "SSE4_2": {"sse4_2"},
    "AVX": {"avx"},
    "AVX2": {"avx2", "fma"},
    "AVX512": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "AVX512_VNNI": {"avx512_vnni"},
    "AVX512_BF16": {"avx512_bf16"},
    "AMX": {"amx_bf16", "amx_int8"},
    "AMX_FP16": {"amx_fp16"},
}
# Tests that compare bits with TensorFlow's, the C library's or NumPy's.
PROMISES = (
    "tests/random/test_bits.py",
    "tests/random/test_generator.py",
    "tests/random/test_initializers_of_version_1.py",
    "tests/random/test_libm.py",
    "tests/numeric/test_exact_quotients.py",
    "tests/numeric/test_separate_rounding.py",
)
_ROOT = pathlib.Path(__file__).parents[2]


def _found() -> list[str]:
    """The instruction sets of this machine; none where Linux does not say."""
    path = pathlib.Path("/proc/cpuinfo")
    text = path.read_text() if path.exists() else ""
    line = next((x for x in text.splitlines() if x.startswith("flags")), "")
    return [name for name, needed in INSTRUCTION_SETS.items() if needed <= set(line.split())]


def _check_promises(*options, **environment) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "", *options, *PROMISES]
    environment = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "0", **environment}
    done = subprocess.run(
        command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.long
@pytest.mark.parametrize("name", _found())
def test_instructions_of_xla(name):
    # Without F16C this XLA cannot compile float16 at all: it misses a symbol. Initializers use it.
    options = ["-k", "not float16 and not initializers"] if name == "SSE4_2" else []
    _check_promises(*options, XLA_FLAGS=f"--xla_cpu_max_isa={name}")


@pytest.mark.long
@pytest.mark.parametrize("is_on", ["0", "1"])
def test_onednn_of_tensorflow(is_on):
    _check_promises(TF_ENABLE_ONEDNN_OPTS=is_on)
