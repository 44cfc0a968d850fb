"""TensorFlow's older interfaces."""
