"""Thinking on other machines: lanes are replicas of Ray Serve, and sessions stay where the doors are."""
