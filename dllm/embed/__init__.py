"""The stage inside other people's pages: what a host's run is as messages, and the page that a frame shows."""
