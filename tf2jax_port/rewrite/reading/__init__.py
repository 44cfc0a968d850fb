"""What the text of a file says: bytes, scopes, references."""
