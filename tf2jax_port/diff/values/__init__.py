"""Arguments, results, gradients and failures as plain data."""
