"""What a scan found, for people and for programs."""
