"""How the bundled pair of models was made: its training, the measurements that choose its limits, and its examples."""
