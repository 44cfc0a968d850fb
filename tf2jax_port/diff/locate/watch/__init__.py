"""Record both programs operation by operation, with the lines that called them."""
