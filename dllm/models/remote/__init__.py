"""The client of a server that runs a model: requests, and its tokenizer."""
