"""Remote models behind an OpenAI-compatible API: who they are, how they are reached, and what they took."""
