"""Record the operations of both programs and the source lines that called them."""
