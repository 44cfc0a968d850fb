"""What `import shims` gives: generated from the table."""
