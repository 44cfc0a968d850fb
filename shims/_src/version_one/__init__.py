"""TensorFlow 1's names, and its operators where version 1 means something else by them."""
