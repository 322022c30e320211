"""A process with limits of time, memory and output, for code that a model wrote."""
