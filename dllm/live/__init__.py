"""Runs in time: who thinks when, who watches, and what has been said to them."""
