"""Nothing of the converter is loaded before the first conversion."""

import subprocess
import sys

PROGRAM = """
import sys, warnings
warnings.simplefilter("error")
import shims._src.autograph as autograph
f = autograph.convert(lambda x: x if x > 0 else -x)
autograph.do_not_convert(f)
print([name for name in ("malt", "tensorflow") if name in sys.modules])
f(1.0)
print([name for name in ("malt", "tensorflow") if name in sys.modules])
"""


def test_malt_is_loaded_by_the_first_conversion(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout.splitlines() == ["[]", "['malt']"]
    assert done.stderr == ""


def environment():
    """This process's environment, with the path that found `shims`."""
    import os
    import pathlib

    import shims

    root = pathlib.Path(shims.__file__).parent.parent
    return {**os.environ, "PYTHONPATH": str(root)}
