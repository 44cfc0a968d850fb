"""Represent the report as data, and render it as text, HTML, JSON and JUnit XML."""
