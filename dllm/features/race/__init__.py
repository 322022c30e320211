"""One prompt, several models, one clock: ours by their passes, others by their bytes."""
