"""How the bundled pair is trained: tokens, rows, noise, the loop, and the files that it ships."""
