"""Provide `tf.nn.rnn_cell` and the functions that run cells over time."""
