"""A request that cannot be done, with the reason for the person who made it."""


class Refused(ValueError):
    """A request that cannot be honoured, with a sentence that a person can act on."""
