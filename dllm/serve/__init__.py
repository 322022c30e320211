"""The HTTP and WebSocket server: how clients reach sessions."""
