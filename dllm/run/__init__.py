"""What was asked for, and a run as a value: no clock, no thread, no model."""
