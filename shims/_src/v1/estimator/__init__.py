"""Provide `tf.estimator`: training, evaluation and prediction with a model function."""
