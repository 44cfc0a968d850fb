"""Provide `tf.distribute` for one replica, which computes what several compute together."""
