"""Programs whose `if`, `while` and `for` over a size change objects of Python, or raise and catch errors."""

import bisect
import dataclasses
import functools
import heapq
import itertools
import queue
from collections import defaultdict, deque

import jax
import jax.numpy as jnp
import numpy as np


class Counter:
    def __init__(self):
        self.count, self.values = 0, []

    def increase(self):
        self.count += 1

    def add(self, value):
        self.values.append(value)

    @property
    def ticket(self):
        self.increase()
        return self.count

    @functools.cached_property
    def start(self):
        self.count = 10
        return 0.5

    def __getitem__(self, i):
        self.count += 1
        return float(i)


@dataclasses.dataclass
class Boxes:
    scores: jax.Array
    kept: int = dataclasses.field(default=0, compare=False)

    def keep(self, m):
        left = self.scores[m]
        return Boxes(left, self.kept + left.shape[0])


def added_to_a_set(x, m):
    y, found = x[m], set()
    for k in (1, 4, 6):
        if y.shape[0] >= k:
            found.add(k)
    return len(found), 4 in found


def containers(x, m):
    n, parts, table, values = x[m].shape[0], deque(), {}, [3, 1]
    if n >= 5:
        parts.append(1)
    if n >= 5:
        table.update(a=1)
    if n >= 5:
        values.extend([1, 2])
    return len(parts), len(table), len(values)


def methods_of_a_list(x, m):
    n, values = x[m].shape[0], [3, 1]
    add = values.append
    if n >= 5:
        add(1)
    if n >= 5:
        values.sort()
    if n < 5:
        values.pop()
    if n >= 5:
        heapq.heappush(values, 3)
    return len(values), values[0]


def attributes(x, m):
    n, counter = x[m].shape[0], Counter()
    if n >= 5:
        counter.increase()
    if n >= 4:
        counter.add(2)
    return counter.count, len(counter.values)


def nonlocal_names(x, m):
    n, count = x[m].shape[0], 0

    def increase():
        nonlocal count
        count += 1

    if n >= 5:
        increase()
    if n >= 4:
        increase()
    return count


def iterators_and_operators(x, m):
    n, numbers, values = x[m].shape[0], iter([1, 2, 3]), []
    if n >= 5:
        next(numbers)
    n >= 5 and values.append(1)
    return next(numbers), len(values)


def functions_of_libraries(x, m):
    n, values, ordered, box = x[m].shape[0], [], [3], queue.Queue()
    weights, numbers = np.ones(3), np.random.default_rng(0)
    if n > 2:
        functools.partial(values.append, 5.0)()
    if n > 2:
        list(map(values.append, [1.0, 2.0]))
    if n > 2:
        bisect.insort(ordered, 1)
    if n > 2:
        box.put(5.0)
    if n > 2:
        np.multiply(weights, 2, out=weights)
    if n > 2:
        numbers.random()
    return sum(values), ordered[0], box.qsize(), weights.sum(), numbers.random()


def counted_by_a_helper_in_a_loop(x, m):
    y, count = x[m], 0

    def step(v):
        nonlocal count
        if v.shape[0] > 1:
            count += 1
        return v[1:]

    while y.shape[0] > 0:
        y = step(y)
    return jnp.float32(count)


def lists_with_two_names(x, m):
    y, metrics, values = x[m], {"loss": [], "accuracy": []}, []
    same = values
    for found in metrics.values():
        if y.shape[0] > 1:
            found.append(y.sum())
    if y.shape[0] > 2:
        values.append(1.0)
    return sum(map(len, metrics.values())), len(same)


def either_branch(x, m):
    found = set()
    if x[m].shape[0] >= 5:
        found.add("one")
    else:
        found.add("zero")
    return len(found)


def after_a_break(x, m):
    y, found = x[m], set()
    for k in range(6):
        if k >= y.shape[0]:
            break
        found.add(k)
    return len(found)


def while_loop(x, m):
    y, found = x[m], set()
    while len(found) < y.shape[0]:
        found.add(len(found))
    return len(found)


def for_loop(x, m):
    found = set()
    for i in range(x[m].shape[0]):
        found.add(i)
    return len(found)


def stored_by_a_helper(x, m):
    y, log = x[m], {}

    def store(name, value):
        log[name] = value

    if y.shape[0] > 3:
        store("sum", y.sum())
    return log.get("sum", -5.0)


def items_that_may_be_missing(x, m):
    y, log = x[m], {"count": x[m].shape[0]}
    if log["count"] > 3:
        log["sum"] = y.sum()
    return log.get("sum", jnp.float32(-5.0)) + log["count"]


def raised_and_caught(x, m):
    y = x[m]
    try:
        if not y.shape[0]:
            raise ValueError("none")
        r = y.sum()
    except ValueError as error:
        r = jnp.float32(len(str(error)))
    return r


def asserted_and_caught(x, m):
    y = x[m]
    try:
        assert y.shape[0] > 0
        r = y.max()
    except AssertionError:
        r = jnp.float32(-1)
    return r


def caught_after_and(x, m):
    y = x[m]
    try:
        if y.shape[0] > 3 and y.ndim == 1:
            raise ValueError
        r = y.sum()
    except ValueError:
        r = jnp.float32(-1)
    return r


def asserted(x, m):
    y = x[m]
    assert y.shape[0] > 0, "nothing selected"
    return y.max() / y.shape[0]


def raised(x, m):
    y = x[m]
    if not y.shape[0] > 0:
        raise RuntimeError("nothing selected")
    return y.max()


def sums_of_answers(x, m):
    n = x[m].shape[0]
    return (1 < n < 5) + (n != 3), bool(n) + bool(n > 1), 3 - (n == 4), -(n > 0), (not n) + 1


def nested_loops(x, m):
    n, total = x[m].shape[0], 0
    for i in range(n):
        for j in range(i):
            total += j
    return total


def queue_of_arrays(x, m):
    parts, total = deque([x[m]]), jnp.float32(0)
    for _ in range(3):
        if not parts:
            break
        v = parts.popleft()
        if v.shape[0] > 1:
            parts.append(v[1:])
        total += v.sum()
    return total


def handled_products(x, m):
    y, z = x[m], x[x > 2.0]
    try:
        return (y * z).sum()
    except (TypeError, ValueError):
        return y.sum() + 1000.0


def skipped_items(x, m):
    means = {}
    for name, v in {"a": x[m], "b": x[~m]}.items():
        if v.shape[0] == 0:
            continue
        means[name] = v.mean()
    return sum(means.values())


def list_methods_after_a_loop(x, m):
    y, values = x[m], []
    for i in range(y.shape[0]):
        values.append(y[i] * 2)
    values.reverse()
    values = values + [x[0]]  # noqa: RUF005 - the subject of the test
    return values.pop(0)


def grown(x, m):
    y, out, i = x[m], jnp.zeros(0), 0
    while out.shape[0] < y.shape[0]:
        out = jnp.concatenate([out, y[i : i + 1]])
        i += 1
    return out.sum()


def iterators(x, m):
    n, values, letters, numbers = x[m].shape[0], iter([1, 2, 3]), iter("abcd"), itertools.count()
    total = 0
    if n >= 5:
        total = sum(values)
    if n >= 5:
        total += 1 if "b" in letters else 2
    if n >= 5:
        total += [i for i, _ in zip(numbers, "ab", strict=False)][-1]
    if n < 5:
        a, *b = values
        total += a * len(b)
    return total, sum(values), next(letters) == "c", next(numbers)


def reads_that_change(x, m):
    n, counter, table, total = x[m].shape[0], Counter(), defaultdict(int), 0

    def ticket(source):
        return source.ticket

    if n >= 5:
        total += ticket(counter)
    if n >= 3:
        total += counter[2]
    if n < 5:
        total += counter.start
    if n >= 5:
        total += table["a"]
    return total, counter.count, len(table)


def condition_of_a_while(x, m):
    n, waiting, k, seen = x[m].shape[0], [0, 1, 2, 3, 4, 5, 6, 7], 0, set()

    def goes_on(k):
        seen.add(k)
        return k < n

    while waiting.pop() > 7 - n:
        k += 1
    while goes_on(k):
        k += 1
    return k, len(waiting), len(seen)


def names_of_a_list(x, m):
    y, counter, row, rows = x[m], Counter(), [], []
    values = counter.values
    rows.append(row)
    for i in range(y.shape[0]):
        values.append(y[i])
        row.append(1)
    for _ in range(2):
        inner = []
        rows.append(inner)
        for i in range(y.shape[0]):
            inner.append(i)
    return len(counter.values), [len(r) for r in rows]


def handled_in_inner_traces(x, m):
    y = x[m]

    def mean(v):
        try:
            return v.sum() + 6 / v.shape[0]
        except ZeroDivisionError:
            return v.sum() - 1.0

    mapped = jax.vmap(lambda k: mean(y) * k)(jnp.arange(2.0)).sum()
    scanned = jax.lax.scan(lambda c, k: (c + mean(y) * k, None), 0.0, jnp.arange(2.0))[0]
    return jax.jit(mean)(y), jax.checkpoint(mean)(y), mapped, scanned


def handled_quotient_of_a_counter(x, m):
    y, total = x[m], jnp.float32(0)
    for i in range(y.shape[0]):
        try:
            total = total + 10 // (y.shape[0] - i - 1)
        except ZeroDivisionError:
            break
    return total


def handled_in_a_shrinking_loop(x, m):
    y, total = x[m], jnp.float32(0)
    while y.shape[0] > 0:
        y = y[1:]
        try:
            total = total + 6 / y.shape[0]
        except ZeroDivisionError:
            total = total + 100.0
    return total


def table_of_counted_keys(x, m):
    y, i, table = x[m], 0, {}
    while i < y.shape[0]:
        table[i] = y[i] * i
        i += 1
    return sum(table.values(), jnp.float32(0))


def chosen_containers(x, m):
    n, a, b = x[m].shape[0], [], []
    first, second = {"k": 1.0}, {"k": 2.0}
    values = a if n >= 5 else b
    values.append(1)
    table = second
    if n >= 5:
        table = first
    table["k"] = 7.0
    if n >= 5:
        list.append(a, 2)
    return len(a), len(b), first["k"], second["k"]


def longest(x, m):
    return max([x[m], x[~m]], key=len).sum()


def chosen_dataclasses(x, m):
    boxes = Boxes(x).keep(m)
    if boxes.scores.shape[0] > 2:
        boxes = boxes.keep(boxes.scores > 1)
    others = Boxes(x[:0])
    if x[m].shape[0] > 1:
        others = Boxes(x[:0], 7)
    return boxes.scores.sum(), boxes.kept, others.kept


class Slots:
    __slots__ = ("table",)

    def __init__(self):
        self.table = {"many": 0}


IN_SLOTS = Slots()
HELD = Counter()
TABLE = {"many": 0}


def attributes_of_what_was_before(x, m):
    HELD.count, HELD.start_of = 0, [3]
    TABLE["many"] = IN_SLOTS.table["many"] = 0
    if x[m].shape[0] > 3:
        HELD.count += 1
        HELD.start_of[0] = HELD.count
        TABLE["many"] += 2
        IN_SLOTS.table["many"] += 3
    return HELD.count, HELD.start_of[0], TABLE["many"], IN_SLOTS.table["many"]


def counted_while_a_selection_shrinks(x, m):
    HELD.count, y = 0, x[m]
    while y.shape[0] > 1:
        y = y[1:]
        HELD.count += 1
    return y.sum(), HELD.count


def counted_by_a_helper(x, m):
    count, y = 0, x[m]

    def more(k):
        nonlocal count
        count += k
        return count

    total = y.sum() * more(y.shape[0])
    if y.shape[0] > 2:
        total = total + more(x[x < 0].shape[0])
    return total, count


def chosen_zeros(x, m):
    zero = 0.0
    if x[m].shape[0] > 1:
        zero = -0.0
    return x.sum() / jnp.float32(zero)


PROGRAMS = [
    f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__ and callable(f)
]
PROGRAMS = [f for f in PROGRAMS if not isinstance(f, type)]
