"""Run a case in all lanes and collect the results."""
