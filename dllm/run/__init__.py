"""A run as immutable values: its spec, settings, state, frames and timeline. No clock, no thread, no model."""
