"""What is asked of a list after a loop made it grow; `t` is either library."""


def grown(t, x, **options):
    array = t.TensorArray(t.float32, size=0, dynamic_size=True, clear_after_read=False, **options)
    for i in t.range(t.shape(x)[0]):
        array = array.write(i, x[i] * 2)
    return array


def unstacked(t, x):
    array = grown(t, x).unstack(t.stack([x[0], x[1]]))
    return array.stack(), array.size()


def split(t, x):
    parts = t.concat([x[:2], x[:1]], 0)
    array = grown(t, x, infer_shape=False).split(parts, [2, 1])
    return array.concat(), array.size()


def gathered(t, x):
    return grown(t, x).gather([0, 2, 2])


def read(t, x):
    array = grown(t, x)
    return array.read(1) + array.read(t.shape(x)[0] - 1), array.size()


def written(t, x):
    return grown(t, x).write(8, x[0]).stack()


def scattered(t, x):
    array = t.TensorArray(t.float32, size=0, dynamic_size=True)
    for i in t.range(t.shape(x)[0]):
        array = array.scatter([i, i + 1], t.stack([x[i], x[i]]))
    return array.stack()


def of_a_size(t, x):
    array = t.TensorArray(t.float32, size=t.shape(x)[0], dynamic_size=True)
    for i in t.range(t.shape(x)[0]):
        array = array.write(i, x[i])
    return array.stack()


def in_a_branch(t, x):
    array = t.TensorArray(t.float32, size=2, dynamic_size=True).write(0, x[0])
    if x[0] > 0:
        array = array.write(1, x[1])
    else:
        array = array.write(1, x[2])
    return array.stack()


PROGRAMS = (unstacked, split, gathered, read, written, scattered, of_a_size, in_a_branch)
