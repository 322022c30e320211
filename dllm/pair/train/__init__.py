"""How the embedded pair is made: worlds, tokens, rows, noise, the loop, and the files it ships."""
