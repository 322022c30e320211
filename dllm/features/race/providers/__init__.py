"""Remote models behind an OpenAI-compatible API: their cards, a client, and what each answer cost."""
