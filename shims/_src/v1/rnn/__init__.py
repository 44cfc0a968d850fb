"""`tf.nn.rnn_cell` and what runs cells over time."""
