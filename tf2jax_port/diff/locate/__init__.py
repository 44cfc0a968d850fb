"""Where two programs part: the first operation whose inputs agree and whose result does not."""
