"""How far two arrays, or two samples, are apart."""
