"""`random.Generator`: TensorFlow's bits, and TensorFlow's state after each call.

Equality rests on what `test_bits.py` says; states and keys are integers, and so are binomial numbers, of which
a float64 on an edge would show the last place.
"""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

from .bits import check_all_same, dtype_of, words_as_numbers


def history(library):
    """Draws and states of one program."""
    generators, found = library.random.Generator, []
    g = generators.from_seed(1234)
    found += [
        g.normal([2, 3]),
        g.uniform([5], -1, 2.0),
        g.uniform([5], 0, 10, dtype=dtype_of(library, "int32")),
        g.uniform([3], None, None, dtype=dtype_of(library, "int32")),
        g.truncated_normal([7], 1.0, 2.0),
        g.uniform([], dtype=dtype_of(library, "bfloat16")),
        g.uniform_full_int([3], dtype=dtype_of(library, "uint32")),
        words_as_numbers(g.state),
        words_as_numbers(g.skip(1000)),
        words_as_numbers(g.state),
        words_as_numbers(g.key),
    ]
    for kid in g.split(3):
        found += [words_as_numbers(kid.state), kid.uniform([2])]
    seeds = g.make_seeds(3)
    found.append(library.random.stateless_uniform([3], seeds[:, 1]))
    g = generators.from_seed(2**70 + 5)
    found += [words_as_numbers(g.state), g.uniform([100003])]
    g = generators.from_state([2**40, -7, 9], alg="philox")
    found += [g.normal([3]), words_as_numbers(g.state)]
    g = generators.from_key_counter(key=-5, counter=[-1, 2], alg=1)
    found += [g.normal([3]), words_as_numbers(g.state)]
    g.reset_from_seed([3, 4])
    found += [words_as_numbers(g.state), g.normal([3])]
    g.reset([1, 2, 3])
    found.append(g.normal([1]))
    g.reset_from_key_counter(key=3, counter=[4, 5])
    h = generators(copy_from=g)
    found.append(h.normal([2]))  # a copy of TensorFlow's shares its buffer until it is written
    found += [h.binomial([4, 2], [10.0, 300.0], [0.5, 0.9]), words_as_numbers(h.state)]

    @library.function
    def draw():
        return g.uniform([2]), g.normal([3, 3])

    found += [*draw(), *draw(), words_as_numbers(g.state)]
    return found


@pytest.mark.symbols("random.Generator", lanes=("eager", "function"))
@pytest.mark.parametrize("wide", [False, True])
def test_draws_and_states(wide):
    with jax.enable_x64(wide):
        check_all_same(history(shims), history(tf))


def test_states_have_64_bits_or_words():
    assert shims.random.Generator.from_seed(1).state.shape == (3, 2)
    with jax.enable_x64(True):
        assert shims.random.create_rng_state(7, "philox").tolist() == [7, 0, 0]
        assert tf.random.create_rng_state(7, "philox").numpy().tolist() == [7, 0, 0]


def test_a_generator_from_the_operating_system_is_new_every_time():
    a, b = (shims.random.Generator.from_non_deterministic_state() for _ in range(2))
    assert (np.asarray(a.normal([4])) != np.asarray(b.normal([4]))).any()


def test_the_global_generator():
    own = shims.random.Generator.from_seed(3)
    before = shims.random.get_global_generator()
    try:
        shims.random.set_global_generator(own)
        assert shims.random.get_global_generator() is own
    finally:
        shims.random.set_global_generator(before)
    assert shims.random.get_global_generator() is before


def in_a_function(library):
    """Numbers of a global generator that a function sets, and what its state would be."""
    r = library.random
    own, before = r.Generator.from_seed(3), r.get_global_generator()

    @library.function
    def run():
        r.set_global_generator(own)
        state = r.create_rng_state(7, "philox")
        return r.get_global_generator().normal([2]), library.reduce_sum(state)

    try:
        return [part for _ in range(2) for part in run()]
    finally:
        r.set_global_generator(before)


_GLOBAL = ("get_global_generator", "set_global_generator", "create_rng_state")


@pytest.mark.symbols(*(f"random.{name}" for name in _GLOBAL), lanes=("function",))
def test_the_global_generator_in_a_function():
    check_all_same(in_a_function(shims), in_a_function(tf))


def test_threefry_has_a_state_and_no_numbers():
    ours = shims.random.Generator.from_seed(5, alg="threefry")
    theirs = tf.random.Generator.from_seed(5, alg="threefry")
    assert (words_as_numbers(ours.state) == theirs.state.numpy()).all()
    with pytest.raises(tf.errors.UnimplementedError):
        theirs.uniform([2])
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        ours.uniform([2])
    assert str(raised.value).splitlines()[0] == (
        "Generator: TensorFlow supports the Threefry algorithm only on TPU and under XLA."
    )


def test_a_state_of_another_size_is_refused():
    with pytest.raises(
        ValueError, match=r"^Generator: the state of algorithm 1 has 3 numbers, not 2"
    ):
        shims.random.Generator.from_state([1, 2], alg="philox")


def test_full_64_bits_need_64_bits():
    with pytest.raises(shims.errors.UnimplementedError, match="needs `jax_enable_x64`"):
        shims.random.stateless_uniform([2], [1, 2], minval=None, dtype="int64")


def test_many_rows_of_classes_are_refused():
    logits = np.zeros((200, 10), np.float32)
    with pytest.raises(shims.errors.UnimplementedError, match="number of threads"):
        shims.random.stateless_categorical(logits, 5, [1, 2])


def test_a_generator_made_while_a_function_is_traced_on_a_chosen_device():
    """Its state was put on the device by an operation that the trace recorded."""

    def numbers(library):
        made = []

        @library.function
        def f():
            if not made:
                made.append(library.random.Generator.from_seed(1))
            return made[0].normal([])

        return [float(f()) for _ in range(2)]

    with jax.default_device(jax.devices()[0]):
        assert numbers(shims) == pytest.approx(numbers(tf))
