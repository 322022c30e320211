"""What is said where a model says nothing that can be used."""


class Unthinkable(RuntimeError):
    """The model could not say anything usable about this canvas."""
