"""A call of every operator of the table that draws random numbers of its own, and of every generator method."""

import numpy as np

import shims
from shims.compat import v1

IMAGES = np.linspace(0.1, 0.9, 48 * 4 * 4 * 3, dtype=np.float32).reshape(48, 4, 4, 3)
ROWS = np.linspace(0, 1, 300 * 4, dtype=np.float32).reshape(300, 4)
IDS = np.int64([[1], [2]])


def sampled(loss):
    return loss(ROWS, ROWS[:, 0], IDS, ROWS[:2], 20, 300)


def crop(image, size):
    return shims.image.random_crop(image, size)


def box():
    return shims.image.sample_distorted_bounding_box(
        [100, 90, 3], np.float32([[[0.1, 0.2, 0.8, 0.9]]]), min_object_covered=0.1
    )


CALLS = {
    "image.random_brightness": lambda: shims.image.random_brightness(IMAGES, 0.5),
    "image.random_contrast": lambda: shims.image.random_contrast(IMAGES, 0.1, 2.0),
    "image.random_hue": lambda: shims.image.random_hue(IMAGES, 0.4),
    "image.random_saturation": lambda: shims.image.random_saturation(IMAGES, 0.1, 2.0),
    "image.random_flip_left_right": lambda: shims.image.random_flip_left_right(IMAGES),
    "image.random_flip_up_down": lambda: shims.image.random_flip_up_down(IMAGES),
    "image.random_crop": lambda: crop(ROWS, [3, 4]),
    "image.sample_distorted_bounding_box": box,
    "nn.sampled_softmax_loss": lambda: sampled(shims.nn.sampled_softmax_loss),
    "nn.nce_loss": lambda: sampled(shims.nn.nce_loss),
    "random.uniform_candidate_sampler": lambda: shims.random.uniform_candidate_sampler(
        IDS, 1, 20, True, 1000
    ),
    "random.log_uniform_candidate_sampler": lambda: shims.random.log_uniform_candidate_sampler(
        IDS, 1, 20, True, 1000
    ),
    "random.uniform": lambda: shims.random.uniform([4]),
    "random.normal": lambda: shims.random.normal([4]),
    "random.truncated_normal": lambda: shims.random.truncated_normal([4]),
    "random.shuffle": lambda: shims.random.shuffle(ROWS),
    "random.categorical": lambda: shims.random.categorical(np.zeros((2, 90), np.float32), 30),
    "random.poisson": lambda: shims.random.poisson([40], 5.0),
    "random.gamma": lambda: shims.random.gamma([4], 2.0),
    "nn.dropout": lambda: shims.nn.dropout(ROWS, 0.5),
    "random_uniform_initializer": lambda: shims.random_uniform_initializer()([4]),
    "random_normal_initializer": lambda: shims.random_normal_initializer()([4]),
    "v1.random_uniform_initializer": lambda: v1.random_uniform_initializer()([4]),
    "v1.random_normal_initializer": lambda: v1.random_normal_initializer()([4]),
    "v1.truncated_normal_initializer": lambda: v1.truncated_normal_initializer()([4]),
    "v1.uniform_unit_scaling_initializer": lambda: v1.uniform_unit_scaling_initializer()([4]),
    "v1.variance_scaling_initializer": lambda: v1.variance_scaling_initializer()([4, 4]),
    "v1.glorot_uniform_initializer": lambda: v1.glorot_uniform_initializer()([4, 4]),
    "v1.glorot_normal_initializer": lambda: v1.glorot_normal_initializer()([4, 4]),
    "v1.initializers.he_normal": lambda: v1.initializers.he_normal()([4, 4]),
    "v1.initializers.he_uniform": lambda: v1.initializers.he_uniform()([4, 4]),
    "v1.initializers.lecun_normal": lambda: v1.initializers.lecun_normal()([4, 4]),
    "v1.initializers.lecun_uniform": lambda: v1.initializers.lecun_uniform()([4, 4]),
}

GENERATOR = shims.random.Generator.from_seed(7)
METHODS = {
    "normal": lambda: GENERATOR.normal([4]),
    "truncated_normal": lambda: GENERATOR.truncated_normal([4]),
    "uniform": lambda: GENERATOR.uniform([4]),
    "uniform_full_int": lambda: GENERATOR.uniform_full_int([4], np.int32),
    "binomial": lambda: GENERATOR.binomial([40], 9.0, 0.5),
    "make_seeds": lambda: GENERATOR.make_seeds(2),
}
