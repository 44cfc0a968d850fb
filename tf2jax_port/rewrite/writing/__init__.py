"""Write new text into a file."""
