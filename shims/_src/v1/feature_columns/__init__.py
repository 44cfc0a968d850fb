"""Provide `tf.feature_column`: columns, and the layers made of them."""
