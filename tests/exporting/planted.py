"""Convert a program, plant a fault into the module, and print which checks of the proof still hold."""

import json
import pathlib
import sys

from shims.compat import v1
from tf2jax_port.exporting import inputs, proof, running, writing

STEPS, TOLERANCE = 5, 1e-4


def main(program: str, old: str, new: str) -> None:
    """Replace `old`, which is there once, by `new`, and compare."""
    with v1.Graph().as_default():
        step = running.first_step(program, [])
    found = writing.export(step, running.batch_of(step, inputs.Wanted()), "", inputs.Wanted())
    assert found.text.count(old) == 1, found.text
    found.text = found.text.replace(old, new)
    path = pathlib.Path(program).with_name("module.py")
    writing.save(found, path)
    checks = proof.prove(found, path, STEPS, TOLERANCE)
    held = {name: bool(check["equal"]) for name, check in checks.items()}
    sys.stdout.write(json.dumps(held) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
