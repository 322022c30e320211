"""What the app can do beyond watching and steering a run: one folder each, none of which knows another."""
