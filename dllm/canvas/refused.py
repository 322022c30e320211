"""What is said to a person whose request cannot be done."""


class Refused(ValueError):
    """A request that cannot be honoured, with a sentence that a person can act on."""
