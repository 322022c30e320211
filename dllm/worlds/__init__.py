"""Small worlds told in many shapes: unlimited text that is true in itself, and whose truth can be checked."""
