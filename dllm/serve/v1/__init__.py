"""The HTTP API /v1, for clients of OpenAI, Mercury and Anthropic."""

from unmask.serve.v1.routes import routes
