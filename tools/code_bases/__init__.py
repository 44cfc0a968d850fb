"""Rewrite public code bases, replay the calls that their own tests make, and write the page of the results."""
