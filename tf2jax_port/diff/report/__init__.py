"""The report as data, and as text, page, JSON, JUnit."""
