"""An order, and the run it becomes, as values: no clock, no thread, no model."""
