"""Both programs operator by operator, with the lines that called them."""
