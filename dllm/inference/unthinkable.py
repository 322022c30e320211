"""The error where a model gives no numbers that can be used."""


class Unthinkable(RuntimeError):
    """The model could not say anything usable about this canvas."""
