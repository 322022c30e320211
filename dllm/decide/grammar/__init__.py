"""Regular languages over a model's tokens: which tokens a cell may hold, in any decoding order."""
