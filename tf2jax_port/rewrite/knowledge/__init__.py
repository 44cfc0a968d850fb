"""What is known of a name of TensorFlow or Keras."""
