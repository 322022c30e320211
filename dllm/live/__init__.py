"""Live runs: sessions, the scheduler of their device, and the viewers that follow them."""
