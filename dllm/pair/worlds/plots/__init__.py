"""What can happen, and the ways to tell it: text that the grammar reads."""
