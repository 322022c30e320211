"""Comparing: how good, how sure, how fast, and equal to what was published?"""
