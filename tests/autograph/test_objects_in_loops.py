"""Objects of Python that change in a loop over an array: as often as Python runs the body."""

import linecache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

BEGIN = """
import collections, functools, heapq, itertools, types
import jax.numpy as jnp
import numpy as np

class Counter:
    def __init__(self):
        self.n, self.total, self.held = 0, 0.0, []
        self.window = collections.deque(maxlen=2)
    def tick(self):
        self.n += 1
        return self.n
    def add(self, z):
        self.total = self.total + z
        return self.total
    def push(self, z):
        self.held.append(z)
        return sum(self.held)
    def mean(self, z):
        self.window.append(z)
        return sum(self.window) / len(self.window)
    @property
    def following(self):
        return self.tick()
    def __enter__(self):
        self.n += 1
    def __exit__(self, *_):
        pass

def append_to(c, z):
    c.append(z)
    return len(c)

def counting():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count

def cached():
    n = [0]
    @functools.lru_cache
    def first(k):
        n[0] += 1
        return n[0] + k
    return first

def of_its_own(z):
    values = []
    values.append(z)
    values += [2 * z]
    return sum(values)
"""
# What comes before the loop, and what an iteration adds; more lines of the body follow.
CHANGES = {
    "method": ("c = Counter()", "z * c.tick()"),
    "attribute": ("c = Counter()", "c.add(z)"),
    "list of an object": ("c = Counter()", "c.push(z)"),
    "deque of an object": ("c = Counter()", "c.mean(z)"),
    "property": ("c = Counter()", "z * c.following"),
    "context": ("c = Counter()", "z * c.n", "with c:", "    pass"),
    "setattr": ("c = Counter()", "z * c.n", "setattr(c, 'n', c.n + 2)"),
    "namespace": ("c = types.SimpleNamespace(h=[])", "(c.h.append(z), len(c.h))[1] * z"),
    "deque": ("c = collections.deque(maxlen=2)", "(c.append(z), sum(c) / len(c))[1]"),
    "left": ("c = collections.deque(maxlen=2)", "(c.appendleft(z), c[0] * 2 - c[-1])[1]"),
    "set": ("c = set()", "(c.add(len(c)), len(c))[1] * z"),
    "defaultdict": ("c = collections.defaultdict(list)", "(c[len(c)].append(z), len(c))[1] * z"),
    "pop": ("c = [5.0, 4.0, 3.0, 2.0]", "c.pop() * z"),
    "insert": ("c = []", "(c.insert(0, z), c[-1] + c[0])[1]"),
    "extend": ("c = []", "(c.extend([z, z]), len(c))[1] * z"),
    "update": ("c = {}", "(c.update({len(c): z}), len(c))[1] * z"),
    "heap": ("c = [1.0, 2.0, 3.0, 4.0]", "heapq.heappop(c) * z"),
    "next": ("c = iter([1.0, 2.0, 3.0, 4.0])", "next(c) * z"),
    "count": ("c = itertools.count(1)", "next(c) * z"),
    "generator": ("c = (k * 2.0 for k in range(9))", "z * next(c)"),
    "draw": ("c = np.random.RandomState(0)", "c.rand() * z"),
    "array": ("c = np.zeros(3)", "z * c[0]", "c += 1"),
    "nonlocal": ("c = counting()", "z * c()"),
    "cache": ("c = cached()", "z * c(1.0)"),
    "item": ("c = {'n': 1}", "z * c['n']", "c['n'] = c['n'] + 1"),
    "argument": ("c = []", "append_to(c, z) * z"),
    "other name": ("c = []; e = c", "(e.append(z), len(c))[1] * z"),
    "other name, in place": ("c = [1.0]; e = c", "z * len(c)", "e += [z]"),
    "other name, append": ("c = [1.0]; e = c", "z * len(c)", "e.append(z)"),
    "other name, item": ("c = {'n': 1.0}; e = c", "z * c['n']", "e['n'] = z"),
    "other name, attribute": ("c = Counter(); e = c", "z * c.n", "e.n = c.n + 1"),
    "other name, of an attribute": ("c = Counter(); e = c.held", "z * len(c.held)", "e.append(z)"),
    "nothing": ("c = None", "of_its_own(z)"),
    "if": ("c = []", "z", "if z > 1.5:", "    c.append(z)"),
}
LOOPS = {
    "selection": "for z in x[x > 0]:",
    "array": "for z in x:",
    "enumerate": "for i, z in enumerate(x[x > 0]):",
    "enumerate array": "for i, z in enumerate(x):",
    "zip": "for y, z in zip(x[x > 0], x[x > 0]):",
    "range": "s = x[x > 0]\n    for i in range(s.shape[0]):\n        z = s[i]",
    "rows": "for z in jnp.stack([x, x], 1)[x > 0, 0]:",
}
DATA = np.array([3.0, -1.0, 1.0, 2.0], np.float32)


def written(before, added, *more, loop):
    body = "".join(f"        {line}\n" for line in more)
    text = f"{BEGIN}\ndef f(x):\n    {before}\n    t = 0.0\n    {loop}\n        t = t + {added}\n{body}"
    return text + "    return t\n"


def program(text):
    """The function `f` of a text, which autograph finds."""
    name = f"<program {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": "written_program"}
    exec(compile(text, name, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_objects_change_once_for_each_item(change, loop):
    f = program(written(*CHANGES[change], loop=LOOPS[loop]))
    x = jnp.asarray(DATA)
    wanted = f(x)
    np.testing.assert_allclose(shims.function(f)(x), wanted, rtol=1e-6)
    np.testing.assert_allclose(jax.jit(shims.function(f))(x), wanted, rtol=1e-6)


@pytest.mark.parametrize("change", ["nothing", "item", "array", "method"])
def test_a_loop_that_changes_nothing_else_is_staged(change):
    f = program(written(*CHANGES[change], loop=LOOPS["array"]))
    text = str(jax.make_jaxpr(shims.function(f))(jnp.ones(40)))
    assert ("scan" in text) == (change != "method")


def test_a_text_that_is_printed_does_not_unroll_a_loop(capsys):
    f = program(written("c = None", "z", "print('traced')", loop=LOOPS["array"]))
    assert "scan" in str(jax.make_jaxpr(shims.function(f))(jnp.ones(40)))
    assert capsys.readouterr().out.count("traced") < 5


def test_many_iterations_are_not_unrolled():
    f = program(written(*CHANGES["method"], loop=LOOPS["array"]))
    with pytest.raises(shims.errors.UnimplementedError, match="5000 iterations") as raised:
        shims.function(f)(jnp.ones(5000))
    assert "a variable of the loop" in str(raised.value)
