"""A run as something to take along: a timeline in, text or bytes out."""
