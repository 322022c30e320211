"""How the page reaches a run: a WebSocket, or plain HTTP requests if sockets are blocked."""
