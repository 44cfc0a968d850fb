"""Run `make demo`: port one program and report the comparison."""
