"""A program that changes its arrays changes no dataset and no queue that it has given them to, as in TensorFlow."""

import numpy as np
import pytest

import shims
import shims.compat.v1 as v1

SPEC = shims.TensorSpec([2], shims.float32)


def _generated():
    buffer = np.zeros(2, np.float32)
    for i in range(4):
        buffer[:] = i
        yield buffer


def _cached(data):
    kept = data.cache()
    list(kept)
    return kept


THROUGH = {
    "list": lambda data: data,
    "batch": lambda data: data.batch(2).unbatch(),
    "cache": _cached,
    "shuffle": lambda data: data.shuffle(4, seed=1),
    "prefetch": lambda data: data.prefetch(4),
    "window": lambda data: data.window(2).flat_map(lambda w: w),
    "map": lambda data: data.map(lambda x: x),
}


@pytest.mark.parametrize("through", THROUGH)
def test_a_generator_may_yield_one_array_again_and_again(through):
    data = shims.data.Dataset.from_generator(_generated, output_signature=SPEC)
    found = [x.numpy()[0] for x in list(THROUGH[through](data))]
    assert sorted(found) == [0, 1, 2, 3]


@pytest.mark.parametrize("make", ["from_tensors", "from_tensor_slices"])
def test_a_dataset_has_the_numbers_that_it_was_given(make):
    given = np.zeros((1, 2), np.float32)
    data = getattr(shims.data.Dataset, make)(given)
    given[:] = 7
    (found,) = data
    assert not np.any(found)
    with pytest.raises(ValueError, match="read-only"):
        found[...] = 7


@pytest.mark.parametrize("many", [False, True])
def test_a_queue_has_the_numbers_that_it_was_fed(many):
    with v1.Graph().as_default(), v1.Session() as session:
        given = np.zeros((1, 2) if many else 2, np.float32)
        fed = v1.placeholder(v1.float32, given.shape)
        queue = v1.FIFOQueue(3, [v1.float32], shapes=[[2]])
        put = queue.enqueue_many([fed]) if many else queue.enqueue([fed])
        session.run(put, {fed: given})
        given[:] = 7
        assert not np.any(session.run(queue.dequeue()))
