"""Inference on other machines, by replicas of Ray Serve; sessions stay in the server's process."""
