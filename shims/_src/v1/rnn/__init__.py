"""Provide `tf.nn.rnn_cell`, and functions such as `dynamic_rnn` that apply cells to sequences."""
