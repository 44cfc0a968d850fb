"""Write a running TensorFlow 1 program as a JAX module, and prove that both are equal.

Begin with `running.py`. `README.md` says what each module does.
"""
