"""How the bundled pair of models was made: its texts, its training, its evaluation. The engine never imports it."""
