"""Runs in time: who thinks when, and who watches."""
