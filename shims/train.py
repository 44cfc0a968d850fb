"""The names of `tf.train` that have a counterpart."""

from shims._src.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
