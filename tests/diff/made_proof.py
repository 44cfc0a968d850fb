"""A proof with a function of each status, without running anything."""

import numpy as np

from tf2jax_port.diff.code_bases.call_file import Call, Calls
from tf2jax_port.diff.code_bases.encoding import encode
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.code_bases.replay import LANES
from tf2jax_port.diff.proofs.judging import judged

MODULE = "package.module"
SOURCE = """\
def leaf(x):
    if x > 1:
        return x * 2
    return x

def outer(x):
    return leaf(x)

def raises(x):
    # TJ301: to be written
    return tf.foo(x)

def limited(x):
    return x

def proved(x):
    return x

def unfit(x):
    return x

def idle(x):
    return x

def plain(n):
    return n
"""


def write_root(folder):
    """Write the port, and return its folder."""
    (folder / "package" / "tests").mkdir(parents=True)
    (folder / "package" / "__init__.py").touch()
    (folder / "package" / "module.py").write_text(SOURCE)
    (folder / "package" / "tests" / "module_test.py").write_text("def test():\n    pass\n")
    return folder


def call(name, number=1.0, unfit=""):
    arrays = []
    node = encode([[np.float32(number)], {}], arrays)
    node["items"][0]["items"][0]["array"] = 0
    arguments = {} if unfit else {"call": node}
    return Call(MODULE, name, arguments, encode(None, []), unfit)


def calls_of(*names, edges=()):
    found = tuple(call(name, unfit="<text>" if name == "unfit" else "") for name in names)
    pairs = frozenset(((MODULE, one), (MODULE, other)) for one, other in edges)
    return Calls(found, (np.float32(1),), ("package",), pairs, frozenset({(MODULE, "plain")}))


def lanes_of(index, outcome, detail="", place="", lines=()):
    reached = {"package/module.py": {"lines": list(lines), "branches": []}}
    eager = Replayed(outcome, detail, place, reached)
    return {
        (index, lane): eager if lane == "eager" else eager._replace(reached=None) for lane in LANES
    }


def made_proof(root):
    """The proof of a port with a function of each status."""
    calls = calls_of(
        *("leaf", "leaf", "outer", "raises", "limited", "proved", "unfit"),
        edges=[("outer", "leaf"), ("proved", "limited")],
    )
    results = {
        **lanes_of(0, Outcome.EQUAL, lines=[2, 4]),
        **lanes_of(1, Outcome.DIFFERENT, "value 0: 1 became <2>", lines=[2, 3]),
        **lanes_of(2, Outcome.DIFFERENT, "value 0", lines=[7]),
        **lanes_of(3, Outcome.EQUAL, lines=[11]),
        (3, "jit"): Replayed(Outcome.ERROR, "NameError: tf", "package/module.py:11"),
        **lanes_of(4, Outcome.EQUAL, "with 64 bits"),
        **lanes_of(5, Outcome.EQUAL, lines=[17]),
    }
    return judged(calls, results, root)
