"""Downloads of known checkpoints from the Hub."""
