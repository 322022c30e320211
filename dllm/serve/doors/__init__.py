"""How the page reaches a run: a WebSocket, and plain requests where none can be opened."""
