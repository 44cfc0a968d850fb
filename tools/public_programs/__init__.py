"""Run public programs under TensorFlow and under shims, and compare every variable they leave."""
