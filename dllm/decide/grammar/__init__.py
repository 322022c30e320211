"""Regular languages over a model's tokens: which tokens a cell may hold, whatever the decoding order."""
