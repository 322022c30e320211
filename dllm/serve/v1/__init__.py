"""The door for OpenAI's clients: /v1, on the sessions and the device of the page."""

from unmask.serve.v1.routes import routes
